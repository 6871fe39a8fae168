// SPDX-License-Identifier: Apache-2.0
#include "gpu/managed.h"

#include "gpu/tlm/hook.h"

namespace mp
{

Managed::Managed(Kernel &kernel, const mp_config &config, mp_frames &frames, const Ways &ways,
                 const std::vector<gwt_reader *> &readers)
    : kernel_(kernel)
{
    mp_paging_buffers all{};
    mp_paging_params p;
    mp_error err{};
    for (gwt_reader *reader : readers)
        if (mp_paging_add_buffers(&all, reader, &err))
            throw Refused(err.text);
    mp_machine_paging(&config, &all, static_cast<uint32_t>(readers.size()), &p);
    p.link = ways.link;
    p.copies = ways.copies;
    p.self = this;
    p.failed = failed;
    if (mp_uvm_check(&p.uvm, &err))
        throw Refused(std::string("uvm.") + err.text);
    if (p.ahead >= p.uvm.chunks)
        throw Refused("uvm.ahead = " + std::to_string(p.ahead) + " of " + std::to_string(p.uvm.chunks) +
                      " times 2 MB of managed memory; less");
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
