// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind dws_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/block.hpp"

#include "rtl/dws/lockstep/dws_rtl.h"

#ifndef RTL_ID_W
#define RTL_ID_W 8
#endif
#define ARBITER(name) rootp->JOIN(RTL_TOP, __DOT__u_arbiter__DOT__##name)

namespace
{

constexpr unsigned bits_for(unsigned most)
{
    return most ? 1 + bits_for(most / 2) : 0;
}

constexpr unsigned free_bits = bits_for(RTL_DEPTH), tenant_bits = bits_for(RTL_TENANTS),
                   enq_tenant_bits = bits_for(RTL_TENANTS - 1), walker_bits = bits_for(RTL_WALKERS - 1),
                   walks_bits = bits_for(RTL_WALKERS * RTL_DEPTH);
constexpr unsigned never = (1u << walks_bits) - 1;
constexpr unsigned longest = 16; // clocks; an event takes less

struct Dws : Block<RTL_DESIGN> {
    using Block::Block;
};

// ---- the ports of the events ----

void present(Dws &b, const dws_rtl_event &e)
{
    auto &top = b.top;
    switch (e.kind) {
    case DWS_RTL_DONE:
        top.done_valid_i = 1;
        top.done_walker_i = e.walker;
        break;
    case DWS_RTL_OWN:
        top.own_valid_i = 1;
        top.own_walker_i = e.walker;
        top.own_tenant_i = e.tenant;
        break;
    default:
        top.enq_valid_i = 1;
        top.enq_tenant_i = e.tenant;
        top.enq_id_i = e.id;
        break;
    }
}

// Returns a bit for each kind.
void set_valid(Dws &b, unsigned kinds)
{
    b.top.done_valid_i = kinds >> DWS_RTL_DONE & 1;
    b.top.own_valid_i = kinds >> DWS_RTL_OWN & 1;
    b.top.enq_valid_i = kinds >> DWS_RTL_ENQ & 1;
}

// Sets the payload of every kind to random values, except the kinds of the bits.
void rubbish(Dws &b, uint64_t random, unsigned but)
{
    auto &top = b.top;
    if (!(but >> DWS_RTL_DONE & 1))
        top.done_walker_i = random & ((1u << walker_bits) - 1);
    if (!(but >> DWS_RTL_OWN & 1)) {
        top.own_walker_i = random >> 8 & ((1u << walker_bits) - 1);
        top.own_tenant_i = random >> 16 & ((1u << tenant_bits) - 1);
    }
    if (!(but >> DWS_RTL_ENQ & 1)) {
        top.enq_tenant_i = (random >> 24 & ((1u << enq_tenant_bits) - 1)) % RTL_TENANTS;
        top.enq_id_i = random >> 32 & ((1u << RTL_ID_W) - 1);
    }
}

// Drives the ports while nothing may be accepted. Calm: waiting events do not change.
void keep_busy(Dws &b, rtl_manner &m)
{
    if (!rtl_manner_rough(&m))
        return;
    uint64_t random = rtl_manner_draw(&m);
    rubbish(b, random, 0);
    set_valid(b, random >> 61);
}

// Returns the events that are accepted at the next edge: a bit for each kind.
unsigned taken(const Dws &b)
{
    const auto &top = b.top;
    return static_cast<unsigned>(top.done_valid_i & top.done_ready_o) << DWS_RTL_DONE |
           static_cast<unsigned>(top.own_valid_i & top.own_ready_o) << DWS_RTL_OWN |
           static_cast<unsigned>(top.enq_valid_i & top.enq_ready_o) << DWS_RTL_ENQ;
}

void must_not_respond(Dws &b)
{
    if (b.top.rsp_valid_o)
        b.breaks("it responds although nothing has happened");
}

// ---- reset ----

void reset(Dws &b, rtl_manner m)
{
    auto &top = b.top;
    top.rst_ni = 0;
    b.settle();
    for (uint64_t n = rtl_manner_rough(&m) ? rtl_manner_draw(&m) & 3 : 1; n; n--) {
        keep_busy(b, m);
        b.settle();
        b.edge();
    }
    set_valid(b, 0);
    top.rst_ni = 1;
}

void rules(void *rtl, const dws_rtl_setup *setup)
{
    auto &top = design_of<Dws>(rtl).top;
    top.epoch_i = setup->epoch & 0xff;
    top.diff_thres_i = 0;
    for (unsigned i = 0; i < MP_WALK_RATIOS; i++)
        top.diff_thres_i |= static_cast<uint64_t>(setup->diff_thres[i] > never ? never : setup->diff_thres[i])
                            << i * walks_bits;
    top.queue_thres_i = setup->queue_thres > RTL_DEPTH ? RTL_DEPTH : setup->queue_thres;
}

void *open(const dws_rtl_setup *setup, uint64_t seed)
{
    auto *b = new (std::nothrow) Dws("dws", seed);
    if (!b)
        return nullptr;
    b->top.plus_i = setup->plus;
    rules(b, setup);
    first_reset(*b, {seed | 1, 0});
    return b;
}

// ---- events ----

// Runs clocks without an event. Payloads may change.
void idle(Dws &b, rtl_manner &m)
{
    for (uint64_t n = rtl_manner_draw(&m) >> 62; n; n--) {
        rubbish(b, rtl_manner_draw(&m), 0);
        set_valid(b, 0);
        b.settle();
        must_not_respond(b);
        b.edge();
    }
}

// A sequence of events that wait to be accepted; the first is next.
struct Turn {
    Dws &b;
    const dws_rtl_event *events;
    unsigned n;
    rtl_manner &m;
    uint32_t clocks, reset; // clocks since the first was accepted, and the clock of the reset

