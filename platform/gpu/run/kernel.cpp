// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/kernel.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace mp
{

namespace
{
constexpr uint64_t batch_cycles = 8192; // between two calls from an otherwise idle SystemC kernel
constexpr uint64_t whole_window = 256;  // cycles, of a single group
constexpr uint64_t poll_windows = 64;
} // namespace

Kernel::Kernel(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle)
    : sc_module(name), cycle_(cycle)
{
    const uint32_t stage = 0;
    if (mp_groups_init(&groups_, 1, &stage, 0))
        throw std::bad_alloc();
    SC_HAS_PROCESS(Kernel);
    SC_METHOD(drain);
    sensitive << wake_;
}

Kernel::~Kernel()
{
    mp_groups_free(&groups_);
}

void Kernel::split(const mp_split &split)
{
    if (mp_groups_split(&groups_, split.groups, split.stage, split.lookahead))
        throw std::bad_alloc();
}

void Kernel::use_threads(unsigned threads)
{
    if (mp_groups_use_threads(&groups_, threads))
        throw std::system_error(errno, std::generic_category());
}

uint64_t Kernel::cycles(const sc_core::sc_time &t) const
{
    return (t.value() + cycle_.value() - 1) / cycle_.value();
}

size_t Kernel::every(uint64_t cycles, std::function<void()> mark)
{
    marks_.push_back({cycles, cycles ? cycles : MP_NEVER, std::move(mark)});
    next_mark_ = std::min(next_mark_, marks_.back().next);
    return marks_.size() - 1;
}

void Kernel::reset(size_t mark, uint64_t cycles)
{
    marks_[mark].every = cycles;
    marks_[mark].next = cycles ? (now() / cycles + 1) * cycles : MP_NEVER;
    find_next_mark();
}

void Kernel::find_next_mark()
{
    next_mark_ = MP_NEVER;
    for (const Mark &mark : marks_)
        next_mark_ = std::min(next_mark_, mark.next);
}

// Whether marks came before the next event. Those of the same cycle are called in the order of every().
bool Kernel::pass_mark(uint64_t next)
{
    if (next_mark_ > next)
        return false;
    uint64_t here = next_mark_;
    mp_groups_advance(&groups_, here);
    for (Mark &mark : marks_) {
        if (mark.next != here)
            continue;
        mark.next += mark.every;
        mark.call();
    }
    find_next_mark();
    if (poll) // nothing else calls it while only modules of others have something to do
        poll();
    return true;
}

// If only modules of others have something left to do, the next thing that is known is a mark.
uint64_t Kernel::next_event() const
{
    uint64_t next = mp_groups_next(&groups_);
    return next == MP_NEVER && watched_ && sc_core::sc_pending_activity() ? next_mark_ : next;
}

void Kernel::poll_sometimes()
{
    if (++windows_ % poll_windows == 0 && poll)
        poll();
}

void Kernel::drain()
{
    uint64_t here = cycles(sc_core::sc_time_stamp());
    uint64_t end = watched_ ? here : here + batch_cycles;
    uint64_t window = watched_ || stepped_ ? 1 : groups_.count > 1 ? groups_.lookahead : whole_window;
    draining_ = true;
    rests_until_ = 0;
    while (!groups_.stopped) {
        uint64_t next = next_event();
        if (next != MP_NEVER)
            next = std::min(next, until_);
        if (next > end) {
            if (next != MP_NEVER)
                wake_.notify(time(next - here));
            break;
        }
        if (pass_mark(next))
            continue;
        if (next == until_) {
            mp_groups_advance(&groups_, next);
            cut_ = groups_.stopped = true;
            break;
        }
        if (watched_)
            mp_groups_advance(&groups_, next);
        mp_groups_run(&groups_, next, std::min({next + window, until_, next_mark_}));
        poll_sometimes();
    }
    draining_ = false;
    if (groups_.stopped && !ended_)
        pauses_ ? sc_core::sc_pause() : sc_core::sc_stop();
    ended_ = groups_.stopped;
}

void Kernel::fail(const std::string &why)
{
    std::lock_guard<std::mutex> lock(failing_);
    if (failure.empty())
        failure = why;
    stop();
    if (!draining_)
        wake_.notify(sc_core::SC_ZERO_TIME);
}

void Kernel::enter(const sc_core::sc_time &when)
{
    if (draining_)
        return;
    uint64_t here = std::max(cycles(when), rested_);
    rests_until_ = 0;
    for (uint64_t next; (next = mp_groups_next(&groups_)) < here;) {
        mp_groups_advance(&groups_, next);
        mp_groups_run(&groups_, next, next + 1);
    }
    mp_groups_advance(&groups_, here);
}

void Kernel::leave()
{
    if (draining_)
        return;
    uint64_t next = mp_groups_next(&groups_), here = cycles(sc_core::sc_time_stamp());
    if (next != MP_NEVER)
        wake_.notify(time(next > here ? next - here : 0));
    rests_until_ = next;
    left_at_ = sc_core::sc_time_stamp();
}

bool Kernel::rests(const sc_core::sc_time &when)
{
    uint64_t here = cycles(when);
    if (draining_ || here > rests_until_ || left_at_ != sc_core::sc_time_stamp())
        return false;
    rested_ = std::max(rested_, here);
    return true;
}

} // namespace mp
