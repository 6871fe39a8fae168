/* SPDX-License-Identifier: Apache-2.0 */
#include "db/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "db/db.h"

void mp_db_now(char text[25])
{
    struct timespec t;
    struct tm tm;
    char second[20];
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &tm);
    strftime(second, sizeof second, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text, 25, "%.19s.%03uZ", second, (unsigned)(t.tv_nsec / 1000000) % 1000u);
}

void mp_db_hash_text(const uint64_t hash[2], char text[33])
{
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash[1], (unsigned long long)hash[0]);
}

void mp_db_hash_of(const char *config, const struct mp_db_run_info *info, char text[33])
{
    XXH128_hash_t h = XXH3_128bits(config ? config : "", config ? strlen(config) : 0);
    for (unsigned i = 0; i < info->nplugins; i++) {
        const uint64_t *plugin = info->plugin[i].hash, both[] = {h.low64, h.high64, plugin[0], plugin[1]};
        h = XXH3_128bits(both, sizeof both);
    }
    mp_db_hash_text((uint64_t[]){h.low64, h.high64}, text);
}
