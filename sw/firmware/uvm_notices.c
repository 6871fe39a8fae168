/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_notices.h"

#include "gpu.h"
#include "uvm_space.h"
#include "uvm_trace.h"

/* The big pages of an aligned 2 MB of which the range has a part, a bit each. */
static uint32_t bigs_of(const struct uvm_range *r, uint64_t block)
{
    const uint64_t end = r->va + r->bytes, first = r->va > block ? r->va - block : 0,
                   last = (end - block < UVM_BLOCK_BYTES ? end - block : UVM_BLOCK_BYTES) - 1;
    return UINT32_MAX << first / MP_UVM_BIG_BYTES & UINT32_MAX >> (31 - last / MP_UVM_BIG_BYTES);
}

/* The GPU knows no ranges: those in one 2 MB share its counter. */
static void count(struct mp_uvm *library, uint64_t at, const struct mp_gpu_notice_entry *n)
{
    const unsigned asid = n->info & 0xff;
    const uint64_t block = n->va & -(uint64_t)UVM_BLOCK_BYTES;
    const uint32_t met = (uint32_t)n->met, accesses = n->met >> MP_GPU_NOTICE_COUNT_LOW & 0xffff;
    const struct uvm_range *r;
    for (unsigned i = 0; (r = uvm_range(i)); i++) {
        if (r->asid != asid || r->va >= block + UVM_BLOCK_BYTES || r->va + r->bytes <= block)
            continue;
        const uint64_t va = r->va > block ? r->va : block;
        const uint32_t bigs = met & bigs_of(r, block);
        const struct mp_uvm_hit hit = mp_uvm_counted(library, (uint8_t)asid, va, bigs, accesses);
        uvm_trace_count(at, asid, va, bigs, accesses, &hit);
    }
}

unsigned uvm_notices_take(struct ring *r, struct mp_uvm *library, uint64_t at)
{
    struct mp_gpu_notice_entry n;
    const uint64_t lost = r->lost;
    unsigned taken = 0;
    for (; ring_take(r, true, &n); taken++) {
        gpu_clear_remote(n.info & 0xff, n.va);
        count(library, at, &n);
    }
    ring_release(r);
    for (unsigned a = 0; r->lost != lost && a < MP_MGMT_SPACES; a++)
        gpu_clear_all_remote(a); /* a counter gives no other notice until then */
    return taken;
}

void uvm_notices_forget(unsigned asid, uint64_t va, uint64_t bytes, uint32_t granule_bytes)
{
    for (uint64_t at = va & -(uint64_t)granule_bytes; at < va + bytes; at += granule_bytes)
        gpu_clear_remote(asid, at);
}
