// SPDX-License-Identifier: Apache-2.0
// rtl/star/mp_star_tlb.sv for star_rtl.cpp: the whole TLB, with its own memories.
#ifndef MP_RTL_STAR_WHOLE_HPP
#define MP_RTL_STAR_WHOLE_HPP

#include "rtl/lockstep/block.hpp"
#include "rtl/star/lockstep/star_rtl.h"

#define ENTRIES JOIN(RTL_TOP, __DOT__u_sets__DOT__u_entries__DOT__mem)
#define ORDER   JOIN(RTL_TOP, __DOT__u_sets__DOT__u_order__DOT__mem)

namespace // one for each design
{

struct Star : Block<RTL_DESIGN> {
    using Block::Block;

    uint8_t policy = 0, stride = 0; // of the requests

    void page(uint64_t vpn) { top.req_vpn_i = vpn & ((UINT64_C(1) << STAR_RTL_VPN_W) - 1); }

    // A reset must empty the memories, so they are filled with random values before it.
    void spoil([[maybe_unused]] rtl_manner &m)
    {
#ifdef RTL_STATE
        auto &root = *top.rootp;
        for (uint32_t i = 0; i < RTL_SETS * STAR_RTL_WAYS; i++)
            for (unsigned word = 0; word < STAR_ENTRY_BITS / 32; word++)
                root.ENTRIES[i].data()[word] = static_cast<uint32_t>(rtl_manner_draw(&m) >> 32);
        for (uint32_t i = 0; i < RTL_SETS; i++)
            root.ORDER[i] = rtl_manner_draw(&m) >> 36;
#endif
    }

#ifdef RTL_STATE
    const uint32_t *entry(uint32_t set, uint32_t way) const
    {
        return top.rootp->ENTRIES[set * STAR_RTL_WAYS + way].data();
    }

    uint32_t order(uint32_t set) const
    {
        return top.rootp->ORDER[set];
    }

    static constexpr uint32_t words =
        sizeof(JOIN(RTL_DESIGN, ___024root)::ENTRIES) / sizeof(uint32_t) / RTL_SETS / STAR_RTL_WAYS;
#endif
};

} // namespace

#endif
