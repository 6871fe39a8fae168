/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that are drawn from a seed. Every launch, work-group and warp can be drawn again separately, for
 * a comparison. */
#ifndef TB_RANDOM_TRACE_H
#define TB_RANDOM_TRACE_H

#include "trace/gwt.h"

struct random_shape {
    uint64_t seed;
    uint32_t kernels, max_grid, max_block, max_events;
    uint32_t warp_lanes;
};

struct random_warp {
    uint64_t state;
    uint32_t left, lanes, npcs;
    uint64_t mask;
};

uint64_t random_next(uint64_t *state);
/* Draws the launch with that index. Names and tables are static storage that the next call overwrites. */
struct gwt_kernel random_kernel(const struct random_shape *s, uint32_t kernel);
uint32_t random_ctas(const struct gwt_kernel *k);
uint32_t random_items(const struct gwt_kernel *k);
uint32_t random_warps(const struct random_shape *s, const struct gwt_kernel *k);
/* Returns the id of work-group number i in the file. All ids occur, in random order. */
uint32_t random_cta_id(const struct gwt_kernel *k, uint32_t i);
struct random_warp random_warp(const struct random_shape *s, const struct gwt_kernel *k, uint32_t kernel,
                               uint32_t cta, uint32_t warp);
/* Draws an event with its lanes' addresses in lane[] and the mode that fits them. Returns false after the
 * exit. */
bool random_event(struct random_warp *w, struct gwt_event *e);
/* Writes the whole trace. Every second launch has a time before it. */
static inline uint64_t random_time(uint32_t kernel)
{
    return 1000ull * kernel;
}
int random_write(const struct random_shape *s, const char *path, struct mp_error *err);

#endif
