/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a trace: it is refused, or it decodes to as many events as were counted. */
#include <stdint.h>
#include <stdlib.h>

#include "trace/gwt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gwt_reader *r;
    struct gwt_record record;
    struct gwt_event e;
    struct mp_error err;
    uint64_t accesses = 0, instructions = 0;
    if (gwt_open_memory(&r, "fuzz", data, size, &err))
        return 0;
    do {
        if (gwt_next(r, &record, &err))
            abort(); /* a trace that passed the check can be read again */
        if (record.kind != GWT_CTA)
            continue;
        for (uint32_t i = record.cta->nwarps; i-- > 0;)
            while (gwt_warp_next(record.cta->warp[i], &e)) {
                accesses += e.kind == GWT_ACCESS;
                instructions += e.gap;
            }
        gwt_cta_release(r, record.cta);
    } while (record.kind != GWT_END);
    if (accesses != gwt_totals(r)->accesses || instructions != gwt_totals(r)->instructions)
        abort();
    gwt_close(r);
    return 0;
}
