// SPDX-License-Identifier: Apache-2.0
// Connects the C event engine to the SystemC kernel. An SC_METHOD runs the groups of blocks
// (engine/groups.h). While anything except native blocks is attached, SystemC calls it once per cycle that
// has events. Otherwise SystemC calls it once per some thousand cycles, and the groups run windows of several
// cycles, since the difference is then not observable.
#ifndef MP_GPU_KERNEL_H
#define MP_GPU_KERNEL_H

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <systemc>
#include <vector>

#include "engine/groups.h"
#include "gpu/split.h"

namespace mp
{

class Kernel : public sc_core::sc_module
{
  public:
    Kernel(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle);
    ~Kernel() override;

    // Before any block exists: blocks will be in several groups. At first there is one.
    void split(const mp_split &split);
    mp_groups *groups() { return &groups_; }
    const mp_groups *groups() const { return &groups_; }
    // To be called after split(). Throws std::system_error if the threads cannot be started.
    void use_threads(unsigned threads);
    mp_wheel *wheel(uint32_t group = 0) { return mp_groups_wheel(&groups_, group); }
    uint64_t now() const { return mp_groups_now(&groups_); }
    sc_core::sc_time time(uint64_t cycles) const { return cycle_ * static_cast<double>(cycles); }
    // Returns the whole cycles that cover `t`: an event between two clock edges counts at the later edge.
    uint64_t cycles(const sc_core::sc_time &t) const;

    // Some module uses SystemC time, so the groups must run cycle by cycle.
    void watch() { watched_ = true; }
    // The groups run cycle by cycle, so that no group sees what another does later: a check of answers
    // against page tables.
    void step() { stepped_ = true; }
    // To be called before a call from SystemC enters the models: advances all wheels to the current time, or,
    // for a caller that runs ahead, to its later time...
    void enter() { enter(sc_core::sc_time_stamp()); }
    void enter(const sc_core::sc_time &when);
    // ...and to be called after it: schedules the method for the new events.
    void leave();
    // In place of enter() and leave(), for a call that changes nothing and does not read the clock: true if
    // nothing happens before that time. Since the latest leave(), neither the groups nor SystemC's time may
    // have moved, so the first call of a core's quantum enters.
    bool rests(const sc_core::sc_time &when);
    // Advances the wheels to the latest time that rests() was asked for.
    void settle() { mp_groups_advance(&groups_, rested_); }

    void stop() { mp_groups_stop(&groups_); }
    // When the groups stop, SystemC pauses, so that its other modules can go on. Without this call, it stops.
    void pause_at_end() { pauses_ = true; }
    // Ends the simulation at this cycle, before the cycle's events.
    void until(uint64_t cycle) { until_ = cycle; }
    // Calls `mark` before the events of every cycle that `cycles` divides, as long as anything happens, also
    // in SystemC only. All groups have then reached that cycle. 0 cycles: never. Returns the mark's number.
    size_t every(uint64_t cycles, std::function<void()> mark);
    // From now on, the mark is called every `cycles`.
    void reset(size_t mark, uint64_t cycles);
    bool cut() const { return cut_; } // whether it has ended so
    // The simulation cannot go on: stops it. The first reason counts. May be called from C, in any thread.
    void fail(const std::string &why);
    std::string failure; // the reason, or empty
    // Called regularly (every few thousand events) while the groups run.
    std::function<void()> poll;

  private:
    void drain();
    struct Mark {
        uint64_t every, next;
        std::function<void()> call;
    };
    uint64_t next_event() const;
    void find_next_mark();
    bool pass_mark(uint64_t next);
    void poll_sometimes();

    mp_groups groups_;
    sc_core::sc_time cycle_;
    sc_core::sc_event wake_;
    std::mutex failing_;
    std::vector<Mark> marks_;
    sc_core::sc_time left_at_;              // SystemC's time at the latest leave()
    uint64_t rests_until_ = 0, rested_ = 0; // the next event after it, or 0 if unknown
    uint64_t windows_ = 0, until_ = MP_NEVER, next_mark_ = MP_NEVER; // next_mark_: the first of all
    bool watched_ = false, stepped_ = false, draining_ = false, cut_ = false, pauses_ = false, ended_ = false;
};

} // namespace mp

#endif
