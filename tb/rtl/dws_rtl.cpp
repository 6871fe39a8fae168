// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind dws_rtl.h. Compiled once for each design: DWS_DESIGN is its Verilated class,
// DWS_WALKERS, DWS_DEPTH and DWS_TENANTS its parameters, DWS_NAME the structure's name; RTL_MUTANTS if it
// carries mutants (mutate.cmake).
#include <new>
#include <type_traits>

#include <verilated_cov.h>

#define TEXT_OF(x)     #x
#define TEXT(x)        TEXT_OF(x)
#define JOIN_OF(a, b)  a##b
#define JOIN(a, b)     JOIN_OF(a, b)
#define DESIGN_HEADER  TEXT(DWS_DESIGN.h)
#define DESIGN_MEMBERS TEXT(JOIN(DWS_DESIGN, ___024root.h))
#include DESIGN_HEADER
#include DESIGN_MEMBERS

#include "rtl/dws_rtl.h"
#include "rtl/waves.hpp"

// Of somebody else's design, DWS_TOP is its module, and DWS_STATE tells that it keeps the tables where ours
// does.
#ifdef DWS_TOP
#define DWS_TIMED false
#else
#define DWS_TOP   dws_scheduler
#define DWS_TIMED true
#define DWS_STATE
#endif
#define ARBITER(name) rootp->JOIN(DWS_TOP, __DOT__u_arbiter__DOT__##name)

namespace
{

constexpr unsigned bits_for(unsigned most)
{
    return most ? 1 + bits_for(most / 2) : 0;
}

constexpr unsigned free_bits = bits_for(DWS_DEPTH), tenant_bits = bits_for(DWS_TENANTS),
                   walks_bits = bits_for(DWS_WALKERS * DWS_DEPTH);
constexpr unsigned never = (1u << walks_bits) - 1;
constexpr unsigned longest = 16; // an event takes less

struct Block {
    mutable VerilatedContext context; // before the design, which refers to it
    DWS_DESIGN top{&context, "dws"};
    uint64_t clocks = 0;
    Waves waves; // goes before the design

    // Inputs change while the clock is low, so that they are settled at the edge.
    void settle()
    {
        top.clk_i = 0;
        top.eval();
        waves.dump(2 * clocks);
    }

