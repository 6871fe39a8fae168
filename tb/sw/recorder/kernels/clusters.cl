/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest of some centres in constant memory: a switch, structures that a kernel writes, private arrays. */
#include "check.h"

typedef struct {
    int cluster;
    float distance;
} nearest;

float measure(int kind, float2 d)
{
    switch (kind) {
    case 0:
        return d.x * d.x + d.y * d.y;
    case 1:
        return fabs(d.x) + fabs(d.y);
    case 2:
        return fmax(fabs(d.x), fabs(d.y));
    default:
        return d.x != 0 || d.y != 0;
    }
}

__kernel void assign(__global const float2 *point, __constant float2 *centre, __global nearest *out, int kind)
{
    const int i = get_global_id(0);
    float distance[CLUSTERS];
    for (int c = 0; c < CLUSTERS; c++)
        distance[c] = measure((kind + i) % 4, point[i] - centre[c]);
    nearest n = {0, distance[0]};
    for (int c = 1; c < CLUSTERS; c++)
        if (distance[c] < n.distance) {
            n.cluster = c;
            n.distance = distance[c];
        }
    out[i] = n;
}

__kernel void check(__global const float2 *point, __constant float2 *centre, __global const nearest *out, int kind)
{
    const int i = get_global_id(0);
    const nearest n = out[i];
    EXPECT(n.distance == measure((kind + i) % 4, point[i] - centre[n.cluster]));
    for (int c = 0; c < CLUSTERS; c++)
        EXPECT(n.distance <= measure((kind + i) % 4, point[i] - centre[c]));
}
