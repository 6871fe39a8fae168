// SPDX-License-Identifier: Apache-2.0
// Writes every lookup, insertion and invalidation of a TLB's array, in order, as stimuli for `mempath replay
// tlb`.
#ifndef MP_GPU_ARRAY_LOG_H
#define MP_GPU_ARRAY_LOG_H

#include <cstdio>

#include "tlb/tlb.h"

namespace mp
{

class ArrayLog
{
  public:
    // Comes between the TLB and its array, whose policy must not tell warps apart. It must live as long as
    // the TLB is used.
    ArrayLog(mp_tlb &tlb, std::FILE *out);
    ~ArrayLog();
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

} // namespace mp

#endif
