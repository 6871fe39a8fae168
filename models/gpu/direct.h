/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan's blocks as models that call each other, without SystemC. Blocks are built one by one, so that those
 * that are never needed cost nothing; a link can be joined once both of its blocks are built.
 */
#ifndef MP_GPU_DIRECT_H
#define MP_GPU_DIRECT_H

#include "gpu/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_direct {
    const struct mp_plan *plan; /* not owned */
    struct mp_wheel *wheel;
    void **model; /* of each block, or NULL until it is built */
};

/* Nothing is built yet. Returns -1 if memory runs out. */
int mp_direct_init(struct mp_direct *d, const struct mp_plan *plan, struct mp_wheel *wheel);
void mp_direct_free(struct mp_direct *d);

/* Builds a block unless that has been done. Returns -1 if memory runs out; nothing has changed then. */
int mp_direct_build(struct mp_direct *d, uint32_t block);
/* Joins both ends of a link. Another link that began at the same out link is no longer in use. */
void mp_direct_join(struct mp_direct *d, uint32_t link);
/* Builds all blocks and joins all links. Of alternatives, the last one is in use. Returns -1 if memory runs
 * out. */
int mp_direct_build_all(struct mp_direct *d);

#ifdef __cplusplus
}
#endif
#endif
