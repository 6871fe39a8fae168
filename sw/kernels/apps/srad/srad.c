/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SRAD: one iteration, checked against the same formulas in double.
 *
 * Tolerance: the image, 1 to e, is in floats with a last place of 1e-7 to 2e-7 and is rounded about ten
 * times; the logarithm is scaled by 255. That gives errors of up to 8e-5 in 502 x 458 pixels. The tolerance
 * of 1e-3 is twelve times that; a grey level is 1.
 *
 * At size neidty, two iterations by tiles, see tiles.c.
 */
#include "srad.h"
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { GROUP = 512, GREYS = 256 };

static const struct srad_size sizes[APP_SCALES] = {
    {98, 60}, {251, 229}, {502, 458}, [APP_MESC] = {502, 458}, [APP_NEIDTY] = {2048, 2048}};

const float srad_lambda = 0.5f;
static const double tolerance = 1e-3;

struct arrays {
    float *image, *sums, *squares, *dn, *ds, *dw, *de, *coefficient;
    int32_t *north, *south, *west, *east;
};

static double coefficient_at(const double d[4], double here, double speckle)
{
    const double gradient = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]) / (here * here);
    const double laplacian = (d[0] + d[1] + d[2] + d[3]) / here;
    const double root = 1 + laplacian / 4;
    const double variation = (gradient / 2 - laplacian * laplacian / 16) / (root * root);
    return fmin(fmax(1 / (1 + (variation - speckle) / (speckle * (1 + speckle))), 0), 1);
}

/* The elements above, below, left and right of (r, c). */
static void neighbours(size_t at[4], const struct srad_size *s, uint32_t r, uint32_t c)
{
    const size_t here = (size_t)c * s->rows + r;
    at[0] = r > 0 ? here - 1 : here;
    at[1] = r + 1 < s->rows ? here + 1 : here;
    at[2] = c > 0 ? here - s->rows : here;
    at[3] = c + 1 < s->columns ? here + s->rows : here;
}

void srad_step(double *image, double *coefficient, const struct srad_size *s, double speckle)
{
    const size_t n = (size_t)s->rows * s->columns;
    double *next = host_alloc(n, sizeof *next);
    size_t at[4];
    for (size_t i = 0; i < n; i++) {
        double d[4];
        neighbours(at, s, (uint32_t)(i % s->rows), (uint32_t)(i / s->rows));
        for (unsigned k = 0; k < 4; k++)
            d[k] = image[at[k]] - image[i];
        coefficient[i] = coefficient_at(d, image[i], speckle);
    }
    for (size_t i = 0; i < n; i++) {
        double change = 0;
        neighbours(at, s, (uint32_t)(i % s->rows), (uint32_t)(i / s->rows));
        for (unsigned k = 0; k < 4;
             k++) /* above and left: this element's coefficient; else the neighbour's */
            change += coefficient[k % 2 ? at[k] : i] * (image[at[k]] - image[i]);
        next[i] = image[i] + 0.25 * (double)srad_lambda * change;
    }
    memcpy(image, next, n * sizeof *next);
    free(next);
}

static void reference(double *image, double *coefficient, const struct srad_size *s)
{
    const size_t n = (size_t)s->rows * s->columns;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        image[i] = exp(image[i] / 255);
        sum += image[i];
        squares += image[i] * image[i];
    }
    const double mean = sum / (double)n, speckle = (squares / (double)n - mean * mean) / (mean * mean);
    srad_step(image, coefficient, s, speckle);
    for (size_t i = 0; i < n; i++)
        image[i] = 255 * log(image[i]);
}

/* start is changed. */
static int check(double *start, const float *got, const struct srad_size *s)
{
    const size_t n = (size_t)s->rows * s->columns;
    double *coefficient = host_alloc(n, sizeof *coefficient);
    int result = 0;
    reference(start, coefficient, s);
    for (size_t i = 0; i < n && !result; i++)
        result = check_float("SRAD: image", i, start[i], (double)got[i], tolerance);
    free(coefficient);
    return result;
}

