// SPDX-License-Identifier: Apache-2.0
// Writes what a TLB asks of its array, as stimuli of `mempath replay tlb`: every lookup, insertion and
// invalidation, in order.
#ifndef MP_GPU_ARRAY_LOG_H
#define MP_GPU_ARRAY_LOG_H

#include <cstdio>

#include "tlb/tlb.h"

namespace mp
{

class ArrayLog
{
  public:
    // Comes between the TLB and its array, which is not one that tells warps apart. Lives as long as the TLB
    // is used.
    ArrayLog(mp_tlb &tlb, std::FILE *out);
    ~ArrayLog();
    ArrayLog(const ArrayLog &) = delete;
    ArrayLog &operator=(const ArrayLog &) = delete;

  private:
    static const mp_tlb_policy table;
    static bool lookup(void *state, uint16_t asid, uint64_t vpn, mp_tlb_hit *hit);
    static mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, uint64_t pfn);
    static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn);
    static uint32_t invalidate_asid(void *state, uint16_t asid);
    static uint32_t invalidate_all(void *state);
    static uint64_t occupancy(const void *state, uint16_t asid);

    mp_tlb &tlb_;
    const mp_tlb_policy *policy_;
    void *state_, *own_; // the array's; what the TLB has instead: a pointer to this
    std::FILE *out_;
};

} // namespace mp

#endif
