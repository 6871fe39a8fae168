// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind toy_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/block.hpp"

#include "rtl/toy/lockstep/toy_rtl.h"

#define REGISTER(name) rootp->JOIN(RTL_TOP, __DOT__##name)

namespace
{

struct List : Block<RTL_DESIGN> {
    using Block::Block;
};

void present(List &b, const toy_rtl_clock &in)
{
    b.top.take_i = in.take;
    b.top.give_i = in.give;
    b.top.given_i = in.given % toy_numbers(RTL_ENTRIES);
}

// Drives the ports while nothing may be taken: in a reset.
void keep_busy(List &b, rtl_manner &m)
{
    if (!rtl_manner_rough(&m))
        return;
    uint64_t random = rtl_manner_draw(&m);
    present(b, {!!(random >> 63), !!(random >> 62 & 1), static_cast<uint32_t>(random)});
}

void reset(List &b, rtl_manner m)
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
    auto *b = new (std::nothrow) List("toy", seed);
    if (b)
        first_reset(*b, {seed | 1, 0});
    return b;
}

// A number that is not given back means nothing, so it is random if the ports are driven roughly.
void clock(void *rtl, const toy_rtl_clock *in, toy_rtl_answer *answer, rtl_manner m)
{
    auto &b = design_of<List>(rtl);
    toy_rtl_clock clock = *in;
    b.begin_transaction();
    if (!in->give && rtl_manner_rough(&m))
        clock.given = static_cast<uint32_t>(rtl_manner_draw(&m));
    present(b, clock);
    b.settle();
    *answer = {b.top.entry_o, b.top.used_o, !!b.top.full_o, !!b.top.empty_o, m.reset != 0, nullptr};
    if (m.reset)
        reset(b, m);
    else
        b.edge();
    answer->wrong = b.wrong;
}

#ifdef RTL_STATE
void state(const void *rtl, toy_state *s)
{
    const auto &b = design_of<List>(rtl);
    s->busy = bits_of(b.top.REGISTER(busy_q), 0, RTL_ENTRIES);
    s->used = b.top.REGISTER(used_q);
}
#else
constexpr auto state = nullptr;
#endif

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const toy_rtl RTL_NAME;
const toy_rtl RTL_NAME = {verilated<List>, RTL_ENTRIES, open, clock, state};
