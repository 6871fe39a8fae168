/* SPDX-License-Identifier: Apache-2.0 */
#include "db/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

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

void mp_db_hash_of(const char *string, char text[33])
{
    XXH128_hash_t h = XXH3_128bits(string, strlen(string));
    mp_db_hash_text((uint64_t[]){h.low64, h.high64}, text);
}
