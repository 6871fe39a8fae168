// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind l1_tlb_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/block.hpp"

#include "rtl/l1_tlb/lockstep/l1_tlb_rtl.h"

#define REGISTER(name) rootp->JOIN(RTL_TOP, __DOT__##name)

namespace
{

struct Array : Block<RTL_DESIGN> {
    using Block::Block;
};

constexpr uint64_t page_mask = UINT64_MAX >> (64 - L1_TLB_PAGE_W);
constexpr uint64_t frame_mask = UINT64_MAX >> (64 - L1_TLB_FRAME_W);

void present(Array &b, const l1_tlb_rtl_clock &in)
{
    auto &top = b.top;
    top.lookup_i = in.use;
    top.lookup_page_i = in.lookup & page_mask;
    top.insert_i = in.change == L1_TLB_INSERT;
    top.drop_i = in.change == L1_TLB_DROP;
    top.page_i = in.page & page_mask;
    top.frame_i = in.frame & frame_mask;
    top.empty_i = in.empty;
}

// Sets the inputs that mean nothing to random values; the page of no change is often that of the lookup,
// which may have an entry.
l1_tlb_rtl_clock with_rubbish(l1_tlb_rtl_clock in, rtl_manner &m)
{
    uint64_t random = rtl_manner_draw(&m);
    if (in.change == L1_TLB_NONE)
        in.page = random >> 63 ? random : in.lookup;
    if (in.change != L1_TLB_INSERT)
        in.frame = rtl_manner_draw(&m);
    return in;
}

// Drives the ports while nothing may be taken: in a reset.
void keep_busy(Array &b, rtl_manner &m)
{
    if (!rtl_manner_rough(&m))
        return;
    uint64_t random = rtl_manner_draw(&m), page = rtl_manner_draw(&m);
    l1_tlb_change change = random >> 63 ? L1_TLB_INSERT : random >> 62 ? L1_TLB_DROP : L1_TLB_NONE;
    present(b, {rtl_manner_draw(&m), !!(random & 1), !(random & 14), change, page, rtl_manner_draw(&m)});
}

void reset(Array &b, rtl_manner m)
{
    b.top.rst_ni = 0;
    b.settle();
    for (uint64_t n = 1 + (rtl_manner_rough(&m) ? rtl_manner_draw(&m) & 3 : 0); n; n--) {
        keep_busy(b, m);
        b.settle();
        b.edge();
    }
    present(b, {});
    b.settle();
    b.top.rst_ni = 1;
}

void *open(uint64_t seed)
{
    auto *b = new (std::nothrow) Array("l1_tlb", seed);
    if (b)
        first_reset(*b, {seed | 1, 0});
    return b;
}

void clock(void *rtl, const l1_tlb_rtl_clock *in, l1_tlb_rtl_answer *answer, rtl_manner m)
{
    auto &b = design_of<Array>(rtl);
    auto &top = b.top;
    b.begin_transaction();
    bool rough = rtl_manner_rough(&m);
    for (uint64_t n = rough ? rtl_manner_draw(&m) >> 62 : 0; n; n--) { // nothing happens
        l1_tlb_rtl_clock nothing = {};
        nothing.lookup = in->lookup;
        present(b, with_rubbish(nothing, m));
        b.settle();
        b.edge();
    }
    present(b, rough ? with_rubbish(*in, m) : *in);
    b.settle();
    *answer = {!!top.hit_o,
               !!top.evicted_o,
               top.hit_o ? static_cast<uint64_t>(top.frame_o) : 0,
               top.evicted_o ? static_cast<uint64_t>(top.evicted_page_o) : 0,
               m.reset != 0,
               nullptr};
    if (m.reset)
        reset(b, m);
    else
        b.edge();
    answer->wrong = b.wrong;
}

#ifdef RTL_STATE
// Whether entry i was used after entry j (mp_lru_order.sv).
bool is_after(const Array &b, unsigned i, unsigned j)
{
    unsigned low = i < j ? i : j, high = i < j ? j : i;
    unsigned pair = low * (2 * RTL_ENTRIES - low - 1) / 2 + high - low - 1;
    return bits_of(b.top.REGISTER(order_q), pair, 1) == (i < j);
}

void state(const void *rtl, l1_tlb_state *s)
{
    const auto &b = design_of<Array>(rtl);
    for (unsigned i = 0; i < RTL_ENTRIES; i++)
        s->entry[i] = {};
    for (unsigned i = 0; i < RTL_ENTRIES; i++) {
        if (!bits_of(b.top.REGISTER(valid_q), i, 1))
            continue;
        unsigned newer = 0;
        for (unsigned j = 0; j < RTL_ENTRIES; j++)
            newer += j != i && is_after(b, j, i);
        s->entry[newer] = {true, bits_of(b.top.REGISTER(page_q), i * L1_TLB_PAGE_W, L1_TLB_PAGE_W),
                           bits_of(b.top.REGISTER(frame_q), i * L1_TLB_FRAME_W, L1_TLB_FRAME_W)};
    }
}
#else
constexpr auto state = nullptr;
#endif

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const l1_tlb_rtl RTL_NAME;
const l1_tlb_rtl RTL_NAME = {verilated<Array>, RTL_ENTRIES, open, clock, state};
