// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel.h"

#include <algorithm>

namespace mp
{

namespace
{
constexpr uint64_t batch_cycles = 8192; // between two calls from an otherwise idle SystemC kernel
constexpr uint64_t poll_events = 1 << 14;
} // namespace

Kernel::Kernel(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle)
    : sc_module(name), cycle_(cycle)
{
    mp_wheel_init(&wheel_);
    SC_HAS_PROCESS(Kernel);
    SC_METHOD(drain);
    sensitive << wake_;
}

Kernel::~Kernel()
{
    mp_wheel_free(&wheel_);
}

uint64_t Kernel::cycles(const sc_core::sc_time &t) const
{
    return (t.value() + cycle_.value() - 1) / cycle_.value();
}

void Kernel::drain()
{
    uint64_t here = cycles(sc_core::sc_time_stamp());
    uint64_t end = watched_ ? here : here + batch_cycles;
    draining_ = true;
    while (!stopped_) {
        uint64_t next = mp_wheel_next(&wheel_);
        if (next != MP_NEVER)
            next = std::min(next, until_);
        if (next > end) {
            if (next != MP_NEVER)
                wake_.notify(time(next - here));
            break;
        }
        mp_wheel_advance(&wheel_, next);
        if (next == until_) {
            cut_ = stopped_ = true;
            break;
        }
        mp_wheel_run_cycle(&wheel_);
        if (wheel_.executed - polled_ >= poll_events) {
            polled_ = wheel_.executed;
            if (poll)
                poll();
        }
    }
    draining_ = false;
    if (stopped_)
        sc_core::sc_stop();
}

void Kernel::fail(const std::string &why)
{
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
    uint64_t here = cycles(when);
    while (mp_wheel_next(&wheel_) < here) {
        mp_wheel_advance(&wheel_, mp_wheel_next(&wheel_));
        mp_wheel_run_cycle(&wheel_);
    }
    if (here > wheel_.now)
        mp_wheel_advance(&wheel_, here);
}

void Kernel::leave()
{
    if (draining_)
        return;
    uint64_t next = mp_wheel_next(&wheel_), here = cycles(sc_core::sc_time_stamp());
    if (next != MP_NEVER)
        wake_.notify(time(next > here ? next - here : 0));
}

} // namespace mp
