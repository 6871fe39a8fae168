/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neighbours of L1 TLBs in a ring: the ring of NeiDty's paper, and others as a table. TLBs have places
 * from 0 on. Neighbours are mutual: the left neighbour's right neighbour is the TLB itself, and the upper
 * neighbour's lower one.
 */
#ifndef MP_TLB_NEIGHBOUR_TOPOLOGY_H
#define MP_TLB_NEIGHBOUR_TOPOLOGY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sides of a TLB, in the order in which its neighbours are asked. */
enum mp_side { MP_SIDE_LEFT, MP_SIDE_RIGHT, MP_SIDE_UP, MP_SIDE_DOWN, MP_SIDES };

#define MP_NO_PLACE UINT32_MAX

struct mp_topology {
    const char *name;
    uint32_t least; /* TLBs */
    /* The places of the neighbours of TLB i among n; MP_NO_PLACE where there is none. */
    void (*neighbours)(uint32_t i, uint32_t n, uint32_t at[MP_SIDES]);
};

/* By the value of the parameter neighbours.topology; ends with NULL. */
#define MP_TOPOLOGIES "ring|pairs|two-rings|mesh"
extern const struct mp_topology *const mp_topologies[];

#ifdef __cplusplus
}
#endif
#endif
