// SPDX-License-Identifier: Apache-2.0
// Writes every lookup, insertion and invalidation of a TLB's array, in order, as stimuli for `mempath replay
// tlb`.
#ifndef MP_GPU_ARRAY_LOG_H
#define MP_GPU_ARRAY_LOG_H

#include <cstdio>

#include "gpu/tlm/hook.h"

namespace mp
{

class ArrayLog : public Attachment
{
  public:
    // Puts itself between the TLB and its array. Refuses policies that depend on warps. Must go before the
    // TLB.
    ArrayLog(mp_tlb &tlb, const std::string &level, std::FILE *out);
    ~ArrayLog() override;
    ArrayLog(const ArrayLog &) = delete;
    ArrayLog &operator=(const ArrayLog &) = delete;

  private:
    static const mp_tlb_policy table;
    static mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn);
    static mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, mp_translation to,
                                   mp_tlb_left *left);
    static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn, mp_tlb_left *left);
    static uint32_t invalidate_asid(void *state, uint16_t asid);
    static uint32_t invalidate_all(void *state);
    static uint64_t occupancy(const void *state, uint16_t asid);

    mp_tlb &tlb_;
    const mp_tlb_policy *policy_;
    void *state_, *own_; // the array's state; the TLB's instead, which is a pointer to this object
    std::FILE *out_;
};

// Attaches a log to each TLB whose path matches.
class ArrayLogHook : public Hook
{
  public:
    ArrayLogHook(std::string pattern, std::FILE *out) : Hook(std::move(pattern)), out_(out) {}
    std::unique_ptr<Attachment> attach(const Site &site, void *model) override
    {
        return std::make_unique<ArrayLog>(*static_cast<mp_tlb *>(model), site.block().level, out_);
    }

  private:
    std::FILE *out_;
};

} // namespace mp

#endif
