/* SPDX-License-Identifier: Apache-2.0 */
/* JOIN: a hash join of a relation with unique keys and one of twice its size, half of whose rows have a
 * partner. The table is half full. Exact: integers, and the payload of a key does not depend on where its
 * slot is. */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"

enum { GROUP = 256 };

static const uint32_t sizes[APP_SCALES] = {1u << 12, 1u << 20, 1u << 23}; /* rows of the smaller relation */

/* Different for different i below 2^31, and odd multiples are never 0. */
static uint32_t key_of(uint32_t i)
{
    return (i + 1) * 0x9e3779b1u;
}

static uint32_t payload_of(uint64_t seed, uint32_t i)
{
    return (uint32_t)(fill_random(seed, i) >> 40) + 1;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t rows = sizes[scale], probes = 2 * rows, mask = 2 * rows - 1;
    uint32_t *key = device_alloc(d, rows * sizeof *key), *payload = device_alloc(d, rows * sizeof *payload);
    uint32_t *slot_key = device_alloc(d, 2 * rows * sizeof *slot_key);
    uint32_t *slot_payload = device_alloc(d, 2 * rows * sizeof *slot_payload);
    uint32_t *asks = device_alloc(d, probes * sizeof *asks), *out = device_alloc(d, probes * sizeof *out);
    uint32_t *number = host_alloc(probes, sizeof *number);
    for (uint32_t i = 0; i < rows; i++) {
        key[i] = key_of(i);
        payload[i] = payload_of(seed, i);
    }
    for (uint32_t i = 0; i < probes; i++) {
        number[i] = (uint32_t)(fill_random(seed + 1, i) % probes);
        asks[i] = key_of(number[i]);
    }
    device_wrote(d, key, rows * sizeof *key);
    device_wrote(d, payload, rows * sizeof *payload);
    device_wrote(d, asks, probes * sizeof *asks);
    device_wrote(d, slot_key, 2 * rows * sizeof *slot_key);
    DEVICE_RUN(d, "build", 1, DEVICE_SIZE(rows), DEVICE_SIZE(GROUP), &key, &payload, &slot_key, &slot_payload,
               &mask, &rows);
    DEVICE_RUN(d, "probe", 1, DEVICE_SIZE(probes), DEVICE_SIZE(GROUP), &asks, &slot_key, &slot_payload, &out,
               &mask, &probes);
    device_read(d, out, probes * sizeof *out);
    int result = 0;
    for (uint32_t i = 0; i < probes && !result; i++)
        result = check_int("JOIN: out", i, number[i] < rows ? payload_of(seed, number[i]) : 0, out[i]);
    free(number);
    uint32_t *const all[] = {out, asks, slot_payload, slot_key, payload, key};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

const struct app app_join = {
    .name = "JOIN",
    .title = "Hash join of two relations",
    .suite = "today",
    .size = {"4096 and 8192 rows", "1 Mi and 2 Mi rows, a table of 16 MB",
             "8 Mi and 16 Mi rows, a table of 128 MB"},
    .run = run,
};
