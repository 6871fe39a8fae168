// SPDX-License-Identifier: Apache-2.0
// A Verilated design behind mesc_scan_rtl.h; block.hpp says how it is compiled.
#include <new>

#include "rtl/lockstep/block.hpp"

#include "rtl/mesc_scan/lockstep/mesc_scan_rtl.h"

namespace
{

constexpr uint64_t ADDRESS = (uint64_t{1} << 45) - 1;
constexpr uint64_t PATIENCE = 100000; // clocks of a scan: 514 accesses of some 10 clocks, and pauses

struct Scan : Block<RTL_DESIGN> {
    using Block::Block;
};

bool chance(rtl_manner &m)
{
    return !rtl_manner_rough(&m) || rtl_manner_draw(&m) >> 63;
}

// No scan is accepted now, no read is in flight, and no end is shown. Calm: the ports are quiet.
void keep_busy(Scan &b, rtl_manner &m)
{
    auto &top = b.top;
    uint64_t random = rtl_manner_rough(&m) ? rtl_manner_draw(&m) : 0;
    top.start_valid_i = random >> 63;
    top.start_at_i = random & ADDRESS;
    top.mem_ready_i = random >> 62 & 1;
    top.rsp_valid_i = random >> 61 & 1;
    top.rsp_data_i = ~random;
    top.done_ready_i = random >> 60 & 1;
}

// A rough reset sometimes begins and ends between two edges of the clock.
void reset(Scan &b, rtl_manner m)
{
    b.top.rst_ni = 0;
    keep_busy(b, m);
    b.settle();
    if (!rtl_manner_rough(&m) || rtl_manner_draw(&m) >> 62)
        b.edge();
    b.top.clk_i = 0;
    b.top.rst_ni = 1;
    b.settle();
}

void *open(uint64_t seed)
{
    auto *b = new (std::nothrow) Scan("mesc_scan", seed);
    if (b)
        first_reset(*b, {seed | 1, 0});
    return b;
}

// What the block has shown and must keep: the read in flight, an access that is not accepted, an end that is
// not taken.
struct Shown {
    struct {
        bool valid;
        uint64_t data;
        uint64_t wait; // clocks until its answer
    } read;
    struct {
        bool valid, write;
        uint64_t at, data;
    } access;
    struct {
        bool valid, changed;
        uint64_t bits;
    } end;
    uint64_t pause; // clocks in which nothing is accepted or answered
};

// Sometimes nothing is ready for a long time; more often while the write or the end waits.
bool pauses(const Scan &b, Shown &shown, rtl_manner &m)
{
    if (shown.pause) {
        shown.pause--;
        return true;
    }
    uint64_t random = rtl_manner_draw(&m);
    if (!(random >> (b.top.done_valid_o || shown.access.write ? 57 : 52)))
        shown.pause = 64 + random % 256;
    return false;
}

void start(Scan &b, uint64_t at, rtl_manner &m)
{
    for (bool taken = false; !taken;) {
        keep_busy(b, m);
        bool valid = chance(m);
        b.top.start_valid_i = valid;
        if (valid)
            b.top.start_at_i = at >> 3;
        b.settle();
        if (!b.top.start_ready_o)
            b.breaks("not ready for a scan, although none is in progress");
        if (b.top.mem_valid_o)
            b.breaks("an access although no scan is in progress");
        if (b.top.done_valid_o)
            b.breaks("an end although no scan is in progress");
        taken = valid;
        b.edge();
    }
}

// The memory's port. An access that was not accepted stays; a read takes the port until its answer.
void serve(Scan &b, Shown &shown, const mesc_scan_memory &memory, rtl_manner &m)
{
    auto &top = b.top;
    auto &waits = shown.access;
    uint64_t at = uint64_t{top.mem_at_o} << 3, data = top.mem_data_o;
    bool write = top.mem_write_o;
    if (waits.valid &&
        (!top.mem_valid_o || write != waits.write || at != waits.at || (write && data != waits.data)))
        b.breaks("the access changed before it was accepted");
    waits = {top.mem_valid_o && !top.mem_ready_i, write, at, data};
    if (!top.mem_valid_o)
        return;
    if (shown.read.valid)
        b.breaks("an access while a read is in flight");
    if (!top.mem_ready_i)
        return;
    memory.access(memory.self, write, at, &data);
    shown.read = {!write, data, rtl_manner_rough(&m) ? rtl_manner_draw(&m) >> 61 : 0};
}

// The end of the scan. Returns true if it is taken.
bool ends(Scan &b, Shown &shown, mesc_scan_answer *answer)
{
    auto &top = b.top;
    auto &end = shown.end;
    if (end.valid && (!top.done_valid_o || top.done_bits_o != end.bits || top.done_changed_o != end.changed))
        b.breaks("the end changed before it was taken");
    end = {static_cast<bool>(top.done_valid_o), static_cast<bool>(top.done_changed_o), top.done_bits_o};
    if (end.valid && shown.read.valid)
        b.breaks("an end while a read is in flight");
    answer->bits = end.bits;
    answer->changed = end.changed;
    return end.valid && top.done_ready_i;
}

// A clock of a scan. Returns true if the scan has ended.
bool clock(Scan &b, Shown &shown, const mesc_scan_memory &memory, mesc_scan_answer *answer, rtl_manner &m)
{
    auto &top = b.top;
    auto &read = shown.read;
    keep_busy(b, m);
    bool calm = !rtl_manner_rough(&m), paused = !calm && pauses(b, shown, m);
    top.mem_ready_i &= !paused;
    top.done_ready_i = calm || (top.done_ready_i && !paused);
    if (read.valid) {
        top.rsp_valid_i = !read.wait && !paused;
        if (top.rsp_valid_i)
            top.rsp_data_i = read.data;
        read.valid = !top.rsp_valid_i;
        read.wait -= read.wait > 0;
    }
    b.settle();
    if (calm && top.mem_valid_o) { // the memory is ready for nothing else that the block could wait for
        top.mem_ready_i = 1;
        b.settle();
    }
    if (top.start_ready_o)
        b.breaks("ready for a scan while one is in progress");
    serve(b, shown, memory, m);
    bool ended = ends(b, shown, answer);
    b.edge();
    return ended;
}

mesc_scan_waits waits(const Scan &b, const Shown &shown)
{
    if (b.top.done_valid_o)
        return MESC_SCAN_ENDS;
    if (shown.read.valid)
        return MESC_SCAN_READS;
    if (!b.top.mem_valid_o)
        return MESC_SCAN_GOES_ON;
    return b.top.mem_write_o ? MESC_SCAN_WRITES : MESC_SCAN_REQUESTS;
}

void scan(void *rtl, uint64_t at, const mesc_scan_memory *memory, mesc_scan_answer *answer, rtl_manner m)
{
    auto &b = design_of<Scan>(rtl);
    Shown shown = {};
    b.begin_transaction();
    *answer = {};
    start(b, at, m);
    uint64_t first = b.clocks;
    for (bool ended = false; !ended && !b.wrong;) {
        if (m.reset && b.clocks - first == m.reset) {
            answer->waits = waits(b, shown);
            reset(b, m);
            answer->reset = true;
            break;
        }
        ended = clock(b, shown, *memory, answer, m);
        if (b.clocks - first > PATIENCE)
            b.breaks("the scan does not end");
    }
    answer->clocks = b.clocks - first;
    answer->wrong = b.wrong;
}

} // namespace

// In C++ a const is private to its file unless it was declared before.
extern "C" const mesc_scan_rtl RTL_NAME;
const mesc_scan_rtl RTL_NAME = {verilated<Scan>, RTL_HEADS_FIRST, rtl_timed, open, scan};
