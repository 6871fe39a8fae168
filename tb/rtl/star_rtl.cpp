// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind star_rtl.h. Compiled once for each design: STAR_DESIGN is its Verilated class,
// STAR_MODE its mode, STAR_SETS its sets (1: it is a star_tlb_set), STAR_NAME the structure's name;
// RTL_MUTANTS if it carries mutants (mutate.cmake), RTL_WAVES if it can write waves. For a foreign design,
// STAR_TOP is its module, and STAR_STATE is defined if it stores entries and order where rtl/ does.
#include <new>

#define STAR_ENTRY_BITS (STAR_MODE == 0 ? 864u : STAR_MODE == 1 ? 914u : 995u)

#include "rtl/block.hpp"
#define DESIGN_HEADER  TEXT(STAR_DESIGN.h)
#define DESIGN_MEMBERS TEXT(JOIN(STAR_DESIGN, ___024root.h))
#include DESIGN_HEADER
#include DESIGN_MEMBERS

#if STAR_SETS == 1
#include "rtl/star_set.hpp"
#else
#include "rtl/star_whole.hpp"
#endif

namespace
{

constexpr uint32_t longest = 64 + 16 * STAR_RTL_SETS; // clocks; a sweep through full sets takes less

// ---- the ports of a request ----

void rubbish(Star &b, uint64_t random)
{
    b.top.req_op_i = random & 7;
    b.top.req_asid_i = random >> 3 & 0xff;
    b.page(random >> 11);
    b.top.req_frame_i = ~random & ((UINT64_C(1) << STAR_RTL_FRAME_W) - 1);
}

// Fields that a request does not need are random, too.
void present(Star &b, const star_rtl_request &q, rtl_manner &m)
{
    bool all = q.op == STAR_RTL_INVALIDATE_ALL;
    rubbish(b, rtl_manner_rough(&m) ? rtl_manner_draw(&m) : 0);
    b.top.req_valid_i = 1;
    b.top.req_op_i = q.op & 7;
    if (!all)
        b.top.req_asid_i = q.asid & 0xff;
    if (!all && q.op != STAR_RTL_INVALIDATE_ASID)
        b.page(q.vpn);
    if (q.op == STAR_RTL_INSERT)
        b.top.req_frame_i = q.frame;
}

// Drives the ports while no request may be accepted. Calm: the port is quiet.
void keep_busy(Star &b, rtl_manner &m)
{
    if (!rtl_manner_rough(&m))
        return;
    uint64_t random = rtl_manner_draw(&m);
    rubbish(b, random);
    b.top.req_valid_i = random >> 62 & 1;
    b.top.rsp_ready_i = random >> 63;
}

void must_not_take(Star &b)
{
    if (b.top.req_valid_i && b.top.req_ready_o)
        b.breaks("it takes a request while it is busy with another");
}

void must_not_respond(Star &b)
{
    if (b.top.rsp_valid_o)
        b.breaks("it responds although nothing was requested");
}

// ---- reset ----

void reset(Star &b, rtl_manner m)
{
    auto &top = b.top;
    top.rst_ni = 0;
    b.settle();
    for (uint64_t n = 1 + (rtl_manner_rough(&m) ? rtl_manner_draw(&m) & 3 : 0); n; n--) {
        keep_busy(b, m);
        b.settle();
        b.edge();
    }
    b.spoil(m);
    top.rst_ni = 1;
    for (uint32_t n = 0; n < longest; n++) {
        keep_busy(b, m);
        b.settle();
        must_not_respond(b);
        if (top.req_ready_o) {
            top.req_valid_i = 0;
            b.settle();
            return;
        }
        b.edge();
    }
    b.breaks("it is not ready after a reset");
}

void *open(star_rtl_policy policy, unsigned stride, uint64_t seed)
{
    auto *b = new (std::nothrow) Star("star", seed);
    if (!b)
        return nullptr;
    rtl_manner m = {seed | 1, 0};
    bool uses_them = STAR_MODE == 1; // another design must ignore them
    b->top.policy_i = uses_them ? static_cast<uint64_t>(policy) : rtl_manner_draw(&m) % 3;
    b->top.stride_i = uses_them ? stride & 3 : rtl_manner_draw(&m) % 3;
    first_reset(*b, m);
    return b;
}

// ---- a request ----

// Runs clocks without a request. Payloads may change.
void idle(Star &b, rtl_manner &m)
{
    for (uint64_t n = rtl_manner_draw(&m) >> 62; n; n--) {
        keep_busy(b, m);
        b.top.req_valid_i = 0;
        b.settle();
        must_not_respond(b);
        b.edge();
    }
}

// Offers the request until it is accepted at the next edge. Returns false if that never happens.
bool offer(Star &b, const star_rtl_request &q, rtl_manner &m)
{
    b.top.rsp_ready_i = 1;
    for (uint32_t n = 0; n < longest; n++) {
        present(b, q, m);
        b.settle();
        must_not_respond(b);
        if (b.top.req_ready_o)
            return true;
        keep_busy(b, m);
        b.settle();
        must_not_take(b);
        b.edge();
    }
    b.breaks("it is never ready");
    return false;
}

bool responds(const Star &b, const star_rtl_response &r)
{
    const auto &top = b.top;
    return top.rsp_valid_o && top.rsp_action_o == r.action && top.rsp_way_o == r.way &&
           top.rsp_base_o == r.base && top.rsp_gone_o == r.gone && top.rsp_frame_o == r.frame;
}

// The response must not change until it is accepted, whatever happens on the other port.
void hold(Star &b, const star_rtl_response &r, rtl_manner &m)
{
    for (uint64_t n = rtl_manner_draw(&m) >> 62; n; n--) {
        keep_busy(b, m);
        b.top.rsp_ready_i = 0;
        b.settle();
        must_not_take(b);
        if (!responds(b, r))
            b.breaks("the response changed before it was taken");
        b.edge();
    }
    b.top.req_valid_i = 0;
    b.top.rsp_ready_i = 1;
    b.settle();
    if (!responds(b, r))
        b.breaks("the response changed before it was taken");
}

void request(void *rtl, const star_rtl_request *q, star_rtl_response *r)
{
    auto &b = design_of<Star>(rtl);
    auto &top = b.top;
    rtl_manner m = q->manner;
    *r = {};
    b.begin_transaction();
    if (rtl_manner_rough(&m))
        idle(b, m);
    if (!offer(b, *q, m)) {
        r->wrong = b.wrong;
        return;
    }
    b.edge();
    top.req_valid_i = 0;
    rubbish(b, q->vpn * 0x9e3779b97f4a7c15u);
    for (r->clocks = 1; r->clocks < longest; r->clocks++) {
        keep_busy(b, m);
        b.settle();
        if (top.rsp_valid_o || r->clocks == q->manner.reset)
            break;
        must_not_take(b);
        b.edge();
    }
    if (q->manner.reset) { // it came before the response was accepted
        r->reset = true;
        reset(b, m);
    } else if (!top.rsp_valid_o) {
        b.breaks("it does not respond");
    } else {
        r->action = top.rsp_action_o;
        r->way = top.rsp_way_o;
        r->base = top.rsp_base_o;
        r->gone = top.rsp_gone_o;
        r->frame = top.rsp_frame_o;
        if (rtl_manner_rough(&m))
            hold(b, *r, m);
        b.edge();
    }
    r->wrong = b.wrong;
}

// ---- its visible state ----

#ifdef STAR_STATE
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
extern "C" const star_rtl STAR_NAME;
const star_rtl STAR_NAME = {verilated<Star>, STAR_MODE, STAR_SETS, words, STAR_TIMED, open,
                            request,         entry,     order};
