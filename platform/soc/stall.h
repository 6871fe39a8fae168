// SPDX-License-Identifier: Apache-2.0
// Ends a run whose firmware makes no progress (soc/liveness.h), and describes what the firmware does instead.
#ifndef MP_SOC_STALL_H
#define MP_SOC_STALL_H

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "mig/mig.h"
#include "soc/liveness.h"
#include "soc/repeat.h"
#include "soc/soc.h"
#include "soc/symbols.h"

namespace mp::soc
{

// An access of the bus, or one that was refused before it reached the bus.
struct Access {
    enum class Response { ok, error, refused };
    uint64_t picoseconds, number, pc, address, data; // number: of instructions begun
    uint32_t bytes;
    int from; // initiator
    bool core, write, dlab;
    Response response;
};

class Stall
{
  public:
    // limit: number of instructions without progress that ends the run; 0 for never.
    Stall(Soc &soc, const mp_mig &gpu, mp_symbols *symbols, uint64_t limit);

    // Any access of a device.
    void accessed(const Access &a)
    {
        if (repeat_.follows)
            mp_repeat_access(&repeat_, a.address, a.data, a.write || !a.core, is_time(a.address));
    }
    // A write that was accepted. data: all its bytes.
    void wrote(const Access &a, const unsigned char *data)
    {
        if (!a.core) {
            copied(a, data);
        } else if (a.address == MP_UART_BASE + MP_UART_THR && !a.dlab) {
            mp_liveness_event(&liveness_, a.number);
        } else {
            const mp_liveness_write w{a.address, a.data};
            mp_liveness_wrote(&liveness_, a.number, MP_LIVENESS_CORE, a.address >= MP_GPU_MEMORY_BASE, &w);
        }
    }
    void called() { mp_repeat_forget(&repeat_); }
    void event() { mp_liveness_event(&liveness_, instructions()); }

    // Whether nothing but the core can change anything. Without it, no loop is known to be endless.
    std::function<bool()> rests;

    // To be called before each quantum. Returns whether the run may end with it; if so, `look` is to be
    // called before each of its instructions.
    bool begin();
    // `code`: of the instruction that is next.
    void look(uint64_t pc, uint32_t code);
    // To be called after each quantum, and where the limit is within one. Returns whether the run ends.
    bool end(bool whole);
    bool endless() const { return endless_; }          // because of a loop, before the limit
    uint64_t period() const { return repeat_.period; } // the loop's number of instructions

    // The firmware's activity without progress. `latest`: the latest accesses, the last one first.
    struct Doing {
        mp_store at;      // one of the instructions
        std::string what; // "reads UART.LSR at 0x10000005, value 0x60"
    };
    Doing doing(const std::vector<Access> &latest) const;
    uint64_t length() const { return instructions() - liveness_.latest; } // number of instructions

  private:
    // An instruction that loads, stores or reads a CSR, or a few with the same address.
    struct Seen {
        mp_store at;
        uint64_t address; // or number of the CSR
        uint64_t value;
        uint32_t times;
        bool is_csr, is_write, is_stack, is_memory, changes;
    };

    static bool is_time(uint64_t address)
    {
        return address - (MP_CLINT_BASE + MP_CLINT_MTIME) < sizeof(uint64_t);
    }
    bool may_be_endless() const;
    uint64_t instructions() const { return mp_hart_counts(soc_.core.hart)->instructions; }
    void copied(const Access &a, const unsigned char *data);
    uint64_t retired() const;
    bool gpu_works();
    bool timer_came();
    sc_core::sc_time next_timer() const;
    bool waits_for_timer(const sc_core::sc_time &until);
    void see(const Seen &s);
    uint64_t loaded(uint64_t address, unsigned bytes) const;
    std::string text(const Seen &s) const;
    std::vector<Seen> of_devices(const std::vector<Access> &latest) const;

    Soc &soc_;
    const mp_mig &gpu_;
    mp_symbols *symbols_;
    uint64_t limit_;
    mp_liveness liveness_;
    mp_repeat repeat_;
    bool endless_ = false;
    bool gpu_worked_ = false;
    uint64_t retired_ = 0, timers_ = 0, timer_interrupts_ = 0;
    // The progress for which grace_ is valid, and the time of the timer interrupt that firmware waits for.
    uint64_t grace_of_ = UINT64_MAX;
    sc_core::sc_time grace_;
    std::vector<Seen> seen_;                      // in the quantum
    std::array<uint64_t, MP_TRAPS> interrupts_{}; // their numbers at its start
};

} // namespace mp::soc

#endif
