/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QTC: clusters of points in a square, with the mean distance between points that the SHOC benchmark has for
 * 2048 points in 20 x 20. `paper` ends after its first clusters, as each takes nearly as long as the one
 * before. Exact: kernels and reference compare the same distances and settle ties by the lowest number.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

#include <string.h>

enum { GROUP = 64, GROUPS = 256 };

static const struct size {
    uint32_t points, clusters; /* the largest number of clusters that are made */
} sizes[APP_SCALES] = {{64, 64}, {512, 512}, {2048, 16}};

static const float threshold = 1.0f;
static const double points_per_area = 2048 / 400.0;

/* The same arrays exist in host memory and on the device. */
struct points {
    float *distance;                        /* n x n */
    uint32_t *neighbour, *degree, *cluster; /* n x most, n, n */
    uint32_t n, most, clusters;
};

static uint32_t most_neighbours(const float *distance, uint32_t n)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = 0; j < n; j++)
            degree += j != i && distance[(size_t)i * n + j] < threshold;
        most = degree > most ? degree : most;
    }
    return most;
}

static float *distances(struct device *d, uint32_t n, uint64_t seed)
{
    float *distance = device_alloc(d, (size_t)n * n * sizeof *distance);
    const float scale = (float)sqrt(n / points_per_area) / 2;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            const float dx = scale * (fill_unit(seed, 2 * i) - fill_unit(seed, 2 * j));
            const float dy = scale * (fill_unit(seed, 2 * i + 1) - fill_unit(seed, 2 * j + 1));
            distance[(size_t)i * n + j] = sqrtf(dx * dx + dy * dy);
        }
    device_wrote(d, distance, (size_t)n * n * sizeof *distance);
    return distance;
}

static struct points prepare(struct device *d, const struct size *s, uint64_t seed)
{
    const uint32_t n = s->points;
    struct points p = {.distance = distances(d, n, seed), .n = n, .clusters = s->clusters};
    p.most = most_neighbours(p.distance, n);
    p.neighbour = device_alloc(d, (size_t)n * p.most * sizeof *p.neighbour);
    p.degree = device_alloc(d, n * sizeof *p.degree);
    p.cluster = device_alloc(d, n * sizeof *p.cluster);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (j != i && p.distance[(size_t)i * n + j] < threshold)
                p.neighbour[(size_t)i * p.most + p.degree[i]++] = j;
    device_wrote(d, p.neighbour, (size_t)n * p.most * sizeof *p.neighbour);
    device_wrote(d, p.degree, n * sizeof *p.degree);
    device_wrote(d, p.cluster, n * sizeof *p.cluster);
    return p;
}

/* Stores the seed's candidate in member, which has p->most + 1 places, and returns its size. */
static uint32_t candidate(const struct points *p, uint32_t seed, uint32_t *member)
{
    uint32_t size = 1;
    member[0] = seed;
    while (true) {
        float smallest = threshold;
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->degree[seed]; i++) {
            const uint32_t point = p->neighbour[(size_t)seed * p->most + i];
            float diameter = p->cluster[point] ? threshold : 0;
            for (uint32_t m = 0; m < size && diameter < smallest; m++) {
                const float distance = p->distance[(size_t)point * p->n + member[m]];
                diameter = member[m] == point ? threshold : distance > diameter ? distance : diameter;
            }
            if (diameter < smallest) {
                smallest = diameter;
                best = point;
            }
        }
        if (best == UINT32_MAX)
            return size;
        member[size++] = best;
    }
}

/* Fills p->cluster. */
static void reference(struct points *p)
{
    uint32_t *member = host_alloc(p->most + 1, sizeof *member), *best = host_alloc(p->most + 1, sizeof *best);
    uint32_t size = 2;
    for (uint32_t number = 1; size > 1 && number <= p->clusters; number++) {
        size = 0;
        for (uint32_t seed = 0; seed < p->n; seed++) {
            const uint32_t its = p->cluster[seed] ? 0 : candidate(p, seed, member);
            if (its > size) {
                size = its;
                memcpy(best, member, its * sizeof *best);
            }
        }
        for (uint32_t m = 0; m < size && size > 1; m++)
            p->cluster[best[m]] = number;
    }
    free(best);
    free(member);
}

static int check(const struct points *p)
{
    struct points expected = *p;
    expected.cluster = host_alloc(p->n, sizeof *expected.cluster);
    reference(&expected);
    int result = 0;
    for (uint32_t i = 0; i < p->n && !result; i++)
        result = check_int("QTC: cluster", i, expected.cluster[i], p->cluster[i]);
    free(expected.cluster);
    return result;
}

/* Makes cluster after cluster, until there are enough or the best candidate is a single point. */
static void cluster(struct device *d, struct points *p)
{
    const uint32_t groups = GROUPS, n = p->n;
    const size_t every = ((size_t)n + GROUP - 1) / GROUP * GROUP;
    float *reach = device_alloc(d, (size_t)groups * p->most * sizeof *reach);
    uint32_t *point = device_alloc(d, n * sizeof *point), *best = device_alloc(d, 2 * sizeof *best);
    uint32_t *size = device_alloc(d, groups * sizeof *size), *seed = device_alloc(d, groups * sizeof *seed);
    uint8_t *mask = device_alloc(d, n);
    for (uint32_t i = 0; i < n; i++)
        point[i] = i;
    device_wrote(d, point, n * sizeof *point);

    uint32_t left = n;
    for (uint32_t number = 1; left > 0 && number <= p->clusters; number++) {
        DEVICE_RUN(d, "candidates", 1, DEVICE_SIZE((size_t)groups * GROUP), DEVICE_SIZE(GROUP), &p->distance,
                   &p->neighbour, &p->degree, &p->cluster, &point, &reach, &size, &seed, &left, &n, &p->most,
                   &threshold);
        DEVICE_RUN(d, "best_candidate", 1, DEVICE_SIZE(GROUP), DEVICE_SIZE(GROUP), &size, &seed, &best,
                   &groups);
        device_read(d, best, sizeof *best);
        if (best[0] <= 1)
            break;
        DEVICE_RUN(d, "trim", 1, DEVICE_SIZE(GROUP), DEVICE_SIZE(GROUP), &p->distance, &p->neighbour,
                   &p->degree, &p->cluster, &point, &reach, &mask, &best, &left, &n, &p->most, &threshold);
        DEVICE_RUN(d, "update", 1, DEVICE_SIZE(every), DEVICE_SIZE(GROUP), &p->cluster, &mask, &number, &n);
        left -= best[0];
    }
    device_read(d, p->cluster, n * sizeof *p->cluster);
    void *const all[] = {mask, seed, size, best, point, reach};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(d, all[i]);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    struct points p = prepare(d, &sizes[scale], seed);
    cluster(d, &p);
    const int result = check(&p);
    device_free(d, p.cluster);
    device_free(d, p.degree);
    device_free(d, p.neighbour);
    device_free(d, p.distance);
    return result;
}

const struct app app_qtc = {
    .name = "QTC",
    .title = "Quality threshold clustering of points",
    .suite = "SHOC",
    .size = {"64 points", "512 points", "2048 points, the first 16 clusters"},
    .run = run,
};
