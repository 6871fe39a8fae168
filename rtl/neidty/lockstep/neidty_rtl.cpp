// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind neidty_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/block.hpp"

#include "rtl/neidty/lockstep/neidty_rtl.h"
#include "tlb/neighbour/directory.h"

#define REGISTER(name) rootp->JOIN(RTL_TOP, __DOT__##name)

namespace
{

struct Directory : Block<RTL_DESIGN> {
    using Block::Block;
};

bool valid(uint64_t page)
{
    return page & NEIDTY_RTL_VALID;
}

void present(Directory &b, const neidty_rtl_clock &in)
{
    auto &top = b.top;
    top.lookup_page_i = in.lookup & NEIDTY_RTL_PAGE;
    top.own_evicted_i = valid(in.evicted[NEIDTY_OWN]);
    top.own_evicted_page_i = in.evicted[NEIDTY_OWN] & NEIDTY_RTL_PAGE;
    top.own_inserted_i = valid(in.inserted[NEIDTY_OWN]);
    top.own_inserted_page_i = in.inserted[NEIDTY_OWN] & NEIDTY_RTL_PAGE;
    top.left_evicted_i = valid(in.evicted[NEIDTY_LEFT]);
    top.left_evicted_page_i = in.evicted[NEIDTY_LEFT] & NEIDTY_RTL_PAGE;
    top.left_inserted_i = valid(in.inserted[NEIDTY_LEFT]);
    top.left_inserted_page_i = in.inserted[NEIDTY_LEFT] & NEIDTY_RTL_PAGE;
    top.left_local_i = !!(in.inserted[NEIDTY_LEFT] & NEIDTY_RTL_LOCAL);
    top.right_evicted_i = valid(in.evicted[NEIDTY_RIGHT]);
    top.right_evicted_page_i = in.evicted[NEIDTY_RIGHT] & NEIDTY_RTL_PAGE;
    top.right_inserted_i = valid(in.inserted[NEIDTY_RIGHT]);
    top.right_inserted_page_i = in.inserted[NEIDTY_RIGHT] & NEIDTY_RTL_PAGE;
    top.right_local_i = !!(in.inserted[NEIDTY_RIGHT] & NEIDTY_RTL_LOCAL);
    top.empty_i = in.empty;
}

uint64_t rubbish(uint64_t lookup, rtl_manner &m)
{
    uint64_t random = rtl_manner_draw(&m);
    return (random >> 62 & 1 ? random : lookup) & ~NEIDTY_RTL_VALID;
}

// Sets the pages of inputs that are not valid to random values, half of them to that of the lookup, which may
// have an entry.
neidty_rtl_clock with_rubbish(neidty_rtl_clock in, rtl_manner &m)
{
    for (unsigned side = NEIDTY_OWN; side < NEIDTY_SIDES; side++) {
        if (!valid(in.evicted[side]))
            in.evicted[side] = rubbish(in.lookup, m);
        if (!valid(in.inserted[side]))
            in.inserted[side] = rubbish(in.lookup, m);
    }
    return in;
}

// Drives the ports while nothing may be taken: in a reset.
void keep_busy(Directory &b, rtl_manner &m)
{
    neidty_rtl_clock in = {};
    if (!rtl_manner_rough(&m))
        return;
    for (unsigned side = NEIDTY_OWN; side < NEIDTY_SIDES; side++) {
        in.evicted[side] = rtl_manner_draw(&m);
        in.inserted[side] = rtl_manner_draw(&m);
    }
    present(b, in);
}

void reset(Directory &b, rtl_manner m)
{
    b.top.rst_ni = 0;
    b.settle();
    for (uint64_t n = rtl_manner_rough(&m) ? rtl_manner_draw(&m) & 3 : 1; n; n--) {
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
    auto *b = new (std::nothrow) Directory("neidty", seed);
    if (b)
        first_reset(*b, {seed | 1, 0});
    return b;
}

void clock(void *rtl, const neidty_rtl_clock *in, neidty_rtl_answer *answer, rtl_manner m)
{
    auto &b = design_of<Directory>(rtl);
    b.begin_transaction();
    bool rough = rtl_manner_rough(&m);
    for (uint64_t n = rough ? rtl_manner_draw(&m) >> 62 : 0; n; n--) { // nothing happens
        present(b, with_rubbish({}, m));
        b.settle();
        b.edge();
    }
    neidty_rtl_clock now = *in;
    if (in->drop)
        now.evicted[NEIDTY_RIGHT] = now.evicted[NEIDTY_LEFT];
    present(b, rough ? with_rubbish(now, m) : now);
    b.settle();
    *answer = {!!b.top.ask_left_o, !!b.top.ask_right_o, m.reset != 0, nullptr};
    if (m.reset)
        reset(b, m);
    else
        b.edge();
    answer->wrong = b.wrong;
}

#ifdef RTL_STATE
void state(const void *rtl, neidty_state *s)
{
    const auto &top = design_of<Directory>(rtl).top;
    for (unsigned i = 0; i < RTL_ENTRIES; i++) {
        unsigned left = bits_of(top.REGISTER(left_q), i, 1) ? MP_DIRECTORY_LEFT : 0;
        unsigned local = bits_of(top.REGISTER(local_q), i, 1) ? MP_DIRECTORY_LOCAL : 0;
        unsigned right = bits_of(top.REGISTER(right_q), i, 1) ? MP_DIRECTORY_RIGHT : 0;
        bool free = !(left | right);
        s->bits[i] = static_cast<uint8_t>(free ? 0 : left | local | right);
        s->tag[i] = free ? 0 : bits_of(top.REGISTER(tag_q), i * RTL_TAG_W, RTL_TAG_W);
    }
}
#else
constexpr auto state = nullptr;
#endif

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const neidty_rtl RTL_NAME;
const neidty_rtl RTL_NAME = {verilated<Directory>, RTL_ENTRIES, RTL_TAG_W, open, clock, state};
