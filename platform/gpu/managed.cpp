// SPDX-License-Identifier: Apache-2.0
#include "gpu/managed.h"

#include <algorithm>
#include <map>

#include "gpu/tlm/hook.h"

namespace mp
{

namespace
{

// Buffers of a trace that are allocated at a time, at most.
struct Buffers {
    uint32_t ranges = 0, blocks = 0; // blocks: 2 MB of addresses that they have a part of
};

uint32_t blocks_of(const gwt_record &r)
{
    const uint64_t end = r.va + std::max<uint64_t>(r.bytes, 1) - 1;
    return static_cast<uint32_t>(end / MP_UVM_BLOCK_BYTES - r.va / MP_UVM_BLOCK_BYTES + 1);
}

Buffers count(gwt_reader *reader)
{
    Buffers now, most;
    std::map<uint64_t, uint32_t> blocks; // by id
    gwt_record r;
    mp_error err{};
    do {
        if (gwt_next(reader, &r, &err))
            throw Refused(err.text);
        if (r.kind == GWT_CTA)
            gwt_cta_release(reader, r.cta);
        if (r.kind == GWT_ALLOC)
            now.blocks += blocks[r.id] = blocks_of(r);
        if (r.kind == GWT_FREE)
            now.blocks -= blocks[r.id], blocks.erase(r.id);
        now.ranges = static_cast<uint32_t>(blocks.size());
        most = {std::max(most.ranges, now.ranges), std::max(most.blocks, now.blocks)};
    } while (r.kind != GWT_END);
    if (gwt_rewind(reader, &err))
        throw Refused(err.text);
    return most;
}

} // namespace

Managed::Managed(Kernel &kernel, const mp_config &config, mp_frames &frames,
                 const std::vector<gwt_reader *> &readers)
    : kernel_(kernel)
{
    // Ranges and blocks in addition to those counted; twice the blocks, since those of a buffer are
    // consecutive.
    constexpr uint32_t spare = 64;
    Buffers all;
    mp_paging_params p;
    mp_error err{};
    for (gwt_reader *reader : readers) {
        const Buffers own = count(reader);
        all = {all.ranges + own.ranges, all.blocks + own.blocks};
    }
    const auto tenants = static_cast<uint32_t>(readers.size());
    const auto fit = static_cast<uint32_t>(uint64_t{all.blocks} * 100 / config.uvm.oversubscription);
    mp_machine_paging(
        &config, config.uvm.chunks ? static_cast<uint32_t>(config.uvm.chunks) : std::max(fit, tenants), &p);
    p.uvm.ranges = all.ranges + spare;
    p.uvm.blocks = 2 * all.blocks + spare;
    p.self = this;
    p.failed = failed;
    if (mp_uvm_check(&p.uvm, &err))
        throw Refused(std::string("uvm.") + err.text);
    paging_.reset(mp_paging_new(kernel.wheel(MP_SPLIT_APPS), &frames, &p, &err));
    if (!paging_)
        throw Refused(std::string("the pool of managed memory, ") + std::to_string(p.uvm.chunks) +
                      " times 2 MB: " + err.text);
}

void Managed::add(const mp_app &app)
{
    for (uint32_t i = 0; i < app.p.sms; i++)
        mp_paging_add_sm(paging_.get(), app.p.sm[i]);
}

int Managed::open(mp_space &space, uint64_t va, uint64_t bytes, mp_error *err)
{
    return mp_paging_open(paging_.get(), &space, va, bytes, err);
}

bool Managed::close(const mp_space &space, uint64_t va)
{
    return mp_paging_close(paging_.get(), &space, va);
}

bool Managed::fault(mp_sm &sm, mp_req &page)
{
    return mp_paging_fault(paging_.get(), &sm, &page);
}

void Managed::failed(void *self, unsigned asid, const char *why)
{
    static_cast<Managed *>(self)->kernel_.fail("tenant " + std::to_string(asid) + ": " + why);
}

} // namespace mp
