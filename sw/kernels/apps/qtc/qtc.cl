/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quality threshold clustering: each remaining point is the seed of a candidate cluster, which always grows by the
 * point that keeps its diameter smallest, while that is below the threshold. The largest candidate becomes a cluster.
 * Distances are a full matrix. A point's neighbours, those nearer than the threshold, are listed in `most` places.
 */
#define ITEMS 64
#define NO_POINT 0xffffffffu
#define KERNEL __kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))

struct points {
    __global const float *distance;
    __global const uint *neighbour, *degree, *cluster; /* cluster 0: in no cluster yet */
    uint n, most;
    float threshold;
};

struct choice { /* one for each work-item; after choose(), [0] is the best of all */
    float diameter[ITEMS];
    uint which[ITEMS];
};

static void choose(__local struct choice *c, uint item)
{
    for (uint step = ITEMS / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint other = item + step;
        if (item < step && (c->diameter[other] < c->diameter[item] ||
                            (c->diameter[other] == c->diameter[item] && c->which[other] < c->which[item]))) {
            c->diameter[item] = c->diameter[other];
            c->which[item] = c->which[other];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Returns the size of the seed's candidate. If mask is not NULL, it is set to 1 at the candidate's points. reach
 * holds each neighbour's largest distance to a point of the candidate, INFINITY for those in it. */
static uint grow(struct points p, uint seed, __global float *reach, __global uchar *mask, __local struct choice *c)
{
    const uint item = get_local_id(0), degree = p.degree[seed];
    uint size = 1, latest = seed;

    for (uint i = item; i < degree; i += ITEMS)
        reach[i] = 0.0f;
    if (mask && item == 0)
        mask[seed] = 1;
    while (true) {
        float smallest = INFINITY;
        uint which = NO_POINT;
        for (uint i = item; i < degree; i += ITEMS) {
            const uint point = p.neighbour[seed * p.most + i];
            const float before = reach[i];
            if (p.cluster[point] != 0 || before == INFINITY)
                continue;
            const float diameter = max(before, p.distance[point * p.n + latest]);
            reach[i] = diameter;
            if (diameter < smallest) {
                smallest = diameter;
                which = i;
            }
        }
        c->diameter[item] = smallest;
        c->which[item] = which;
        choose(c, item);
        const bool fits = c->diameter[0] < p.threshold;
        const uint chosen = c->which[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!fits)
            return size;
        latest = p.neighbour[seed * p.most + chosen];
        if (chosen % ITEMS == item)
            reach[chosen] = INFINITY;
        if (mask && item == 0)
            mask[latest] = 1;
        size++;
    }
}

/* Each work-group finds the largest candidate of every n-th of the `left` points; n is the number of work-groups. */
KERNEL void candidates(__global const float *distance, __global const uint *neighbour, __global const uint *degree,
                       __global const uint *cluster, __global const uint *point, __global float *reach,
                       __global uint *size, __global uint *seed, uint left, uint n, uint most, float threshold)
{
    __local struct choice c;
    const struct points p = {distance, neighbour, degree, cluster, n, most, threshold};
    const uint group = get_group_id(0);
    uint best = 0, best_seed = NO_POINT;

    reach += group * most;
    for (uint i = group; i < left; i += get_num_groups(0)) {
        const uint candidate = grow(p, point[i], reach, 0, &c);
        if (candidate > best) {
            best = candidate;
            best_seed = point[i];
        }
    }
    if (get_local_id(0) == 0) {
        size[group] = best;
        seed[group] = best_seed;
    }
}

/* The size and seed of the largest of n candidates; of equal ones, that with the lowest seed. */
KERNEL void best_candidate(__global const uint *size, __global const uint *seed, __global uint *best, uint n)
{
    __local uint sizes[ITEMS], seeds[ITEMS];
    const uint item = get_local_id(0);

    sizes[item] = 0;
    seeds[item] = NO_POINT;
    for (uint i = item; i < n; i += ITEMS)
        if (size[i] > sizes[item] || (size[i] == sizes[item] && seed[i] < seeds[item])) {
            sizes[item] = size[i];
            seeds[item] = seed[i];
        }
    for (uint step = ITEMS / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint other = item + step;
        if (item < step && (sizes[other] > sizes[item] ||
                            (sizes[other] == sizes[item] && seeds[other] < seeds[item]))) {
            sizes[item] = sizes[other];
            seeds[item] = seeds[other];
        }
    }
    if (item == 0) {
        best[0] = sizes[0];
        best[1] = seeds[0];
    }
}

/* Grows the best candidate again to get its points, and removes them from the list of those that are left. */
KERNEL void trim(__global const float *distance, __global const uint *neighbour, __global const uint *degree,
                 __global const uint *cluster, __global uint *point, __global float *reach, __global uchar *mask,
                 __global const uint *best, uint left, uint n, uint most, float threshold)
{
    __local struct choice c;
    __local uint stays[ITEMS];
    const struct points p = {distance, neighbour, degree, cluster, n, most, threshold};
    const uint item = get_local_id(0);
    uint kept = 0;

    grow(p, best[1], reach, mask, &c);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint first = 0; first < left; first += ITEMS) {
        const uint i = first + item, mine = i < left ? point[i] : 0;
        stays[item] = i < left && !mask[mine];
        for (uint step = 1; step < ITEMS; step *= 2) { /* becomes the prefix sum */
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint before = item >= step ? stays[item - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            stays[item] += before;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint to = item > 0 ? stays[item - 1] : 0;
        if (stays[item] > to)
            point[kept + to] = mine;
        kept += stays[ITEMS - 1];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

/* Writes the cluster's number to the points of the mask, and clears the mask. */
KERNEL void update(__global uint *cluster, __global uchar *mask, uint number, uint n)
{
    const uint i = get_global_id(0);
    if (i < n && mask[i]) {
        cluster[i] = number;
        mask[i] = 0;
    }
}
