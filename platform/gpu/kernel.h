// SPDX-License-Identifier: Apache-2.0
// Connects the C event engine to the SystemC kernel. An SC_METHOD drains the event wheel. While anything
// except native blocks is attached, SystemC calls it once per cycle that has events. Otherwise SystemC calls
// it once per some thousand cycles, since the difference is then not observable.
#ifndef MP_GPU_KERNEL_H
#define MP_GPU_KERNEL_H

#include <cstdint>
#include <functional>
#include <string>
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
    // Returns the whole cycles that cover `t`: an event between two clock edges counts at the later edge.
    uint64_t cycles(const sc_core::sc_time &t) const;

    // Some module uses SystemC time, so the wheel must be drained cycle by cycle.
    void watch() { watched_ = true; }
    // To be called before a call from SystemC enters the models: advances the wheel to the current time, or,
    // for a caller that runs ahead, to its later time...
    void enter() { enter(sc_core::sc_time_stamp()); }
    void enter(const sc_core::sc_time &when);
    // ...and to be called after it: schedules the method for the new events.
    void leave();

    void stop() { stopped_ = true; }
    // Ends the simulation at this cycle, before the cycle's events.
    void until(uint64_t cycle) { until_ = cycle; }
    bool cut() const { return cut_; } // whether it has ended so
    // The simulation cannot go on: stops it. The first reason counts. May be called from C.
    void fail(const std::string &why);
    std::string failure; // the reason, or empty
    // Called regularly (every few thousand events) while the wheel is drained.
    std::function<void()> poll;

  private:
    void drain();

    mp_wheel wheel_;
    sc_core::sc_time cycle_;
    sc_core::sc_event wake_;
    uint64_t polled_ = 0, until_ = MP_NEVER;
    bool watched_ = false, draining_ = false, stopped_ = false, cut_ = false;
};

} // namespace mp

#endif
