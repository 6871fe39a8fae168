// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind star_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/star/lockstep/star_rtl.h"

#ifndef RTL_SETS
#define RTL_SETS STAR_RTL_SETS
#endif
#define STAR_ENTRY_BITS (RTL_MODE == 0 ? 864u : RTL_MODE == 1 ? 914u : 995u)

#include "rtl/lockstep/requests.hpp"

#if RTL_SETS == 1
#include "rtl/star/lockstep/star_set.hpp"
#else
#include "rtl/star/lockstep/star_whole.hpp"
#endif

namespace
{

uint32_t longest(const Star &) // a sweep through full sets takes less
{
    return 64 + 16 * STAR_RTL_SETS;
}

// ---- the ports of a request ----

void rubbish(Star &b, uint64_t random)
{
    b.top.req_op_i = random & 7;
    b.top.req_asid_i = random >> 3 & 0xff;
    b.page(random >> 11);
    b.top.req_frame_i = ~random & ((UINT64_C(1) << STAR_RTL_FRAME_W) - 1);
    // In a reset the operands' registers are enabled, and would make layouts that the policy excludes.
    b.top.policy_i = b.top.rst_ni ? random >> 5 & 3 : b.policy;
    b.top.stride_i = b.top.rst_ni ? (random >> 9) % 3 : b.stride;
}

void present(Star &b, const star_rtl_request &q)
{
    bool all = q.op == STAR_RTL_INVALIDATE_ALL;
    b.top.req_op_i = q.op & 7;
    if (RTL_MODE == 1) // other designs must ignore what they do not use
        b.top.stride_i = b.stride;
    if (RTL_MODE == 1 || b.policy == STAR_RTL_LONE)
        b.top.policy_i = b.policy;
    else if (b.top.policy_i == STAR_RTL_LONE)
        b.top.policy_i = STAR_RTL_STRIDE;
    if (!all)
        b.top.req_asid_i = q.asid & 0xff;
    if (!all && q.op != STAR_RTL_INVALIDATE_ASID)
        b.page(q.vpn);
    if (q.op == STAR_RTL_INSERT)
        b.top.req_frame_i = q.frame;
}

void read(const Star &b, star_rtl_response &r)
{
    r.action = b.top.rsp_action_o;
    r.way = b.top.rsp_way_o;
    r.base = b.top.rsp_base_o;
    r.gone = b.top.rsp_gone_o;
    r.frame = b.top.rsp_frame_o;
}

bool shows(const Star &b, const star_rtl_response &r)
{
    const auto &top = b.top;
    return top.rsp_action_o == r.action && top.rsp_way_o == r.way && top.rsp_base_o == r.base &&
           top.rsp_gone_o == r.gone && top.rsp_frame_o == r.frame;
}

void spoil(Star &b, rtl_manner &m)
{
    b.spoil(m);
}

void *open(star_rtl_policy policy, unsigned stride, uint64_t seed)
{
    auto *b = new (std::nothrow) Star("star", seed);
    if (!b)
        return nullptr;
    rtl_manner m = {seed | 1, 0};
    b->policy = policy & 3;
    b->stride = stride & 3;
    first_reset(*b, m);
    return b;
}

// ---- its visible state ----

#ifdef RTL_STATE
const uint32_t *entry(const void *rtl, uint32_t set, uint32_t way)
{
    return design_of<Star>(rtl).entry(set, way);
}

uint32_t order(const void *rtl, uint32_t set)
{
    return design_of<Star>(rtl).order(set);
}

constexpr uint32_t words = Star::words;
#else
constexpr auto entry = nullptr, order = nullptr;
constexpr uint32_t words = 0;
#endif

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const star_rtl RTL_NAME;
const star_rtl RTL_NAME = {verilated<Star>, RTL_MODE, RTL_SETS, words, rtl_timed, open,
                           request<Star>,   entry,    order};
