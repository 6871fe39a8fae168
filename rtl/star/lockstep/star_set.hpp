// SPDX-License-Identifier: Apache-2.0
// rtl/star/mp_star_tlb_set.sv for star_rtl.cpp: one set. This file stores its row, as a memory would, and
// shows it from the clock after a request was accepted until the response is accepted; at other times the
// port is random.
#ifndef MP_RTL_STAR_SET_HPP
#define MP_RTL_STAR_SET_HPP

#include <cstring>

#include "rtl/lockstep/block.hpp"
#include "rtl/star/lockstep/star_rtl.h"

namespace // one for each design
{

struct Star : Block<RTL_DESIGN> {
    static constexpr uint32_t words = (STAR_ENTRY_BITS + 31) / 32;

    using Block::Block;

    uint8_t policy = 0, stride = 0; // of the requests

    void page(uint64_t vpn)
    {
        top.req_index_i = vpn % STAR_RTL_SUBS;
        top.req_vpb_i = vpn / STAR_RTL_SUBS & ((1u << STAR_RTL_VPB_W) - 1);
    }

    // The row is empty after a reset, as in rtl/star/mp_star_tlb.sv.
    void spoil(rtl_manner &m)
    {
        std::memset(row_, 0, sizeof row_);
        order_ = (1u << order_bits) - 1;
        hide(rtl_manner_draw(&m));
    }

    void edge()
    {
        bool takes = top.req_valid_i && top.req_ready_o, leaves = top.rsp_valid_o && top.rsp_ready_i;
        if (top.rst_ni)
            write();
        Block::edge();
        if (takes)
            show();
        else if (leaves)
            hide(0x9e3779b97f4a7c15u * clocks);
    }

    const uint32_t *entry(uint32_t, uint32_t way) const { return row_[way]; }
    uint32_t order(uint32_t) const { return order_; }

  private:
    static constexpr unsigned order_bits = STAR_RTL_WAYS * (STAR_RTL_WAYS - 1) / 2;
    static constexpr unsigned row_bits = STAR_RTL_WAYS * STAR_ENTRY_BITS;

    uint32_t row_[STAR_RTL_WAYS][words] = {};
    uint32_t order_ = 0;

    void write()
    {
        for (uint32_t way = 0; way < STAR_RTL_WAYS; way++)
            if (top.row_we_o >> way & 1)
                std::memcpy(row_[way], top.entry_o.data(), sizeof row_[way]);
        if (top.order_we_o)
            order_ = top.order_o;
    }

    void show()
    {
        uint32_t *port = top.row_i.data();
        std::memset(port, 0, (row_bits + 31) / 32 * sizeof *port);
        for (uint32_t way = 0; way < STAR_RTL_WAYS; way++)
            for (uint32_t word = 0, at = way * STAR_ENTRY_BITS; word < words; word++, at += 32) {
                uint64_t two = static_cast<uint64_t>(row_[way][word]) << at % 32;
                port[at / 32] |= static_cast<uint32_t>(two);
                if (two >> 32)
                    port[at / 32 + 1] |= static_cast<uint32_t>(two >> 32);
            }
        top.order_i = order_;
    }

    void hide(uint64_t rubbish)
    {
        uint32_t *port = top.row_i.data();
        for (unsigned word = 0; word < row_bits / 32; word++)
            port[word] ^= static_cast<uint32_t>(rubbish >> word % 32);
        top.order_i ^= rubbish & ((1u << order_bits) - 1);
    }
};

} // namespace

#endif
