// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/block.h"

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
    if (p.get_data_length() < 8 || asid >= b.tables->size() ||
        !mp_page_table_find((*b.tables)[asid], p.get_address(), &pa))
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

void *new_model(mp_wheel *wheel, const mp_plan_block &block, const void *params)
{
    void *model = mp_block_new(block.kind, wheel, params);
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
    : sc_module(name), kind(*plan.block[number].kind),
      model(new_model(f.wheel(number), plan.block[number], params))
{
    const mp_plan_block &block = plan.block[number];
    // An address space has a number below that of the tenants.
    const Senders senders{block.hears, f.machine.tenants, mp_machine_sms(&f.machine), f.machine.sm.warps};
    for (unsigned i = 0; i < block.ins; i++)
        add_in(f, number, senders, i);
    reached_.resize(block.links);
    for (unsigned i = 0; i < block.links; i++)
        add_out(f, plan, block.first_link + i);
}

Block::~Block()
{
    mp_block_delete(&kind, model);
}

void Block::add_in(Fabric &f, uint32_t number, const Senders &senders, unsigned port)
{
    Backdoor b = f.backdoor;
    LinkKind of = link_kind(kind.in);
    bool virtual_addresses = kind.in_virtual;
    in.push_back(std::make_unique<TargetPort>(
        f.kernel, ("in" + std::to_string(port)).c_str(), of, kind.target(model, port), kind.up(model, port),
        [b, of, virtual_addresses](tlm::tlm_generic_payload &p, const Attributes *a) {
            return of == LinkKind::translation ? debug_translate(b, p, a)
                   : virtual_addresses         ? 0
                                               : debug_memory(b, p);
        },
        senders, f.split.group[number]));
}

void Block::FreeCross::operator()(mp_cross *c) const
{
    mp_cross_free(c);
    delete c;
}

// Of a link to another group; nullptr inside a group.
mp_cross *Block::cross(Fabric &f, const mp_plan &plan, uint32_t number)
{
    const mp_plan_link &link = plan.link[number];
    uint32_t from = f.split.group[link.from], to = f.split.group[link.to];
    if (from == to)
        return nullptr;
    crosses_.emplace_back(new mp_cross);
    mp_cross_init(crosses_.back().get(), f.kernel.groups(), from, to, mp_split_order_of_link(&plan, number),
                  kind.initiator(model, link.out));
    return crosses_.back().get();
}

void Block::add_out(Fabric &f, const mp_plan &plan, uint32_t link_number)
{
    const mp_plan_link &link = plan.link[link_number];
    unsigned number = static_cast<unsigned>(out.size());
    mp_cross *between = cross(f, plan, link_number);
    mp_block_route(&kind, model, link.tenants, link.out);
    links_.push_back(&link);
    pools.push_back(std::make_unique<PayloadPool>());
    out.push_back(std::make_unique<InitiatorPort>(
        f.kernel, *pools.back(), ("out" + std::to_string(number)).c_str(), link_kind(link.kind),
        between ? mp_cross_initiator(between) : kind.initiator(model, link.out),
        [this, number, between](mp_target target) {
            if (between)
                mp_cross_join(between, target);
            reached_[number] = between ? mp_cross_target(between) : target;
            use(number);
        },
        f.machine.line_bytes, f.split.group[link.to]));
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
