/* SPDX-License-Identifier: Apache-2.0 */
/* NW: global alignment scores of two random sequences, by tiles along anti-diagonals; exact. */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { TILE = 64, RODINIA_TILE = 16, PENALTY = 10, SYMBOLS = 24 };

static const struct {
    uint32_t rows, columns; /* symbols; not more rows than columns */
    bool twice;             /* the longest anti-diagonal is computed by both kernels, as in MGPUSim */
    bool rodinia;           /* tiles of 16, as in Rodinia */
} sizes[APP_SCALES] = {{512, 512, false, false},
                       {4096, 4096, false, false},
                       {10240, 10240, false, false},
                       {4096, 4096, true, false},
                       [APP_MESC] = {2048, 2048, false, true}};

/* Random symmetric scores: 4 to 11 for equal symbols, -4 to 3 for others, as amino acid tables have them. */
static void fill_table(int32_t table[SYMBOLS][SYMBOLS], uint64_t seed)
{
    for (unsigned i = 0; i < SYMBOLS; i++)
        for (unsigned j = 0; j <= i; j++)
            table[i][j] = table[j][i] =
                (int32_t)(fill_random(seed, i * SYMBOLS + j) >> 61) + (i == j ? 4 : -4);
}

static void fill_inputs(int32_t *similarity, int32_t *score, uint32_t rows, uint32_t columns, uint64_t seed)
{
    int32_t table[SYMBOLS][SYMBOLS];
    const size_t pitch = columns + 1;
    fill_table(table, seed);
    for (uint32_t y = 1; y <= rows; y++) {
        const int32_t *row = table[(fill_random(seed + 1, y) >> 32) % SYMBOLS];
        for (uint32_t x = 1; x <= columns; x++)
            similarity[y * pitch + x] = row[(fill_random(seed + 2, x) >> 32) % SYMBOLS];
    }
    for (uint32_t x = 1; x <= columns; x++)
        score[x] = -(int32_t)x * PENALTY;
    for (uint32_t y = 1; y <= rows; y++)
        score[y * pitch] = -(int32_t)y * PENALTY;
}

static int check(const int32_t *similarity, const int32_t *score, uint32_t rows, uint32_t columns)
{
    const size_t pitch = columns + 1;
    int32_t *row =
        host_alloc(pitch, sizeof *row); /* the row above in the reference, overwritten from the left */
    int result = 0;
    for (uint32_t x = 0; x <= columns; x++)
        row[x] = -(int32_t)x * PENALTY;
    for (uint32_t y = 1; y <= rows && !result; y++) {
        int32_t above_left = row[0];
        row[0] = -(int32_t)y * PENALTY;
        for (uint32_t x = 1; x <= columns && !result; x++) {
            const size_t at = y * pitch + x;
            int32_t best = above_left + similarity[at];
            best = row[x] - PENALTY > best ? row[x] - PENALTY : best;
            best = row[x - 1] - PENALTY > best ? row[x - 1] - PENALTY : best;
            above_left = row[x];
            row[x] = best;
            result = check_int("NW: score", at, best, score[at]);
        }
    }
    free(row);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t rows = sizes[scale].rows, n = sizes[scale].columns;
    const size_t tile = sizes[scale].rodinia ? RODINIA_TILE : TILE;
    const uint32_t down = rows / (uint32_t)tile, across = n / (uint32_t)tile;
    const char *grow = sizes[scale].rodinia ? "nw_grow_16" : "nw_grow";
    const char *shrink = sizes[scale].rodinia ? "nw_shrink_16" : "nw_shrink";
    const int32_t penalty = PENALTY;
    const size_t bytes = (size_t)(rows + 1) * (n + 1) * sizeof(int32_t);
    int32_t *similarity = device_alloc(d, bytes);
    int32_t *score = device_alloc(d, bytes);
    fill_inputs(similarity, score, rows, n, seed);
    device_wrote(d, similarity, bytes);
    device_wrote(d, score, bytes);

    for (uint32_t k = 1; k <= down; k++)
        DEVICE_RUN(d, grow, 1, DEVICE_SIZE(k * tile), DEVICE_SIZE(tile), &similarity, &score, &n, &penalty,
                   &k);
    for (uint32_t k = sizes[scale].twice ? 0 : 1; k < across; k++) {
        const uint32_t tiles = across - k < down ? across - k : down;
        DEVICE_RUN(d, shrink, 1, DEVICE_SIZE(tiles * tile), DEVICE_SIZE(tile), &similarity, &score, &n,
                   &penalty, &k, &rows);
    }
    device_read(d, score, bytes);

    const int result = check(similarity, score, rows, n);
    device_free(d, score);
    device_free(d, similarity);
    return result;
}

const struct app app_nw = {
    .name = "NW",
    .title = "Needleman-Wunsch sequence alignment",
    .suite = "Rodinia",
    .size =
        {"512 x 512 ints", "4096 x 4096 ints", "10240 x 10240 ints",
         "4096 x 4096 ints, the longest anti-diagonal twice", [APP_MESC] = "2048 x 2048 ints, tiles of 16"},
    .run = run,
    .instructions = 87909120 / 4, /* STAR Table II, four runs */
};