    void present_all() const
    {
        set_valid(b, 0);
        for (unsigned i = 0; i < n; i++)
            present(b, events[i]);
    }

    // Offers the event until it alone is accepted at the next edge; returns false if that never happens.
    // Events that wait behind it may change.
    bool offer()
    {
        unsigned its = 1u << events->kind;
        for (unsigned clock = 0; clock < longest; clock++) {
            present_all();
            if (rtl_manner_rough(&m))
                rubbish(b, rtl_manner_draw(&m), its);
            b.settle();
            must_not_respond(b);
            if (unsigned now = taken(b)) {
                if (now & (now - 1))
                    b.breaks("it takes two events in one clock");
                else if (now != its)
                    b.breaks("it takes events out of their order: completion, owner, arrival");
                return now == its;
            }
            b.edge();
        }
        b.breaks("it is never ready");
        return false;
    }

    // Runs from the acceptance until the response was given and the block is ready for another event. Returns
    // false if a reset came.
    bool finish(dws_rtl_response &r)
    {
        bool responded = events->kind == DWS_RTL_OWN; // a new owner has no response
        if (responded) {
            r.action = DWS_RTL_OWNED;
            r.clocks = 1;
            return true;
        }
        for (unsigned clock = 1; clock < longest; clock++, clocks++) {
            keep_busy(b, m);
            b.settle();
            bool ready = b.top.done_ready_o;
            if (responded && ready)
                return true;
            if (taken(b))
                b.breaks("it takes an event while it is busy with another");
            if (b.top.rsp_valid_o) {
                if (responded)
                    b.breaks("it responds twice to one event");
                r.action = b.top.rsp_action_o;
                r.walker = b.top.rsp_walker_o;
                r.tenant = b.top.rsp_tenant_o;
                r.id = b.top.rsp_id_o;
                r.clocks = clock;
                responded = true;
            }
            if (reset && clocks >= reset)
                return false;
            b.edge();
        }
        b.breaks(responded ? "it is not ready after its response" : "it does not respond");
        return true;
    }
};

void events(void *rtl, const dws_rtl_event *events, dws_rtl_response *responses, unsigned n, rtl_manner m)
{
    auto &b = design_of<Dws>(rtl);
    b.begin_transaction();
    Turn turn = {b, events, n, m, 1, m.reset};
    if (rtl_manner_rough(&m))
        idle(b, m);
    for (unsigned i = 0; i < n; i++) {
        responses[i] = {};
        turn.events = events + i;
        turn.n = n - i;
        if (turn.offer()) {
            b.edge();
            if (rtl_manner_rough(&m) || turn.n == 1)
                set_valid(b, 0);
            rubbish(b, events[i].id * 0x9e3779b97f4a7c15u, 0);
            responses[i].reset = !turn.finish(responses[i]);
        }
        responses[i].wrong = b.wrong;
        if (responses[i].reset) {
            reset(b, m);
            for (; i < n; i++)
                responses[i] = {0, 0, 0, true, 0, 0, b.wrong};
            break;
        }
    }
    set_valid(b, 0);
}

// ---- its visible state ----

#ifdef RTL_STATE
void state(void *rtl, dws_state *s)
{
    auto &top = design_of<Dws>(rtl).top;
    for (unsigned w = 0; w < RTL_WALKERS; w++) {
        uint64_t tenant = bits_of(top.ARBITER(wtm_tenant_q), w * tenant_bits, tenant_bits);
        s->t.wtm_tenant[w] = static_cast<uint8_t>(tenant < RTL_TENANTS ? tenant : RTL_TENANTS);
        s->t.fwa_free[w] = static_cast<uint16_t>(bits_of(top.ARBITER(fwa_free_q), w * free_bits, free_bits));
    }
    s->t.fwa_is_stolen = top.ARBITER(fwa_is_stolen_q);
    for (unsigned t = 0; t < RTL_TENANTS; t++) {
        s->t.twm_walkers[t] = bits_of(top.ARBITER(twm_walkers_q), t * RTL_WALKERS, RTL_WALKERS);
        s->t.twm_pend_walks[t] = static_cast<uint16_t>(
            bits_of(top.ARBITER(twm_pend_walks_q), t * MP_DWS_COUNTERS, MP_DWS_COUNTERS));
        s->t.twm_enq_epoch[t] = static_cast<uint16_t>(
            bits_of(top.ARBITER(twm_enq_epoch_q), t * MP_DWS_COUNTERS, MP_DWS_COUNTERS));
    }
    s->t.epoch = top.ARBITER(epoch_q);
    s->t.idle = top.ARBITER(idle_q);
    unsigned diff_thres = top.ARBITER(diff_thres_q);
    s->diff_thres = static_cast<uint16_t>(diff_thres == never ? UINT16_MAX : diff_thres);
    s->room = top.room_o;
}
#else
constexpr auto state = nullptr;
#endif

uint32_t room(const void *rtl)
{
    return design_of<Dws>(rtl).top.room_o;
}

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const dws_rtl RTL_NAME;
const dws_rtl RTL_NAME = {verilated<Dws>,
                          {RTL_WALKERS, RTL_WALKERS *RTL_DEPTH, RTL_TENANTS},
                          1u << RTL_ID_W,
                          rtl_timed,
                          open,
                          events,
                          rules,
                          state,
                          room};
