// SPDX-License-Identifier: Apache-2.0
// A request and a response, each with valid and ready: the ports of the TLBs (star_rtl.cpp, mesc_tlb_rtl.cpp)
// and of the prefetch tree (uvm_tree_rtl.cpp).
//
// In the namespace of the design are
//   rubbish(design, random)    drives all fields of a request with a value, valid excepted
//   present(design, request)   drives the fields that the request needs
//   read(design, response)     reads the fields of the response
//   shows(design, response)    whether they have these values
//   spoil(design, manner)      writes random values into the memories
//   longest(design)            clocks that a request or a reset may take
#ifndef MP_RTL_REQUESTS_HPP
#define MP_RTL_REQUESTS_HPP

#include "rtl/lockstep/block.hpp"

// Drives the ports while no request may be accepted. Calm: the port is quiet.
template <class Design> void keep_busy(Design &b, rtl_manner &m)
{
    if (!rtl_manner_rough(&m))
        return;
    uint64_t random = rtl_manner_draw(&m);
    rubbish(b, random);
    b.top.req_valid_i = random >> 62 & 1;
    b.top.rsp_ready_i = random >> 63;
}

template <class Design> void must_not_take(Design &b)
{
    if (b.top.req_valid_i && b.top.req_ready_o)
        b.breaks("it takes a request while it is busy with another");
}

template <class Design> void must_not_respond(Design &b)
{
    if (b.top.rsp_valid_o)
        b.breaks("it responds although nothing was requested");
}

// A rough reset takes up to three clocks; without one it begins and ends between two edges.
template <class Design> void reset(Design &b, rtl_manner m)
{
    auto &top = b.top;
    top.rst_ni = 0;
    b.settle();
    for (uint64_t n = rtl_manner_rough(&m) ? rtl_manner_draw(&m) & 3 : 1; n; n--) {
        keep_busy(b, m);
        b.settle();
        b.edge();
    }
    spoil(b, m);
    top.rst_ni = 1;
    for (uint32_t n = 0; n < longest(b); n++) {
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

// Runs clocks without a request. Payloads may change.
template <class Design> void idle(Design &b, rtl_manner &m)
{
    for (uint64_t n = rtl_manner_draw(&m) >> 62; n; n--) {
        keep_busy(b, m);
        b.top.req_valid_i = 0;
        b.settle();
        must_not_respond(b);
        b.edge();
    }
}

// Offers the request until it is accepted at the next edge; fields that it does not need are random, too.
// Returns false if that never happens.
template <class Design, class Request> bool offer(Design &b, const Request &q, rtl_manner &m)
{
    b.top.rsp_ready_i = 1;
    for (uint32_t n = 0; n < longest(b); n++) {
        rubbish(b, rtl_manner_rough(&m) ? rtl_manner_draw(&m) : 0);
        b.top.req_valid_i = 1;
        present(b, q);
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

// Clocks that a response waits: up to three, and sometimes some hundreds.
inline uint64_t clocks_to_wait(rtl_manner &m)
{
    uint64_t random = rtl_manner_draw(&m);
    return random >> 52 & 0x3ff ? random >> 62 : 64 + (random & 0xff);
}

// The response must not change until it is accepted, whatever happens on the other port.
template <class Design, class Response> void hold(Design &b, const Response &r, rtl_manner &m)
{
    static const char changed[] = "the response changed before it was taken";
    for (uint64_t n = clocks_to_wait(m); n; n--) {
        keep_busy(b, m);
        b.top.rsp_ready_i = 0;
        b.settle();
        must_not_take(b);
        if (!b.top.rsp_valid_o || !shows(b, r))
            b.breaks(changed);
        b.edge();
    }
    b.top.req_valid_i = 0;
    b.top.rsp_ready_i = 1;
    b.settle();
    if (!b.top.rsp_valid_o || !shows(b, r))
        b.breaks(changed);
}

// What the fields are made of once a request has been taken; designs whose requests have no page say it.
template <class Design, class Request> uint64_t salt(const Design &, const Request &q)
{
    return q.vpn;
}

template <class Design, class Request, class Response> void request(void *rtl, const Request *q, Response *r)
{
    auto &b = design_of<Design>(rtl);
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
    rubbish(b, salt(b, *q) * 0x9e3779b97f4a7c15u);
    for (r->clocks = 1; r->clocks < longest(b); r->clocks++) {
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
        read(b, *r);
        if (rtl_manner_rough(&m))
            hold(b, *r, m);
        b.edge();
    }
    r->wrong = b.wrong;
}

#endif
