// SPDX-License-Identifier: Apache-2.0
// The management core: a hart that runs a quantum of instructions ahead of SystemC's time, one per cycle. Its
// loads and stores outside memory are b_transport calls; their delay is the time since the quantum's start.
#ifndef MP_SOC_CORE_H
#define MP_SOC_CORE_H

#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "soc/hart/hart.h"
#include "soc/line.h"

namespace mp::soc
{

class Core : public sc_core::sc_module
{
  public:
    Core(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle, uint64_t quantum,
         bool semihosting);
    ~Core() override { mp_hart_free(hart); }

    // To be called before elaboration ends: maps what the hart may access. Memory is asked for direct access.
    void add_memory(uint64_t base);
    void add_devices(uint64_t base, uint64_t bytes);
    mp_line interrupt(unsigned cause);

    void start_of_simulation() override;

    tlm_utils::simple_initiator_socket<Core> socket;
    mp_hart *hart;
    uint64_t limit = UINT64_MAX; // instructions
    // MTIME at this time, for the CSR time.
    std::function<uint64_t(const sc_core::sc_time &)> time;
    std::function<void()> semihost; // called for a call by semihosting; without it EBREAK traps
    // Accesses that do not reach the bus (hart.h).
    std::function<void(uint64_t address, unsigned width, bool write)> refused;
    bool waiting = false; // waiting in WFI
    std::string failure;  // why the core stopped, or empty
    std::function<bool()>
        between; // called before each quantum; returns true if a debugger has stopped the core
    // Called after each quantum, and after `check` of its instructions if it has more; returns true if the
    // run ends, with `failure` as the reason.
    std::function<bool(bool whole)> stalled;
    uint64_t check = UINT64_MAX;
    // For a debugger, which is polled while the core waits, too: whether the next quantum is one instruction,
    // and the function to call at its end, at breakpoints and at watchpoints.
    bool debugged = false;
    std::function<bool()> wants_step;
    std::function<void(mp_hart_stop)> stopped;

    // How far the core is ahead of SystemC's time.
    sc_core::sc_time ahead() const;
    uint64_t quantum() const { return quantum_; } // instructions
    sc_core::sc_time quantum_time() const { return cycle_ * static_cast<double>(quantum_); }

  private:
    static bool access(void *self, uint64_t address, uint64_t *data, unsigned width, bool write);
    static uint64_t read_time(void *self);
    static void call_host(void *self);
    static void access_refused(void *self, uint64_t address, unsigned width, bool write);
    static void set_interrupt(void *self, unsigned cause, bool level);
    mp_hart_stop run_quantum(uint64_t instructions, uint64_t *done);
    void run();
    void wait_for_interrupt();

    sc_core::sc_time cycle_;
    uint64_t quantum_, quantum_start_ = 0;
    bool ended_ = false; // by the check within a quantum
    std::vector<uint64_t> memories_;
    tlm::tlm_generic_payload payload_;
    sc_core::sc_event wake_;
};

} // namespace mp::soc

#endif
