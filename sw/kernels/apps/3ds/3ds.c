/* SPDX-License-Identifier: Apache-2.0 */
/* 3DS: a stencil over a cuboid. Elements are small integers and weights are powers of two, so results are
 * exact. */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP_X = 32, GROUP_Y = 8, LIMIT = 255 };

static const struct grid {
    uint32_t nx, ny, nz;
} grids[APP_SCALES] = {{64, 32, 16}, {256, 128, 32}, {256, 128, 128}};

static const float centre = 0.25f, side = 0.125f;

static bool on_surface(const struct grid *g, uint32_t x, uint32_t y, uint32_t z)
{
    return x == 0 || y == 0 || z == 0 || x == g->nx - 1 || y == g->ny - 1 || z == g->nz - 1;
}

static int check(const struct grid *g, const float *in, const float *got)
{
    const size_t row = g->nx, plane = row * g->ny;
    for (uint32_t z = 0; z < g->nz; z++)
        for (uint32_t y = 0; y < g->ny; y++)
            for (uint32_t x = 0; x < g->nx; x++) {
                const size_t at = z * plane + y * row + x;
                const float expected =
                    on_surface(g, x, y, z)
                        ? in[at]
                        : centre * in[at] + side * (in[at - 1] + in[at + 1] + in[at - row] + in[at + row] +
                                                    in[at - plane] + in[at + plane]);
                if (check_float("3DS: output", at, expected, got[at], 0))
                    return -1;
            }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const struct grid *g = &grids[scale];
    const size_t elements = (size_t)g->nx * g->ny * g->nz, bytes = elements * sizeof(float);
    float *in = device_alloc(d, bytes);
    float *out = device_alloc(d, bytes);
    for (size_t i = 0; i < elements; i++)
        in[i] = (float)fill_small(seed, i, LIMIT);
    device_wrote(d, in, bytes);

    DEVICE_RUN(d, "stencil3d", 2, DEVICE_SIZE(g->nx, g->ny), DEVICE_SIZE(GROUP_X, GROUP_Y), &in, &out, &g->nx,
               &g->ny, &g->nz, &centre, &side);
    device_read(d, out, bytes);

    const int result = check(g, in, out);
    device_free(d, out);
    device_free(d, in);
    return result;
}

const struct app app_3ds = {
    .name = "3DS",
    .title = "Stencil in three dimensions, seven points",
    .suite = "MAFIA",
    .size = {"64 x 32 x 16 points", "256 x 128 x 32 points", "256 x 128 x 128 points"},
    .run = run,
};
