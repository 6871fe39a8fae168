// SPDX-License-Identifier: Apache-2.0
#include "gpu/blocks.h"

#include <cstring>
#include <new>

namespace mp
{

namespace
{

void check(int status)
{
    if (status)
        throw std::bad_alloc();
}

unsigned debug_translate(const Backdoor &b, tlm::tlm_generic_payload &p, const Attributes *a)
{
    uint64_t pa = 0;
    uint16_t asid = a ? a->request.asid : 0;
    if (p.get_data_length() < 8 || asid >= b.tables->size() ||
        !mp_page_table_find(&(*b.tables)[asid], p.get_address(), &pa))
        return 0;
    std::memcpy(p.get_data_ptr(), &pa, 8);
    return 8;
}

unsigned debug_memory(const Backdoor &b, tlm::tlm_generic_payload &p)
{
    if (p.is_write() && mp_physmem_write(b.memory, p.get_address(), p.get_data_ptr(), p.get_data_length()))
        return 0;
    if (p.is_read())
        mp_physmem_read(b.memory, p.get_address(), p.get_data_ptr(), p.get_data_length());
    return p.get_data_length();
}

using Debug = std::function<unsigned(tlm::tlm_generic_payload &, const Attributes *)>;

void add_in(Block &block, Fabric &f, LinkKind kind, mp_target model, mp_initiator *up)
{
    Backdoor b = f.backdoor;
    Debug debug = [b, kind](tlm::tlm_generic_payload &p, const Attributes *a) {
        return kind == LinkKind::translation ? debug_translate(b, p, a) : debug_memory(b, p);
    };
    std::string name = "in" + std::to_string(block.in.size());
    block.in.push_back(
        std::make_unique<TargetPort>(f.kernel, name.c_str(), kind, model, up, std::move(debug)));
}

void add_out(Block &block, Fabric &f, LinkKind kind, const mp_initiator &model,
             std::function<void(mp_target)> install)
{
    std::string name = "out" + std::to_string(block.out.size());
    block.out.push_back(std::make_unique<InitiatorPort>(f.kernel, f.payloads, name.c_str(), kind, model,
                                                        std::move(install), f.line_bytes));
}

} // namespace

SmBlock::SmBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_sm_params &params) : Block(name)
{
    check(mp_sm_init(&model, f.kernel.wheel(), &params));
    add_out(*this, f, LinkKind::translation, {mp_sm_translated, mp_sm_translate_resume, &model, 0},
            [this](mp_target t) { mp_sm_join(&model, MP_SM_TRANSLATE, t); });
    add_out(*this, f, LinkKind::memory, {mp_sm_loaded, mp_sm_data_resume, &model, 0},
            [this](mp_target t) { mp_sm_join(&model, MP_SM_DATA, t); });
}

TlbBlock::TlbBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_tlb_params &params,
                   const std::vector<uint32_t> &link_of_tenant)
    : Block(name)
{
    check(mp_tlb_init(&model, f.kernel.wheel(), &params));
    for (unsigned i = 0; i < params.ports; i++)
        add_in(*this, f, LinkKind::translation, {mp_tlb_request, &model, i}, &model.ports.up[i]);
    unsigned links = 0;
    for (size_t t = 0; t < link_of_tenant.size(); t++) {
        model.next_of[t] = link_of_tenant[t];
        links = std::max(links, link_of_tenant[t] + 1);
    }
    for (unsigned i = 0; i < links; i++)
        add_out(*this, f, LinkKind::translation, {mp_tlb_response, mp_tlb_resume, &model, i},
                [this, i](mp_target t) { mp_tlb_join(&model, i, t); });
}

WalkBlock::WalkBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_walk_params &params)
    : Block(name)
{
    check(mp_walk_init(&model, f.kernel.wheel(), &params));
    for (unsigned i = 0; i < params.ports; i++)
        add_in(*this, f, LinkKind::translation, {mp_walk_request, &model, i}, &model.ports.up[i]);
    if (!params.level_latency)
        add_out(*this, f, LinkKind::memory, {mp_walk_response, mp_walk_resume, &model, 0},
                [this](mp_target t) { mp_walk_join(&model, t); });
}

CacheBlock::CacheBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_cache_params &params)
    : Block(name)
{
    check(mp_cache_init(&model, f.kernel.wheel(), &params));
    for (unsigned i = 0; i < params.ports; i++)
        add_in(*this, f, LinkKind::memory, {mp_cache_request, &model, i}, &model.up[i]);
    for (unsigned i = 0; i < params.links; i++)
        add_out(*this, f, LinkKind::memory, {mp_cache_response, mp_cache_resume, &model, i},
                [this, i](mp_target t) { mp_cache_join(&model, i, t); });
}

DramBlock::DramBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_dram_params &params)
    : Block(name)
{
    check(mp_dram_init(&model, f.kernel.wheel(), &params));
    for (unsigned i = 0; i < params.channels; i++)
        add_in(*this, f, LinkKind::memory, {mp_dram_request, &model, i}, &model.up[i]);
}

} // namespace mp
