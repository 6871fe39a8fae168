// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind uvm_tree_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/requests.hpp"

#include "rtl/uvm_tree/lockstep/uvm_tree_rtl.h"

#define MARKS      JOIN(RTL_TOP, __DOT__u_marks__DOT__mem)
#define UNIT(name) JOIN(RTL_TOP, __DOT__u_unit__DOT__##name)

namespace
{

struct Tree : Block<RTL_DESIGN> {
    using Block::Block;
};

uint32_t longest(const Tree &)
{
    return 2112;
}

void rubbish(Tree &b, uint64_t random)
{
    b.top.req_op_i = random & 3;
    b.top.req_page_i = random >> 2 & (RTL_BIG * RTL_BIGS - 1);
    b.top.req_first_i = random >> 11 & (RTL_BIG - 1);
    b.top.req_threshold_i = random >> 15 & 127;
    b.top.req_marks_i = random >> 22 & ((uint64_t{1} << RTL_BIG) - 1);
    b.top.req_grow_i = random >> 41 & 1;
}

void present(Tree &b, const uvm_tree_rtl_request &q)
{
    const auto &u = q.unit;
    b.top.req_op_i = u.op & 3;
    b.top.req_page_i = u.page;
    if (u.op == MP_UVM_UNIT_BEGIN) {
        b.top.req_first_i = u.first;
        b.top.req_threshold_i = u.threshold & 127;
    }
    if (u.op == MP_UVM_UNIT_LOAD)
        b.top.req_marks_i = u.marks;
    if (u.op == MP_UVM_UNIT_MARK)
        b.top.req_grow_i = u.grow;
}

uint64_t salt(const Tree &, const uvm_tree_rtl_request &q)
{
    return q.unit.page;
}

void read(const Tree &b, uvm_tree_rtl_response &r)
{
    r.first = b.top.rsp_first_o;
    r.count = b.top.rsp_count_o;
}

bool shows(const Tree &b, const uvm_tree_rtl_response &r)
{
    return b.top.rsp_first_o == r.first && b.top.rsp_count_o == r.count;
}

// The memory keeps what it has: after a reset no row of it counts.
void spoil(Tree &, rtl_manner &) {}

#ifdef RTL_STATE
void state(const void *rtl, uvm_tree_state *s)
{
    const auto &root = *design_of<Tree>(rtl).top.rootp;
    *s = {root.UNIT(first_q), root.UNIT(last_q), root.UNIT(threshold_q), {}};
    for (unsigned row = 0; row < RTL_BIGS; row++) {
        const unsigned page = row * RTL_BIG;
        if (bits_of(root.UNIT(held_q), row, 1))
            s->marked.w[page / 64] |= uint64_t{root.MARKS[row]} << page % 64;
    }
}
#else
constexpr auto state = nullptr;
#endif

void *open(uint64_t seed)
{
    auto *b = new (std::nothrow) Tree("uvm_tree", seed);
    if (b)
        first_reset(*b, {seed | 1, 0});
    return b;
}

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const uvm_tree_rtl RTL_NAME;
const uvm_tree_rtl RTL_NAME = {verilated<Tree>, RTL_BIGS, RTL_BIG, rtl_timed, open, request<Tree>, state};
