/* SPDX-License-Identifier: Apache-2.0 */
/* Cells with neighbours: structures in private memory, results through private pointers, variables in planes. */
#include "check.h"

#define SIDES 4
typedef struct {
    REAL density, energy;
    REAL momentum[DIMENSIONS];
} state;

inline void load(__global const REAL *variable, int i, int n, state *s)
{
    s->density = variable[i];
    s->energy = variable[i + n];
    for (int d = 0; d < DIMENSIONS; d++)
        s->momentum[d] = variable[i + (2 + d) * n];
}

inline void add(state *to, const state *from, REAL factor)
{
    to->density += factor * from->density;
    to->energy += factor * from->energy;
    for (int d = 0; d < DIMENSIONS; d++)
        to->momentum[d] += factor * from->momentum[d];
}

__kernel void flux(__global const int *neighbour, __global const REAL *variable, __global REAL *out, int n)
{
    const int i = get_global_id(0);
    state mine, sum = {0, 0, {0}};
    load(variable, i, n, &mine);
    for (int side = 0; side < SIDES; side++) {
        const int other = neighbour[side * n + i];
        state s;
        if (other >= 0)
            load(variable, other, n, &s);
        else
            s = mine; /* a wall */
        add(&sum, &s, 1);
        add(&sum, &mine, -1);
    }
    out[i] = sum.density;
    out[i + n] = sum.energy;
    for (int d = 0; d < DIMENSIONS; d++)
        out[i + (2 + d) * n] = sum.momentum[d];
}

/* The same variables everywhere: nothing flows. */
__kernel void check(__global const REAL *out)
{
    EXPECT(out[get_global_id(0)] == 0);
}
