/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void recording_begin(struct recording *r)
{
    struct mp_error err;
    memset(r, 0, sizeof *r);
    strcpy(r->path, "/tmp/recordingXXXXXX.gwt");
    const int fd = mkstemps(r->path, 4);
    assert_true(fd >= 0);
    close(fd);
    if (device_open(&r->device, "test", &mp_module_recorder_test, r->path, PROGRESS_NONE, &err))
        fail_msg("%s", err.text);
}

void recording_read(struct recording *r)
{
    struct mp_error err;
    if (device_close(r->device, &err) || gwt_open(&r->reader, r->path, &err))
        fail_msg("%s", err.text);
    do {
        if (gwt_next(r->reader, &r->kernel, &err))
            fail_msg("%s", err.text);
        assert_int_not_equal(r->kernel.kind, GWT_END);
    } while (r->kernel.kind != GWT_KERNEL);
}

struct gwt_cta *recording_group(struct recording *r)
{
    struct mp_error err;
    struct gwt_record next;
    if (r->cta)
        gwt_cta_release(r->reader, r->cta);
    if (gwt_next(r->reader, &next, &err))
        fail_msg("%s", err.text);
    return r->cta = next.kind == GWT_CTA ? next.cta : NULL;
}

void recording_end(struct recording *r)
{
    if (r->cta)
        gwt_cta_release(r->reader, r->cta);
    gwt_close(r->reader);
    unlink(r->path);
}

void expect_access(struct gwt_warp *w, const struct recording *r, unsigned line, enum gwt_op op,
                   uint64_t mask, unsigned gap, uint64_t base, int64_t stride)
{
    struct gwt_event e;
    assert_true(gwt_warp_next(w, &e));
    assert_int_equal(e.kind, GWT_ACCESS);
    assert_int_equal(r->kernel.kernel->pcs[e.pc].line, line);
    assert_int_equal(r->kernel.kernel->pcs[e.pc].kind, "LSC"[op]);
    assert_int_equal(e.op, op);
    assert_int_equal(e.mask, mask);
    assert_int_equal(e.gap, gap);
    assert_int_equal(e.base, base);
    for (unsigned i = 0; i < e.active; i++)
        assert_int_equal(e.mode == GWT_SCATTER ? (int64_t)(e.lane[i] - base) : e.stride * i, stride * i);
}

void expect_mark(struct gwt_warp *w, enum gwt_event_kind kind, unsigned gap)
{
    struct gwt_event e;
    assert_true(gwt_warp_next(w, &e));
    assert_int_equal(e.kind, kind);
    assert_int_equal(e.gap, gap);
}
