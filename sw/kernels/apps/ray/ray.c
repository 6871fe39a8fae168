/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RAY: an image of four spheres. The reference makes the same additions, products, divisions and square roots
 * in the same order. IEEE 754 defines all of them to the bit, so pixels are exact.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP_X = 16, GROUP_Y = 8, SPHERES = 4, BOUNCES = 5 };

static const uint32_t widths[APP_SCALES] = {96, 128, 256};

struct vector {
    float x, y, z;
};

struct sphere { /* a float8 in the kernel */
    struct vector centre;
    float square;
    struct vector colour;
    float mirror;
};

static const struct vector sun = {0.48f, 0.6f, -0.64f}, sky = {0.25f, 0.5f, 1.0f};

static float dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static struct vector plus(struct vector a, float factor, struct vector b)
{
    return (struct vector){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}
static struct vector over(struct vector a, float divisor)
{
    return (struct vector){a.x / divisor, a.y / divisor, a.z / divisor};
}

static float meet(struct vector from, struct vector along, const struct sphere *s)
{
    const struct vector to = plus(s->centre, -1.0f, from);
    const float middle = dot(to, along), inside = middle * middle - dot(to, to) + s->square;
    const float first = inside < 0 ? -1.0f : middle - sqrtf(inside);
    return first > 0.001f ? first : -1.0f;
}

static const struct sphere *nearest(const struct sphere *spheres, struct vector from, struct vector along,
                                    float *distance)
{
    const struct sphere *best = NULL;
    for (unsigned i = 0; i < SPHERES; i++) {
        const float d = meet(from, along, &spheres[i]);
        if (d > 0 && (!best || d < *distance)) {
            best = &spheres[i];
            *distance = d;
        }
    }
    return best;
}

static float sunlight(const struct sphere *spheres, struct vector from, struct vector outward)
{
    float distance;
    const float bright = dot(outward, sun);
    return bright > 0 && !nearest(spheres, from, sun, &distance) ? bright : 0;
}

static struct vector reference(const struct sphere *spheres, struct vector along)
{
    struct vector from = {0, 0, -4}, light = {0};
    float share = 1, distance = 0;
    along = over(along, sqrtf(dot(along, along)));
    for (unsigned bounce = 0; bounce < BOUNCES; bounce++) {
        const struct sphere *s = nearest(spheres, from, along, &distance);
        if (!s)
            return plus(light, share * (0.5f + 0.5f * along.y), sky);
        from = plus(from, distance, along);
        const struct vector outward = over(plus(from, -1.0f, s->centre), sqrtf(s->square));
        light = plus(light, share * (1 - s->mirror) * (0.125f + sunlight(spheres, from, outward)), s->colour);
        share *= s->mirror;
        along = plus(along, -(2 * dot(along, outward)), outward);
    }
    return light;
}

static uint32_t channel(float x)
{
    return (uint32_t)(255 * (x < 0 ? 0 : x > 1 ? 1 : x));
}

static int check(const struct sphere *spheres, const uint32_t *got, uint32_t n)
{
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++) {
            const float width = (float)n;
            const struct vector light = reference(
                spheres, (struct vector){(2 * (float)x - width) / width, (2 * (float)y - width) / width, 2});
            const uint32_t pixel = channel(light.x) | channel(light.y) << 8 | channel(light.z) << 16;
            const size_t at = (size_t)y * n + x;
            if (check_int("RAY: pixel", at, pixel, got[at]))
                return -1;
        }
    return 0;
}

static float random_in(uint64_t seed, uint64_t i, float low, float high)
{
    return low + (high - low) * 0.5f * (1 + fill_unit(seed, i));
}

static void place(struct sphere *spheres, uint64_t seed)
{
    for (unsigned i = 0; i < SPHERES; i++) {
        const float radius = random_in(seed, 8 * i, 0.5f, 0.75f);
        spheres[i] = (struct sphere){
            .centre = {(i % 2 ? 0.75f : -0.75f) + random_in(seed, 8 * i + 1, -0.125f, 0.125f),
                       (i / 2 ? 0.75f : -0.75f) + random_in(seed, 8 * i + 2, -0.125f, 0.125f),
                       random_in(seed, 8 * i + 3, -0.5f, 0.5f)},
            .square = radius * radius,
            .colour = {random_in(seed, 8 * i + 4, 0.25f, 1), random_in(seed, 8 * i + 5, 0.25f, 1),
                       random_in(seed, 8 * i + 6, 0.25f, 1)},
            .mirror = random_in(seed, 8 * i + 7, 0.25f, 0.75f)};
    }
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t n = widths[scale];
    const size_t bytes = (size_t)n * n * sizeof(uint32_t);
    uint32_t *image = device_alloc(d, bytes);
    struct sphere *spheres = device_alloc(d, SPHERES * sizeof *spheres);
    place(spheres, seed);
    device_wrote(d, spheres, SPHERES * sizeof *spheres);

    DEVICE_RUN(d, "trace", 2, DEVICE_SIZE(n, n), DEVICE_SIZE(GROUP_X, GROUP_Y), &image, &spheres, &n, &n);
    device_read(d, image, bytes);

    const int result = check(spheres, image, n);
    device_free(d, spheres);
    device_free(d, image);
    return result;
}

const struct app app_ray = {
    .name = "RAY",
    .title = "Ray tracing of four spheres, five bounces",
    .suite = "GPGPU-Sim",
    .size = {"96 x 96 pixels", "128 x 128 pixels", "256 x 256 pixels"},
    .run = run,
};
