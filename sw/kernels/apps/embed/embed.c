/* SPDX-License-Identifier: Apache-2.0 */
/* EMBED: look-ups in an embedding table, as of a recommendation model. Rows are popular by a power law: half
 * of the look-ups meet about a 32nd of the rows. Exact: sums of small integers. */
#include "../../device.h"
#include "../buffer.h"
#include "../check.h"

enum { COLUMNS = 64, BAG = 32, LIMIT = 100 };

static const struct {
    uint32_t rows, bags;
} sizes[APP_SCALES] = {{1u << 12, 64}, {1u << 18, 1u << 13}, {1u << 21, 1u << 14}};

/* A row that is popular with u^5, and rows of a popularity scattered over the table. */
static uint32_t row_of(uint64_t seed, uint64_t i, uint32_t rows)
{
    const double u = (double)(fill_random(seed, i) >> 11) * 0x1p-53;
    const uint32_t rank = (uint32_t)(u * u * u * u * u * rows);
    return (rank * 2654435761u) & (rows - 1); /* rows: a power of two */
}

static int check(const float *table, const uint32_t *index, uint32_t bags, const float *got)
{
    int result = 0;
    for (uint32_t b = 0; b < bags && !result; b++)
        for (uint32_t c = 0; c < COLUMNS && !result; c++) {
            float sum = 0;
            for (uint32_t k = 0; k < BAG; k++)
                sum += table[(size_t)index[b * BAG + k] * COLUMNS + c];
            result = check_float("EMBED: out", (size_t)b * COLUMNS + c, sum, got[(size_t)b * COLUMNS + c], 0);
        }
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t rows = sizes[scale].rows, bags = sizes[scale].bags, bag = BAG;
    float *table = buffer_small(d, (size_t)rows * COLUMNS, seed, LIMIT);
    uint32_t *index = device_alloc(d, (size_t)bags * BAG * sizeof *index);
    float *out = device_alloc(d, (size_t)bags * COLUMNS * sizeof *out);
    for (uint32_t i = 0; i < bags * BAG; i++)
        index[i] = row_of(seed + 1, i, rows);
    device_wrote(d, index, (size_t)bags * BAG * sizeof *index);
    DEVICE_RUN(d, "embed", 1, DEVICE_SIZE((size_t)bags * COLUMNS), DEVICE_SIZE(COLUMNS), &table, &index, &bag,
               &out);
    device_read(d, out, (size_t)bags * COLUMNS * sizeof *out);
    const int result = check(table, index, bags, out);
    device_free(d, out);
    device_free(d, index);
    device_free(d, table);
    return result;
}

const struct app app_embed = {
    .name = "EMBED",
    .title = "Embedding look-ups",
    .suite = "today",
    .size = {"4096 rows (1 MB), 64 bags of 32", "2^18 rows (64 MB), 8192 bags of 32",
             "2^21 rows (512 MB), 16384 bags of 32"},
    .run = run,
};
