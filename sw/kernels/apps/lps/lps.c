/* SPDX-License-Identifier: Apache-2.0 */
/* LPS: one step of Laplace's equation in a cuboid. Values are integers, so the sum of six is exact, the mean
 * is rounded once, and results are exact. Rows are padded to 512 bytes; the padding must stay zero. */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { COLUMNS = 32, ROWS = 4, ROW_ELEMENTS = 512 / sizeof(float), LIMIT = 1000 };

static const struct grid {
    uint32_t nx, ny, nz;
} grids[APP_SCALES] = {{100, 32, 20}, {100, 100, 50}, {100, 100, 100}};

static bool on_surface(const struct grid *g, uint32_t x, uint32_t y, uint32_t z)
{
    return x == 0 || y == 0 || z == 0 || x == g->nx - 1 || y == g->ny - 1 || z == g->nz - 1;
}

static int check(const struct grid *g, const float *u, const float *got, uint32_t pitch)
{
    const size_t row = pitch, plane = row * g->ny;
    for (uint32_t z = 0; z < g->nz; z++)
        for (uint32_t y = 0; y < g->ny; y++)
            for (uint32_t x = 0; x < pitch; x++) {
                const size_t at = z * plane + y * row + x;
                const float expected = x >= g->nx || on_surface(g, x, y, z)
                                           ? u[at]
                                           : (u[at - 1] + u[at + 1] + u[at - row] + u[at + row] +
                                              u[at - plane] + u[at + plane]) *
                                                 (1.0f / 6.0f);
                if (check_float("LPS: solution", at, expected, got[at], 0))
                    return -1;
            }
    return 0;
}

static size_t whole(uint32_t n, uint32_t group)
{
    return ((size_t)n + group - 1) / group * group;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const struct grid *g = &grids[scale];
    const uint32_t pitch = (uint32_t)whole(g->nx, ROW_ELEMENTS);
    const size_t rows = (size_t)g->ny * g->nz, bytes = rows * pitch * sizeof(float);
    float *before = device_alloc(d, bytes);
    float *after = device_alloc(d, bytes);
    for (size_t r = 0; r < rows; r++)
        for (uint32_t x = 0; x < g->nx; x++)
            before[r * pitch + x] = (float)fill_small(seed, r * g->nx + x, LIMIT);
    device_wrote(d, before, bytes);

    DEVICE_RUN(d, "laplace", 2, DEVICE_SIZE(whole(g->nx, COLUMNS), whole(g->ny, ROWS)),
               DEVICE_SIZE(COLUMNS, ROWS), &before, &after, &g->nx, &g->ny, &g->nz, &pitch);
    device_read(d, after, bytes);

    const int result = check(g, before, after, pitch);
    device_free(d, after);
    device_free(d, before);
    return result;
}

const struct app app_lps = {
    .name = "LPS",
    .title = "Laplace's equation in three dimensions, one step",
    .suite = "MAFIA",
    .size = {"100 x 32 x 20 points", "100 x 100 x 50 points", "100 x 100 x 100 points"},
    .run = run,
};
