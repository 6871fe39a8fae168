/* SPDX-License-Identifier: Apache-2.0 */
/* NW: global alignment scores of two random sequences of n symbols, by tiles along anti-diagonals; exact. */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { TILE = 64, PENALTY = 10, SYMBOLS = 24 };

static const uint32_t lengths[APP_SCALES] = {512, 4096, 10240};

/* Random symmetric scores: 4 to 11 for equal symbols, -4 to 3 for others, as amino acid tables have them. */
static void fill_table(int32_t table[SYMBOLS][SYMBOLS], uint64_t seed)
{
    for (unsigned i = 0; i < SYMBOLS; i++)
        for (unsigned j = 0; j <= i; j++)
            table[i][j] = table[j][i] =
                (int32_t)(fill_random(seed, i * SYMBOLS + j) >> 61) + (i == j ? 4 : -4);
}

static void fill_inputs(int32_t *similarity, int32_t *score, uint32_t n, uint64_t seed)
{
    int32_t table[SYMBOLS][SYMBOLS];
    const size_t pitch = n + 1;
    fill_table(table, seed);
    for (uint32_t y = 1; y <= n; y++) {
        const int32_t *row = table[(fill_random(seed + 1, y) >> 32) % SYMBOLS];
        for (uint32_t x = 1; x <= n; x++)
            similarity[y * pitch + x] = row[(fill_random(seed + 2, x) >> 32) % SYMBOLS];
    }
    for (uint32_t i = 1; i <= n; i++)
        score[i] = score[i * pitch] = -(int32_t)i * PENALTY;
}

static int check(const int32_t *similarity, const int32_t *score, uint32_t n)
{
    const size_t pitch = n + 1;
    int32_t *row = host_alloc(pitch, sizeof *row); /* the reference row above, overwritten from the left */
    int result = 0;
    for (uint32_t x = 0; x <= n; x++)
        row[x] = -(int32_t)x * PENALTY;
    for (uint32_t y = 1; y <= n && !result; y++) {
        int32_t above_left = row[0];
        row[0] = -(int32_t)y * PENALTY;
        for (uint32_t x = 1; x <= n && !result; x++) {
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

static int run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t n = lengths[scale], tiles = n / TILE;
    const int32_t penalty = PENALTY;
    const size_t bytes = (size_t)(n + 1) * (n + 1) * sizeof(int32_t);
    int32_t *similarity = device_alloc(d, bytes);
    int32_t *score = device_alloc(d, bytes);
    fill_inputs(similarity, score, n, seed);
    device_wrote(d, similarity, bytes);
    device_wrote(d, score, bytes);

    for (uint32_t k = 1; k <= tiles; k++)
        DEVICE_RUN(d, "nw_grow", 1, DEVICE_SIZE((size_t)k * TILE), DEVICE_SIZE(TILE), &similarity, &score, &n,
                   &penalty, &k);
    for (uint32_t k = 1; k < tiles; k++)
        DEVICE_RUN(d, "nw_shrink", 1, DEVICE_SIZE((size_t)(tiles - k) * TILE), DEVICE_SIZE(TILE), &similarity,
                   &score, &n, &penalty, &k);
    device_read(d, score, bytes);

    const int result = check(similarity, score, n);
    device_free(d, score);
    device_free(d, similarity);
    return result;
}

const struct app app_nw = {
    .name = "NW",
    .title = "Needleman-Wunsch sequence alignment",
    .suite = "Rodinia",
    .size = {"512 x 512 ints", "4096 x 4096 ints", "10240 x 10240 ints"},
    .run = run,
};