static int32_t *index_array(struct device *d, uint32_t n, int step)
{
    int32_t *p = device_alloc(d, n * sizeof *p);
    for (int32_t i = 0; i < (int32_t)n; i++)
        p[i] = i + step < 0 || i + step >= (int32_t)n ? i : i + step;
    device_wrote(d, p, n * sizeof *p);
    return p;
}

/* Returns the squared variation of the image. */
static float sum_up(struct device *d, const struct arrays *a, uint32_t n)
{
    DEVICE_RUN(d, "prepare", 1, DEVICE_SIZE(device_whole_groups(n, GROUP)), DEVICE_SIZE(GROUP), &a->image,
               &a->sums, &a->squares, &n);
    uint32_t left = n, stride = 1;
    while (left > 1) {
        DEVICE_RUN(d, "reduce", 1, DEVICE_SIZE(device_whole_groups(left, GROUP)), DEVICE_SIZE(GROUP),
                   &a->sums, &a->squares, &left, &stride);
        left = (uint32_t)(device_whole_groups(left, GROUP) / GROUP);
        stride *= GROUP;
    }
    device_read(d, a->sums, sizeof *a->sums);
    device_read(d, a->squares, sizeof *a->squares);
    const float mean = a->sums[0] / (float)n;
    return (a->squares[0] / (float)n - mean * mean) / (mean * mean);
}

static void diffuse(struct device *d, const struct arrays *a, uint32_t rows, uint32_t n)
{
    const size_t global = device_whole_groups(n, GROUP);
    DEVICE_RUN(d, "extract", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &a->image, &n);
    const float speckle = sum_up(d, a, n);
    DEVICE_RUN(d, "srad", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &a->image, &a->north, &a->south,
               &a->west, &a->east, &a->dn, &a->ds, &a->dw, &a->de, &a->coefficient, &rows, &n, &speckle);
    DEVICE_RUN(d, "srad2", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &a->image, &a->south, &a->east, &a->dn,
               &a->ds, &a->dw, &a->de, &a->coefficient, &rows, &n, &srad_lambda);
    DEVICE_RUN(d, "compress", 1, DEVICE_SIZE(global), DEVICE_SIZE(GROUP), &a->image, &n);
    device_read(d, a->image, n * sizeof *a->image);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const struct srad_size *s = &sizes[scale];
    if (scale == APP_NEIDTY)
        return srad_by_tiles(d, s, seed);
    const uint32_t n = s->rows * s->columns;
    const size_t bytes = n * sizeof(float);
    const struct arrays a = {.image = device_alloc(d, bytes),
                             .sums = device_alloc(d, bytes),
                             .squares = device_alloc(d, bytes),
                             .dn = device_alloc(d, bytes),
                             .ds = device_alloc(d, bytes),
                             .dw = device_alloc(d, bytes),
                             .de = device_alloc(d, bytes),
                             .coefficient = device_alloc(d, bytes),
                             .north = index_array(d, s->rows, -1),
                             .south = index_array(d, s->rows, 1),
                             .west = index_array(d, s->columns, -1),
                             .east = index_array(d, s->columns, 1)};
    double *start = host_alloc(n, sizeof *start);
    for (uint32_t i = 0; i < n; i++) {
        a.image[i] = (float)(fill_random(seed, i) % GREYS);
        start[i] = (double)a.image[i];
    }
    device_wrote(d, a.image, bytes);

    diffuse(d, &a, s->rows, n);

    const int result = check(start, a.image, s);
    free(start);
    void *const all[] = {a.east, a.west, a.south, a.north,   a.coefficient, a.de,
                         a.dw,   a.ds,   a.dn,    a.squares, a.sums,        a.image};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
    return result;
}

const struct app app_srad = {
    .name = "SRAD",
    .title = "Speckle reducing anisotropic diffusion, one iteration",
    .suite = "Rodinia",
    .size = {"98 x 60 pixels", "251 x 229 pixels", "502 x 458 pixels", [APP_MESC] = "502 x 458 pixels",
             [APP_NEIDTY] = "2048 x 2048 pixels by tiles, 2 iterations"},
    .run = run,
};
