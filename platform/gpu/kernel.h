// SPDX-License-Identifier: Apache-2.0
// The one place where the C event engine and the SystemC kernel meet. An SC_METHOD drains the wheel; SystemC
// wakes it once per non-empty cycle while anything but native blocks is attached, and once per some thousand
// cycles otherwise, since then nobody can see the difference.
#ifndef MP_GPU_KERNEL_H
#define MP_GPU_KERNEL_H

#include <cstdint>
#include <functional>
#include <systemc>

#include "engine/wheel.h"

namespace mp
{

class Kernel : public sc_core::sc_module
{
  public:
    Kernel(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle);
    ~Kernel() override;

    mp_wheel *wheel() { return &wheel_; }
    sc_core::sc_time time(uint64_t cycles) const { return cycle_ * static_cast<double>(cycles); }
    // Whole cycles that cover `t`: what happens between two clock edges counts at the later one.
    uint64_t cycles(const sc_core::sc_time &t) const;

    // Something on the platform lives in SystemC time: drain cycle by cycle.
    void watch() { watched_ = true; }
    // For a call that comes out of SystemC: the wheel's time catches up before the models see it, with this
    // moment or with one ahead of it, where a caller runs ahead...
    void enter() { enter(sc_core::sc_time_stamp()); }
    void enter(const sc_core::sc_time &when);
    // ...and what they scheduled is woken for.
    void leave();

    void stop() { stopped_ = true; }
    // Called now and then (every few thousand events) while the wheel turns.
    std::function<void()> poll;

  private:
    void drain();

    mp_wheel wheel_;
    sc_core::sc_time cycle_;
    sc_core::sc_event wake_;
    uint64_t polled_ = 0;
    bool watched_ = false, draining_ = false, stopped_ = false;
};

} // namespace mp

#endif
