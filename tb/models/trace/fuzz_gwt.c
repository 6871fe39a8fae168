/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a trace: it is refused, or it decodes to as many events as were counted. */
#include <stdint.h>
#include <stdlib.h>

#include "trace/gwt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t accesses, instructions;

static void decode_events(struct gwt_warp *w)
{
    struct gwt_event e;
    while (gwt_warp_next(w, &e)) {
        accesses += e.kind == GWT_ACCESS;
        instructions += e.gap;
    }
}

static void decode_steps(struct gwt_warp *w)
{
    struct gwt_step step[16];
    for (uint32_t n; (n = gwt_warp_steps(w, step, 16));)
        for (uint32_t i = 0; i < n; i++) {
            accesses += step[i].kind == GWT_ACCESS;
            instructions += step[i].gap;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gwt_reader *r;
    struct gwt_record record;
    struct mp_error err;
    accesses = instructions = 0;
    if (gwt_open_memory(&r, "fuzz", data, size, &err))
        return 0;
    gwt_follow_needs(r);
    do {
        if (gwt_next(r, &record, &err))
            abort(); /* a trace that passed the check can be read again */
        if (record.kind != GWT_CTA)
            continue;
        for (uint32_t i = record.cta->nwarps; i-- > 0;)
            (i % 2 ? decode_events : decode_steps)(record.cta->warp[i]);
        gwt_cta_release(r, record.cta);
    } while (record.kind != GWT_END);
    if (accesses != gwt_totals(r)->accesses || instructions != gwt_totals(r)->instructions)
        abort();
    gwt_close(r);
    return 0;
}
