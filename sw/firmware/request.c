/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <string.h>

#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "uvm.h"

static struct request_counts counts[MP_MGMT_SPACES];

void request_init(void)
{
    memset(counts, 0, sizeof counts);
}

static enum fw_error map_page(unsigned asid, uint64_t va, uint64_t bytes)
{
    struct gmmu_walk w;
    enum fw_error e = gmmu_walk(asid, va, &w);
    if (e || w.mapped || fault_is_promised(asid, va) || gmmu_is_managed(asid, va))
        return e;
    return gmmu_map(asid, va, bytes);
}

/* All pages of which the range has a part. */
static enum fw_error map(const struct gmmu_space *s, uint64_t va, uint64_t bytes)
{
    const uint64_t page = UINT64_C(1) << s->format->page_shift;
    enum fw_error e = FW_OK;
    for (uint64_t at = va & -page; !e && at < va + bytes; at += page)
        e = map_page(s->asid, at, page);
    return e;
}

/* The pages that lie in the range. They may have none, if they were not accessed. */
static enum fw_error unmap(const struct gmmu_space *s, uint64_t va, uint64_t bytes)
{
    const uint64_t page = UINT64_C(1) << s->format->page_shift;
    const uint64_t first = (va + page - 1) & -page, end = (va + bytes) & -page;
    enum fw_error e = first < end ? gmmu_unmap(s->asid, first, end - first) : FW_OK;
    return e == FW_ENOENT || (e == FW_EBUSY && gmmu_is_managed(s->asid, va))
               ? FW_OK
               : e; /* managed pages stay managed */
}

/* The managed pages of which the range has a part; the host has its own memory for others. */
static enum fw_error let_host(const struct gmmu_space *s, uint64_t va, uint64_t bytes)
{
    const uint64_t page = UINT64_C(1) << s->format->page_shift;
    enum fw_error e = FW_OK;
    for (uint64_t at = va & -page; !e && at < va + bytes; at += page)
        if (gmmu_is_managed(s->asid, at))
            e = uvm_host(s->asid, at, 1);
    return e;
}

static enum fw_error carry_out(const struct mp_mgmt_request *r)
{
    const struct gmmu_space *s = gmmu_space(r->asid);
    return !s                         ? FW_ENOENT
           : r->kind == MP_MGMT_MAP   ? map(s, r->va, r->bytes)
           : r->kind == MP_MGMT_UNMAP ? unmap(s, r->va, r->bytes)
                                      : let_host(s, r->va, r->bytes);
}

void request_service(void)
{
    static bool serving; /* while the host waits for a page, all events are served */
    struct mp_mgmt_request r;
    if (serving)
        return;
    serving = true;
    while (gpu_request(&r)) {
        const enum fw_error e = carry_out(&r);
        struct request_counts *c = &counts[r.asid];
        c->refused += e != FW_OK;
        c->mapped += !e && r.kind == MP_MGMT_MAP;
        c->unmapped += !e && r.kind == MP_MGMT_UNMAP;
        c->accessed += !e && r.kind > MP_MGMT_UNMAP;
        gpu_answer(e != FW_OK);
    }
    serving = false;
}

const struct request_counts *request_counts(unsigned asid)
{
    return &counts[asid];
}
