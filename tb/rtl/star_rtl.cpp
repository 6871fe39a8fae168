// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind star_rtl.h, the only C++ of the co-simulation. Compiled once for each design:
// STAR_DESIGN is its Verilated class, STAR_MODE its mode, STAR_SETS its sets, STAR_NAME the structure's name;
// RTL_MUTANTS if it carries mutants (mutate.cmake), RTL_WAVES if it can write waves. Of somebody else's
// design, STAR_TOP is its module, and STAR_STATE tells that it keeps entries and order where ours does.
#include <new>

#include <verilated_cov.h>

#define TEXT_OF(x)     #x
#define TEXT(x)        TEXT_OF(x)
#define JOIN_OF(a, b)  a##b
#define JOIN(a, b)     JOIN_OF(a, b)
#define DESIGN_HEADER  TEXT(STAR_DESIGN.h)
#define DESIGN_MEMBERS TEXT(JOIN(STAR_DESIGN, ___024root.h))
#include DESIGN_HEADER
#include DESIGN_MEMBERS

#include "rtl/star_rtl.h"
#include "rtl/waves.hpp"

#ifdef STAR_TOP
#define STAR_TIMED false
#else
#define STAR_TOP   star_tlb
#define STAR_TIMED true
#define STAR_STATE
#endif
#define ENTRIES JOIN(STAR_TOP, __DOT__u_entries__DOT__mem)
#define ORDER   JOIN(STAR_TOP, __DOT__u_order__DOT__mem)

namespace
{

[[maybe_unused]] constexpr unsigned entry_bits = STAR_MODE == 0 ? 864 : STAR_MODE == 1 ? 914 : 995;
constexpr uint32_t longest = 64 + 16 * STAR_RTL_SETS; // a sweep through full sets takes less

struct Block {
    mutable VerilatedContext context; // before the design, which refers to it
    STAR_DESIGN top{&context, "star"};
    uint64_t clocks = 0;
    Waves waves; // goes before the design

    // Inputs change while the clock is low, so that they are settled at the edge.
    void clock()
    {
        top.clk_i = 0;
        top.eval();
        waves.dump(2 * clocks);
        top.clk_i = 1;
        top.eval();
        waves.dump(2 * clocks + 1);
        clocks++;
    }

    bool responds(const star_rtl_response &r) const
    {
        return top.rsp_valid_o && top.rsp_action_o == r.action && top.rsp_way_o == r.way &&
               top.rsp_base_o == r.base && top.rsp_gone_o == r.gone && top.rsp_frame_o == r.frame;
    }
};

// A memory holds anything until a reset has emptied it. It takes requests then; a mutant may never.
void reset(Block *b)
{
#ifdef STAR_STATE
    auto &root = *b->top.rootp;
    for (uint32_t i = 0; i < STAR_SETS * STAR_RTL_WAYS; i++)
        for (unsigned word = 0; word < entry_bits / 32; word++)
            root.ENTRIES[i].data()[word] = ~0u;
    for (uint32_t i = 0; i < STAR_SETS; i++)
        root.ORDER[i] = 0;
#endif
    b->top.rst_ni = 0;
    b->clock();
    b->top.rst_ni = 1;
    for (uint32_t n = 0; n < longest && !b->top.req_ready_o; n++)
        b->clock();
}

void *open(star_rtl_policy policy, unsigned stride)
{
    auto *b = new (std::nothrow) Block;
    if (!b)
        return nullptr;
    b->context.fatalOnError(false); // an assertion that fails is a difference, not the end of the process
    Waves::prepare(b->context);
    b->top.policy_i = policy;
    b->top.stride_i = stride & 3;
    reset(b);
    return b;
}

#ifdef RTL_MUTANTS
void mutate(void *rtl, unsigned mutant)
{
    auto *b = static_cast<Block *>(rtl);
    b->top.mutant_i = static_cast<uint16_t>(mutant);
    b->clock();
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

// What comes with a request that does not come may be anything: it becomes another one's.
void withdraw(STAR_DESIGN &top)
{
    top.req_valid_i = 0;
    top.req_op_i ^= 1;
    top.req_asid_i = ~top.req_asid_i & ((1u << STAR_RTL_ASID_W) - 1);
    top.req_vpn_i = ~top.req_vpn_i & ((UINT64_C(1) << STAR_RTL_VPN_W) - 1);
    top.req_frame_i = ~top.req_frame_i & ((UINT64_C(1) << STAR_RTL_FRAME_W) - 1);
}

void request(void *rtl, const star_rtl_request *q, star_rtl_response *r)
{
    auto *b = static_cast<Block *>(rtl);
    auto &top = b->top;
    top.req_valid_i = 1;
    top.req_op_i = q->op & 7;
    top.req_asid_i = q->asid & 0xff;
    top.req_vpn_i = q->vpn;
    top.req_frame_i = q->frame;
    top.rsp_ready_i = !q->hold;
    b->clock();
    withdraw(top);
    uint32_t clocks = 1;
    while (!top.rsp_valid_o && clocks < longest) {
        b->clock();
        clocks++;
    }
    r->action = top.rsp_action_o;
    r->way = top.rsp_way_o;
    r->base = top.rsp_base_o;
    r->gone = top.rsp_gone_o;
    r->frame = top.rsp_frame_o;
    r->clocks = top.rsp_valid_o ? clocks : 0;
    r->steady = true;
    for (unsigned i = 0; i < q->hold; i++) {
        b->clock();
        r->steady = r->steady && b->responds(*r);
    }
    top.rsp_ready_i = 1;
    b->clock();
    r->failed = b->context.gotError();
}

#ifdef STAR_STATE
const uint32_t *entry(const void *rtl, uint32_t set, uint32_t way)
{
    const auto *b = static_cast<const Block *>(rtl);
    return b->top.rootp->ENTRIES[set * STAR_RTL_WAYS + way].data();
}

constexpr uint32_t words =
    sizeof(JOIN(STAR_DESIGN, ___024root)::ENTRIES) / sizeof(uint32_t) / STAR_SETS / STAR_RTL_WAYS;

uint32_t order(const void *rtl, uint32_t set)
{
    return static_cast<const Block *>(rtl)->top.rootp->ORDER[set];
}
#else
constexpr auto entry = nullptr, order = nullptr;
constexpr uint32_t words = 0;
#endif

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
extern "C" const star_rtl STAR_NAME;
const star_rtl STAR_NAME = {STAR_MODE, STAR_SETS, words, STAR_TIMED, open,  close, mutate,
                            request,   entry,     order, clocks,     cover, waves};