    void edge()
    {
        top.clk_i = 1;
        top.eval();
        waves.dump(2 * clocks + 1);
        clocks++;
    }
};

// Of a vector, whichever type its width gave it.
template <class Vector> uint64_t bits(const Vector &v, unsigned at, unsigned n)
{
    uint64_t mask = ~uint64_t{0} >> (64 - n);
    if constexpr (std::is_integral_v<Vector>) {
        return static_cast<uint64_t>(v) >> at & mask;
    } else {
        uint64_t two = v.data()[at / 32];
        if (at % 32 + n > 32)
            two |= static_cast<uint64_t>(v.data()[at / 32 + 1]) << 32;
        return two >> at % 32 & mask;
    }
}

unsigned in_walks(uint16_t threshold)
{
    return threshold > never ? never : threshold;
}

void reset(Block *b)
{
    b->top.rst_ni = 0;
    b->settle();
    b->edge();
    b->top.rst_ni = 1;
}

void *open(const dws_rtl_setup *setup)
{
    auto *b = new (std::nothrow) Block;
    if (!b)
        return nullptr;
    b->context.fatalOnError(false); // an assertion that fails is a difference, not the end of the process
    Waves::prepare(b->context);
    auto &top = b->top;
    top.plus_i = setup->plus;
    top.epoch_i = setup->epoch & 0xff;
    top.diff_thres_i = 0;
    for (unsigned i = 0; i < MP_WALK_RATIOS; i++)
        top.diff_thres_i |= static_cast<uint64_t>(in_walks(setup->diff_thres[i])) << i * walks_bits;
    top.queue_thres_i = setup->queue_thres > DWS_DEPTH ? DWS_DEPTH : setup->queue_thres;
    reset(b);
    return b;
}

#ifdef RTL_MUTANTS
void mutate(void *rtl, unsigned mutant)
{
    auto *b = static_cast<Block *>(rtl);
    b->top.mutant_i = static_cast<uint16_t>(mutant);
    b->settle();
    b->edge();
    reset(b);
}
#else
constexpr void (*mutate)(void *, unsigned) = nullptr;
#endif

void close(void *rtl)
{
    auto *b = static_cast<Block *>(rtl);
    Verilated::threadContextp(&b->context); // there may have been others, whose contexts are gone
    delete b;
}

void present(DWS_DESIGN &top, const dws_rtl_event &e)
{
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

// The event that is taken at the next edge, or DWS_RTL_KINDS.
unsigned taken(const DWS_DESIGN &top)
{
    return top.done_valid_i && top.done_ready_o ? DWS_RTL_DONE
           : top.own_valid_i && top.own_ready_o ? DWS_RTL_OWN
           : top.enq_valid_i && top.enq_ready_o ? DWS_RTL_ENQ
                                                : DWS_RTL_KINDS;
}

// What comes with an event that does not come may be anything: it becomes another event's.
void withdraw(DWS_DESIGN &top, unsigned kind)
{
    switch (kind) {
    case DWS_RTL_DONE:
        top.done_valid_i = 0;
        top.done_walker_i = ~top.done_walker_i & (DWS_WALKERS - 1);
        break;
    case DWS_RTL_OWN:
        top.own_valid_i = 0;
        top.own_walker_i = ~top.own_walker_i & (DWS_WALKERS - 1);
        top.own_tenant_i ^= 1;
        break;
    default:
        top.enq_valid_i = 0;
        top.enq_tenant_i ^= 1;
        top.enq_id_i = ~top.enq_id_i & ((1u << DWS_ID_BITS) - 1);
        break;
    }
}

// Until it has responded and another event could be taken; it waits for nobody.
void one(Block *b, const dws_rtl_event &e, dws_rtl_response &r)
{
    auto &top = b->top;
    r = {};
    for (unsigned n = 0; n < longest; n++) {
        b->settle();
        if (taken(top) == e.kind)
            break;
        b->edge();
    }
    if (taken(top) != e.kind)
        return;
    b->edge();
    withdraw(top, e.kind);
    if (e.kind == DWS_RTL_OWN) {
        r.action = DWS_RTL_OWNED;
        r.clocks = 1;
        return;
    }
    for (unsigned n = 1; n < longest && !top.done_ready_o; n++) {
        if (top.rsp_valid_o)
            r = {top.rsp_action_o, top.rsp_walker_o, top.rsp_tenant_o, false, top.rsp_id_o, n};
        b->settle();
        b->edge();
    }
    r.failed = b->context.gotError();
}

void events(void *rtl, const dws_rtl_event *events, dws_rtl_response *responses, unsigned n)
{
    auto *b = static_cast<Block *>(rtl);
    for (unsigned i = 0; i < n; i++)
        present(b->top, events[i]);
    for (unsigned i = 0; i < n; i++)
        one(b, events[i], responses[i]);
    // Whatever was not taken is not left for the next ones.
    withdraw(b->top, DWS_RTL_DONE);
    withdraw(b->top, DWS_RTL_OWN);
    withdraw(b->top, DWS_RTL_ENQ);
}

#ifdef DWS_STATE
void state(void *rtl, dws_state *s)
{
    auto &top = static_cast<Block *>(rtl)->top;
    for (unsigned w = 0; w < DWS_WALKERS; w++) {
        uint64_t tenant = bits(top.ARBITER(wtm_tenant_q), w * tenant_bits, tenant_bits);
        s->t.wtm_tenant[w] = static_cast<uint8_t>(tenant < DWS_TENANTS ? tenant : DWS_TENANTS);
        s->t.fwa_free[w] = static_cast<uint16_t>(bits(top.ARBITER(fwa_free_q), w * free_bits, free_bits));
    }
    s->t.fwa_is_stolen = top.ARBITER(fwa_is_stolen_q);
    for (unsigned t = 0; t < DWS_TENANTS; t++) {
        s->t.twm_walkers[t] = bits(top.ARBITER(twm_walkers_q), t * DWS_WALKERS, DWS_WALKERS);
        s->t.twm_pend_walks[t] =
            static_cast<uint16_t>(bits(top.ARBITER(twm_pend_walks_q), t * MP_DWS_COUNTERS, MP_DWS_COUNTERS));
        s->t.twm_enq_epoch[t] =
            static_cast<uint16_t>(bits(top.ARBITER(twm_enq_epoch_q), t * MP_DWS_COUNTERS, MP_DWS_COUNTERS));
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
    return static_cast<const Block *>(rtl)->top.room_o;
}

uint64_t clocks(const void *rtl)
{
    return static_cast<const Block *>(rtl)->clocks;
}

void cover(const void *rtl, const char *file)
{
    static_cast<const Block *>(rtl)->context.coveragep()->write(file);
}

void waves(void *rtl, const char *file, uint64_t number)
{
    auto *b = static_cast<Block *>(rtl);
    b->waves.at(b->top, file, number);
}

} // namespace

// A const is private to its file in C++ unless declared before.
extern "C" const dws_rtl DWS_NAME;
const dws_rtl DWS_NAME = {{DWS_WALKERS, DWS_WALKERS *DWS_DEPTH, DWS_TENANTS},
                          1u << DWS_ID_BITS,
                          DWS_TIMED,
                          open,
                          close,
                          mutate,
                          events,
                          state,
                          room,
                          clocks,
                          cover,
                          waves};
