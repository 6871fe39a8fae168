/* SPDX-License-Identifier: Apache-2.0 */
/* Times and hashes as the database stores them. */
#ifndef MP_DB_TEXT_H
#define MP_DB_TEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The current time in UTC, "2026-01-31T12:00:00.000Z". */
void mp_db_now(char text[25]);

/* A 128-bit hash (low, high 64 bits) as 32 hexadecimal digits, the high half first. */
void mp_db_hash_text(const uint64_t hash[2], char text[33]);

struct mp_db_run_info;
/* XXH3-128 of a configuration's text (NULL: empty) in that form, and of the run's plugins, if there are any:
 * another plugin is another machine. */
void mp_db_hash_of(const char *config, const struct mp_db_run_info *info, char text[33]);

#ifdef __cplusplus
}
#endif
#endif
