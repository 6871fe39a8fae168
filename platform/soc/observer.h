// SPDX-License-Identifier: Apache-2.0
// Observes a run: traces of bus accesses and instructions, and the last actions of a run that ends badly.
#ifndef MP_SOC_OBSERVER_H
#define MP_SOC_OBSERVER_H

#include <array>
#include <cstdio>
#include <string>

#include "mig/mig.h"
#include "soc/run.h"
#include "soc/soc.h"
#include "soc/symbols.h"

namespace mp::soc
{

class Observer : public BusObserver
{
  public:
    // The image is loaded. A write that a device accepts is progress, and so are instructions of the GPU.
    Observer(Soc &soc, const mp_mig &gpu, const mp_soc_run &run);
    ~Observer() override;
    Observer(const Observer &) = delete;
    Observer &operator=(const Observer &) = delete;

    // Called regularly while the core runs.
    void look();
    // One line about the latest exception, or about one whose handler has not returned; empty if there is
    // none.
    std::string exception(bool *returned) const;
    // One line about a page that still faults after every replay.
    std::string livelock(const mp_mgmt_fault &fault) const;
    // The core's position, if its access is in progress.
    mp_store who() const;
    // ", io_write64 (io.c:16) from main+0x14 (hello.c:14)", as far as it is known.
    std::string place(const mp_store &by) const;
    // Lines about the core's position, interrupts, the GPU and the latest accesses.
    void diagnose(std::FILE *f);

  private:
    enum class Response { ok, error, refused };
    struct Access {
        uint64_t picoseconds, pc, address, data;
        uint32_t bytes;
        bool core, write, dlab;
        Response response;
    };
    static constexpr unsigned kept = 16;

    void access(int from, const tlm::tlm_generic_payload &payload, const sc_core::sc_time &start) override;
    void refused(uint64_t address, unsigned width, bool write);
    static void instruction(void *self, uint64_t number, uint64_t pc, uint32_t code);
    void keep(const Access &a);
    void print(std::FILE *f, const Access &a);
    void print_start(std::FILE *f, uint64_t picoseconds, const char *who, uint64_t pc);
    void print_interrupts(std::FILE *f);
    void print_gpu(std::FILE *f);
    std::string cause(const mp_mgmt_fault &fault) const;

    uint64_t progress() const;

    Soc &soc_;
    const mp_mig &gpu_;
    mp_symbols *symbols_;
    std::FILE *trace_;
    bool trace_bus_;
    uint32_t replay_limit_;
    uint64_t stack_ = 0; // the first value of the stack pointer
    uint64_t writes_ = 0, accesses_ = 0;
    std::array<Access, kept> last_{}; // access n is at index n % kept
};

} // namespace mp::soc

#endif
