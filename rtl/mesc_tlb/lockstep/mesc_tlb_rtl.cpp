// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind mesc_tlb_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/requests.hpp"

#include "rtl/mesc_tlb/lockstep/mesc_tlb_rtl.h"

#define ENTRIES JOIN(RTL_TOP, __DOT__u_sets__DOT__u_entries__DOT__mem)
#define ORDER   JOIN(RTL_TOP, __DOT__u_sets__DOT__u_order__DOT__mem)

namespace
{

struct Mesc : Block<RTL_DESIGN> {
    using Block::Block;
};

uint32_t longest(const Mesc &) // a sweep takes 4 clocks for each set
{
    return 64 + 16 * RTL_SETS;
}

// ---- the ports of a request ----

void rubbish(Mesc &b, uint64_t random)
{
    b.top.req_op_i = random % 6;
    b.top.req_asid_i = random >> 3 & 0xff;
    b.top.req_vpn_i = random >> 11 & ((UINT64_C(1) << MESC_TLB_VPN_W) - 1);
    b.top.req_pfn_i = ~random >> 7 & ((UINT64_C(1) << MESC_TLB_PFN_W) - 1);
    b.top.req_read_only_i = random >> 47 & 1;
    b.top.req_first_i = random >> 48 & 7;
    b.top.req_last_i = random >> 51 & 7;
}

void present(Mesc &b, const mesc_tlb_rtl_request &q)
{
    b.top.req_op_i = q.op & 7;
    if (q.op != MESC_INVALIDATE_ALL)
        b.top.req_asid_i = q.asid & 0xff;
    if (q.op < MESC_INVALIDATE_ASID)
        b.top.req_vpn_i = q.vpn;
    if (q.op == MESC_INSERT_PAGE || q.op == MESC_INSERT_SUBREGIONS) {
        b.top.req_pfn_i = q.pfn;
        b.top.req_read_only_i = q.read_only;
    }
    if (q.op == MESC_INSERT_SUBREGIONS) {
        b.top.req_first_i = q.first & 7;
        b.top.req_last_i = q.last & 7;
    }
}

void read(const Mesc &b, mesc_tlb_rtl_response &r)
{
    r.action = b.top.rsp_action_o;
    r.way = b.top.rsp_way_o;
    r.read_only = b.top.rsp_read_only_o;
    r.pfn = b.top.rsp_pfn_o;
}

bool shows(const Mesc &b, const mesc_tlb_rtl_response &r)
{
    const auto &top = b.top;
    return top.rsp_action_o == r.action && top.rsp_way_o == r.way && top.rsp_pfn_o == r.pfn &&
           top.rsp_read_only_o == r.read_only;
}

// ---- its state ----

// Sometimes another reset comes while the sets are being emptied.
void reset_again(Mesc &b, rtl_manner &m)
{
    if (!rtl_manner_rough(&m) || rtl_manner_draw(&m) >> 61)
        return;
    b.top.rst_ni = 1;
    for (uint64_t n = 1 + rtl_manner_draw(&m) % RTL_SETS; n; n--) {
        keep_busy(b, m);
        b.settle();
        must_not_respond(b);
        if (b.top.req_ready_o)
            break;
        b.edge();
    }
    b.top.clk_i = 0;
    b.top.rst_ni = 0;
    b.settle();
}

#ifdef RTL_STATE
// Format of an entry, from bit 0: frame, tag, address space, read-only, valid, type (mp_mesc_tlb_set.sv).
constexpr unsigned set_bits = __builtin_ctz(RTL_SETS), tag_bits = MESC_TLB_VPN_W - set_bits;
constexpr unsigned tag_at = MESC_TLB_PFN_W, asid_at = tag_at + tag_bits,
                   read_only_at = asid_at + MESC_TLB_ASID_W;
constexpr unsigned valid_at = read_only_at + 1, type_at = valid_at + 1;
constexpr unsigned entry_bits = valid_at + 1 + (RTL_SUB_WAYS != 0),
                   order_bits = RTL_WAYS * (RTL_WAYS - 1) / 2;
constexpr uint64_t pfn_mask = (UINT64_C(1) << MESC_TLB_PFN_W) - 1;

template <class Vector> void fill(Vector &v, unsigned bits, rtl_manner &m)
{
    if constexpr (std::is_integral_v<Vector>) {
        v = static_cast<Vector>(rtl_manner_draw(&m) & ((UINT64_C(1) << bits) - 1));
    } else {
        for (unsigned at = 0; at < bits; at += 32)
            v.data()[at / 32] = static_cast<uint32_t>(rtl_manner_draw(&m) >> 32) &
                                (bits - at < 32 ? (1u << (bits - at)) - 1 : ~0u);
    }
}

// A reset must empty the memories, so they are filled with random values before it.
void spoil(Mesc &b, rtl_manner &m)
{
    auto &root = *b.top.rootp;
    reset_again(b, m);
    for (unsigned i = 0; i < RTL_SETS * RTL_WAYS; i++)
        fill(root.ENTRIES[i], entry_bits, m);
    for (unsigned i = 0; i < RTL_SETS; i++)
        fill(root.ORDER[i], order_bits, m);
}

mesc_way way_of(const Mesc &b, uint32_t set, uint32_t number)
{
    const auto &entry = b.top.rootp->ENTRIES[set * RTL_WAYS + number];
    mesc_way w = {};
    if (!bits_of(entry, valid_at, 1))
        return w;
    uint64_t tag = bits_of(entry, tag_at, tag_bits), pfn = bits_of(entry, 0, MESC_TLB_PFN_W);
    w.subregions = RTL_SUB_WAYS != 0 && bits_of(entry, type_at, 1);
    w.asid = static_cast<uint16_t>(bits_of(entry, asid_at, MESC_TLB_ASID_W));
    w.read_only = bits_of(entry, read_only_at, 1);
    w.pages = 1;
    w.vpn = tag << set_bits | set;
    w.pfn = pfn;
    if (w.subregions) {
        uint64_t first = tag >> 6 & 7;
        w.pages = static_cast<uint16_t>(((tag >> 3 & 7) + 1) << 6);
        w.vpn = (tag >> 9 << set_bits | set) << 9 | first << 6;
        w.pfn = (pfn + (first << 6)) & pfn_mask;
        w.spare = tag & 7;
    }
    return w;
}

void state(const void *rtl, uint32_t set, mesc_set *s)
{
    const auto &b = design_of<Mesc>(rtl);
    const auto &order = b.top.rootp->ORDER[set];
    for (uint32_t i = 0; i < RTL_WAYS; i++)
        s->way[i] = way_of(b, set, i);
    for (unsigned i = 0, pair = 0; i < RTL_WAYS; i++)
        for (unsigned j = i + 1; j < RTL_WAYS; j++, pair++)
            s->way[bits_of(order, pair, 1) ? j : i]
                .rank++; // a bit is set if the lower way was used more recently
}
#else
void spoil(Mesc &b, rtl_manner &m)
{
    reset_again(b, m);
}

constexpr auto state = nullptr;
#endif

void *open(uint64_t seed)
{
    auto *b = new (std::nothrow) Mesc("mesc", seed);
    if (b)
        first_reset(*b, {seed | 1, 0});
    return b;
}

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const mesc_tlb_rtl RTL_NAME;
const mesc_tlb_rtl RTL_NAME = {verilated<Mesc>, RTL_SETS, RTL_WAYS,      RTL_SUB_WAYS,
                               rtl_timed,       open,     request<Mesc>, state};
