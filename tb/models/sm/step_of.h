/* SPDX-License-Identifier: Apache-2.0 */
/* An event with the addresses of its lanes as the SM's step, without a trace. */
#ifndef MP_TB_SM_STEP_OF_H
#define MP_TB_SM_STEP_OF_H

#include "trace/gwt_format.h"

/* `bytes` holds the lanes of a scattered access as long as the step is used. */
static inline struct gwt_step step_of(const struct gwt_event *e, uint8_t bytes[GWT_EVENT_MAX])
{
    struct gwt_step s = {.base = e->base,
                         .stride = e->stride,
                         .gap = e->gap,
                         .bytes = (uint16_t)e->bytes,
                         .active = e->active,
                         .kind = e->kind & 3u,
                         .op = e->op & 3u,
                         .mode = e->mode & 3u};
    if (e->kind != GWT_ACCESS || e->mode != GWT_SCATTER)
        return s;
    uint8_t *p = bytes;
    for (uint32_t i = 1; i < e->active; i++)
        p = gwt_put_varint(p, gwt_zigzag((int64_t)(e->lane[i] - e->lane[i - 1])));
    s.base = e->lane[0];
    s.deltas = bytes;
    return s;
}

#endif
