// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/array_log.h"

#include <cinttypes>
#include <cstdlib>
#include <new>

#include "gpu/tlm/stand_in.h"

namespace mp
{

namespace
{

ArrayLog *of(const void *state)
{
    return *static_cast<ArrayLog *const *>(state);
}

} // namespace

const mp_tlb_policy ArrayLog::table = [] {
    mp_tlb_policy t{};
    t.design.name = "log";
    t.lookup = lookup;
    t.insert = insert;
    t.invalidate_page = invalidate_page;
    t.invalidate_asid = invalidate_asid;
    t.invalidate_all = invalidate_all;
    t.occupancy = occupancy;
    return t;
}();

ArrayLog::ArrayLog(mp_tlb &tlb, const std::string &level, std::FILE *out)
    : tlb_(tlb), policy_(tlb.policy), state_(tlb.state), own_(std::malloc(sizeof(void *))), out_(out)
{
    if (policy_->asked)
        throw Refused("--observe " + level + "_array: " + level + ".policy " + policy_->design.name +
                      " needs warps, which stimuli do not have; choose another policy");
    if (!own_)
        throw std::bad_alloc();
    stand_in(own_, this);
    tlb.policy = &table;
    tlb.state = own_;
}

ArrayLog::~ArrayLog()
{
    tlb_.policy = policy_;
    tlb_.state = state_; // which the TLB frees
    std::free(own_);
}

mp_tlb_hit ArrayLog::lookup(void *state, uint16_t asid, uint64_t vpn)
{
    ArrayLog *log = of(state);
    std::fprintf(log->out_, "L %u 0x%" PRIx64 "\n", asid, vpn);
    return log->policy_->lookup(log->state_, asid, vpn);
}

mp_tlb_insertion ArrayLog::insert(void *state, uint16_t asid, uint64_t vpn, mp_translation to,
                                  mp_tlb_left *left)
{
    ArrayLog *log = of(state);
    std::fprintf(log->out_, "I %u 0x%" PRIx64 " 0x%" PRIx64 "\n", asid, vpn, to.pfn);
    return log->policy_->insert(log->state_, asid, vpn, to, left);
}

uint32_t ArrayLog::invalidate_page(void *state, uint16_t asid, uint64_t vpn, mp_tlb_left *left)
{
    ArrayLog *log = of(state);
    std::fprintf(log->out_, "V %u 0x%" PRIx64 "\n", asid, vpn);
    return log->policy_->invalidate_page(log->state_, asid, vpn, left);
}

uint32_t ArrayLog::invalidate_asid(void *state, uint16_t asid)
{
    ArrayLog *log = of(state);
    std::fprintf(log->out_, "A %u\n", asid);
    return log->policy_->invalidate_asid(log->state_, asid);
}

uint32_t ArrayLog::invalidate_all(void *state)
{
    ArrayLog *log = of(state);
    std::fputs("F\n", log->out_);
    return log->policy_->invalidate_all(log->state_);
}

uint64_t ArrayLog::occupancy(const void *state, uint16_t asid)
{
    const ArrayLog *log = of(state);
    return log->policy_->occupancy(log->state_, asid);
}

} // namespace mp
