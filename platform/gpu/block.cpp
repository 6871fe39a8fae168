// SPDX-License-Identifier: Apache-2.0
#include "gpu/block.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace mp
{

namespace
{

unsigned debug_translate(const Backdoor &b, tlm::tlm_generic_payload &p, const Attributes *a)
{
    uint64_t pa = 0;
    uint16_t asid = a ? a->asid : 0;
    if (p.get_data_length() < 8 || asid >= b.spaces->size() ||
        !mp_page_table_find(&(*b.spaces)[asid].table, p.get_address(), &pa))
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

LinkKind link_kind(mp_link_kind kind)
{
    return kind == MP_LINK_TRANSLATION ? LinkKind::translation : LinkKind::memory;
}

void *new_model(Kernel &kernel, const mp_plan_block &block, const void *params)
{
    void *model = mp_block_new(block.kind, kernel.wheel(), params);
    if (!model)
        throw std::bad_alloc();
    return model;
}

} // namespace

std::string module_name(const std::string &path)
{
    std::string name = path.substr(path.find('.') + 1);
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

Block::Block(Fabric &f, const sc_core::sc_module_name &name, const mp_plan &plan, uint32_t number,
             const void *params)
    : sc_module(name), kind(*plan.block[number].kind), model(new_model(f.kernel, plan.block[number], params))
{
    const mp_plan_block &block = plan.block[number];
    // An address space has a number below that of the tenants.
    const Senders senders{block.tenants, f.machine.tenants,
                          f.machine.slices * mp_machine_slice_sms(&f.machine), f.machine.sm.warps};
    for (unsigned i = 0; i < block.ins; i++)
        add_in(f, senders, i);
    reached_.resize(block.links);
    for (unsigned i = 0; i < block.links; i++)
        add_out(f, plan.link[block.first_link + i]);
}

Block::~Block()
{
    mp_block_delete(&kind, model);
}

void Block::add_in(Fabric &f, const Senders &senders, unsigned port)
{
    Backdoor b = f.backdoor;
    LinkKind of = link_kind(kind.in);
    in.push_back(std::make_unique<TargetPort>(
        f.kernel, ("in" + std::to_string(port)).c_str(), of, kind.target(model, port), kind.up(model, port),
        [b, of](tlm::tlm_generic_payload &p, const Attributes *a) {
            return of == LinkKind::translation ? debug_translate(b, p, a) : debug_memory(b, p);
        },
        senders));
}

void Block::add_out(Fabric &f, const mp_plan_link &link)
{
    unsigned number = static_cast<unsigned>(out.size());
    mp_block_route(&kind, model, link.tenants, link.out);
    links_.push_back(&link);
    out.push_back(std::make_unique<InitiatorPort>(
        f.kernel, f.payloads, ("out" + std::to_string(number)).c_str(), link_kind(link.kind),
        kind.initiator(model, link.out),
        [this, number](mp_target target) {
            reached_[number] = target;
            use(number);
        },
        f.machine.line_bytes));
}

void Block::connect(bool force_tlm)
{
    for (auto &port : out)
        port->connect(force_tlm);
}

void Block::use(uint32_t link)
{
    kind.join(model, links_[link]->out, reached_[link]);
}

} // namespace mp
