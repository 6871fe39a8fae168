/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GUPS: random updates of a table. Exact: on the recording device, work-items never overtake each other
 * between a load and its store, so no update is lost and the order of updates does not matter. Work-groups
 * have 15 work-items, as in the paper's artifact.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { GROUP = 15, GROUPS = 32, UPDATES = 256, POLYNOMIAL = 7 };

static const uint64_t words[APP_SCALES] = {1u << 16, 1u << 19, 1u << 21};

static int check(const uint64_t *got, uint64_t n, const uint64_t *start, uint64_t seed)
{
    uint64_t *expected = host_alloc(n, sizeof *expected);
    int result = 0;
    for (uint64_t i = 0; i < n; i++)
        expected[i] = fill_random(seed, i);
    for (unsigned item = 0; item < GROUP * GROUPS; item++) {
        uint64_t random = start[item];
        for (unsigned i = 0; i < UPDATES; i++) {
            random = random << 1 ^ (random >> 63) * POLYNOMIAL;
            expected[random % n] ^= random;
        }
    }
    for (uint64_t i = 0; i < n && !result; i++)
        result = check_int("GUPS: table", i, (int64_t)expected[i], (int64_t)got[i]);
    free(expected);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint64_t n = words[scale], mask = n - 1;
    const uint32_t updates = UPDATES;
    const size_t bytes = n * sizeof(uint64_t), start_bytes = GROUP * GROUPS * sizeof(uint64_t);
    uint64_t *table = device_alloc(d, bytes);
    uint64_t *start = device_alloc(d, start_bytes);
    for (uint64_t i = 0; i < n; i++)
        table[i] = fill_random(seed, i);
    for (unsigned i = 0; i < GROUP * GROUPS; i++)
        start[i] = fill_random(seed + 1, i) | 1; /* the shift register would never leave 0 */
    device_wrote(d, table, bytes);
    device_wrote(d, start, start_bytes);

    DEVICE_RUN(d, "gups", 1, DEVICE_SIZE(GROUP * GROUPS), DEVICE_SIZE(GROUP), &table, &mask, &start,
               &updates);
    device_read(d, table, bytes);

    const int result = check(table, n, start, seed);
    device_free(d, start);
    device_free(d, table);
    return result;
}

const struct app app_gups = {
    .name = "GUPS",
    .title = "Random updates of a table",
    .suite = "MAFIA",
    .size = {"512 KB, 122880 updates", "4 MB, 122880 updates", "16 MB, 122880 updates"},
    .run = run,
};
