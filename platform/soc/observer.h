// SPDX-License-Identifier: Apache-2.0
// Observes a run: traces of bus accesses and instructions, and the last actions of a run that ends badly.
#ifndef MP_SOC_OBSERVER_H
#define MP_SOC_OBSERVER_H

#include <array>
#include <cstdio>
#include <string>

#include "mig/mig.h"
#include "soc/disassemble.h"
#include "soc/run.h"
#include "soc/soc.h"
#include "soc/stall.h"
#include "soc/symbols.h"

namespace mp::soc
{

class Observer : public BusObserver
{
  public:
    // The image is loaded. coverage counts each instruction; may be null.
    Observer(Soc &soc, const mp_mig &gpu, const mp_soc_run &run, mp_coverage *coverage);
    // What the run has as traces is written from now on. -1 with err.
    int trace(const mp_soc_run &run, mp_error *err);
    ~Observer() override;
    Observer(const Observer &) = delete;
    Observer &operator=(const Observer &) = delete;

    // Called before each quantum of the core.
    void look();
    // Whether nothing but the core can change anything.
    void rests(std::function<bool()> is) { stall_.rests = std::move(is); }
    // The program asks its host, whose answers depend on more than the program.
    void called() { stall_.called(); }
    // A character has come from outside: progress.
    void received() { stall_.event(); }
    // One line about the latest exception, or about one whose handler has not returned; empty if there is
    // none.
    std::string exception(bool *returned) const;
    // One line about a page that still faults after every replay.
    std::string livelock(const mp_mgmt_fault &fault) const;
    const Ce &ce() const { return soc_.ce; }
    // The core's position, if its access is in progress.
    mp_store who() const;
    // ", io_write64 (io.c:16) from main+0x14 (hello.c:14)", as far as it is known.
    std::string place(const mp_store &by) const;
    // Lines about the core's position, interrupts, the GPU and the latest accesses.
    void diagnose(std::FILE *f);

  private:
    static constexpr unsigned kept = 16;

    void access(int from, const tlm::tlm_generic_payload &payload, const sc_core::sc_time &start) override;
    void refused(uint64_t address, unsigned width, bool write);
    void follow(uint64_t first, uint64_t last);
    static void instruction(void *self, uint64_t number, uint64_t pc, uint32_t code);
    void print(std::FILE *f, const Access &a);
    void print_start(std::FILE *f, uint64_t picoseconds, const char *who, uint64_t pc);
    void print_interrupts(std::FILE *f);
    void print_gpu(std::FILE *f);
    void print_host(std::FILE *f);
    void print_frames(std::FILE *f);
    std::string cause(const mp_mgmt_fault &fault) const;

    std::string stalled() const;

    Soc &soc_;
    const mp_mig &gpu_;
    const struct mp_hart_counts &counts_;
    mp_symbols *symbols_;
    mp_coverage *coverage_;
    mp_disassembler *disassembler_ = nullptr; // for a trace of instructions
    std::FILE *trace_ = nullptr;
    bool trace_bus_ = false;
    uint32_t replay_limit_;
    uint64_t stack_ = 0; // the first value of the stack pointer
    uint64_t trace_first_ = 0, trace_last_ = 0, stall_limit_;
    bool watches_ = false; // the instructions of this quantum, for stall_
    Stall stall_;
    uint64_t accesses_ = 0;
    std::array<Access, kept> last_{}; // access n is at index n % kept
};

} // namespace mp::soc

#endif
