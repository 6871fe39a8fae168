// SPDX-License-Identifier: Apache-2.0
// Lets the faults of a plan happen (inject.h): between devices and the interrupt controller, on the bus, and
// in the GPU. Without a plan there is none of this.
#ifndef MP_SOC_INJECTOR_H
#define MP_SOC_INJECTOR_H

#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "gpu/mig.h"
#include "soc/inject.h"
#include "soc/line.h"

namespace mp::soc
{

class Injector : public sc_core::sc_module
{
  public:
    // The plan outlives it.
    Injector(const sc_core::sc_module_name &name, mp_inject &plan, MigGpu &gpu);

    // The line for a device in place of this one, which leads to the interrupt controller.
    mp_line between(const mp_line &line);
    // Whether the access at this address ends with a bus error, and does not reach its target.
    bool refuses(const tlm::tlm_generic_payload &payload);
    // A copy engine has made a copy: the time after which it says so; max_time(): never.
    sc_core::sc_time copy_late();
    // A copy engine begins a copy: whether it ends with a bus error.
    bool copy_fails() { return event(MP_INJECT_COPY_FAILS, 0); }
    // Whether an interrupt will change without the device.
    bool busy() const { return !changes_.empty(); }
    // The time of the access in progress; the core may run ahead.
    std::function<sc_core::sc_time()> now = [] { return sc_core::sc_time_stamp(); };

  private:
    struct Source {
        mp_line out;
        bool device = false, lost = false, spurious = false;
    };
    struct Change {
        sc_core::sc_time at;
        unsigned source;
        mp_injected *begins; // nullptr: a spurious interrupt ends
    };
    static void set(void *self, unsigned number, bool level);
    static uint64_t late(void *self);
    static uint64_t full(void *self);
    static bool hangs(void *self);
    static bool replay_lost(void *self);
    static uint64_t invalid(void *self);
    static uint64_t sticks(void *self);
    static bool poisoned(void *self, uint64_t at);
    static void found(void *self, uint64_t pa);
    uint64_t lasts(mp_inject_kind kind);
    // An error of the memory is reported.
    void report(const mp_injected &f, uint64_t at, bool entry);
    bool touches_poison(uint64_t at, unsigned bytes) const;
    uint64_t cycle() const { return gpu_.kernel.cycles(now()); }
    const mp_injected *event(mp_inject_kind kind, unsigned place)
    {
        return mp_inject_event(&plan_, kind, place, cycle());
    }
    void update(Source &s);
    void raise(unsigned source, uint64_t cycles);
    void plan_change(const Change &c);
    void change();
    void change(const Change &c);

    mp_inject &plan_;
    MigGpu &gpu_;
    mp_mig_faults faults_;
    Source source_[MP_INJECT_PLACES];
    std::vector<Change> changes_;
    std::vector<uint64_t> poisoned_; // addresses of words in the GPU's memory
    sc_core::sc_event due_;
};

} // namespace mp::soc

#endif
