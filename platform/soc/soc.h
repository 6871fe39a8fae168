// SPDX-License-Identifier: Apache-2.0
// The assembled SoC: the management core, memories and devices on one bus, by models/soc/map.def.
#ifndef MP_SOC_SOC_H
#define MP_SOC_SOC_H

#include <functional>
#include <systemc>

#include "engine/error.h"
#include "soc/bus.h"
#include "soc/core.h"
#include "soc/devices.h"
#include "soc/memory.h"

namespace mp::soc
{

class Injector;

struct SocOptions {
    uint64_t quantum = 1000; // instructions
    bool semihosting = false;
    std::function<void(uint8_t)> console;
    mp_ce_link link{12, 7292, 700, 400}; // to the host's memory, as uvm.link_* and uvm.zero_gbps
    bool host = false;                   // the run has a host, whose driver uses the port
    MigGpu *gpu = nullptr;               // the GPU that the management registers control
    Injector *injector = nullptr;        // of faults; not owned
};

class Soc : public sc_core::sc_module
{
  public:
    Soc(const sc_core::sc_module_name &name, const SocOptions &options);

    // Loads an executable's segments into RAM and ROM; the core then starts at its entry. Returns -1 with
    // err.
    int load(const char *file, mp_error *err);

    Bus bus;
    Core core;
    Memory rom, ram, host_memory, host_pages;
    Finisher finisher;
    Clint clint;
    Plic plic;
    Uart uart;
    Dma dma;
    Ce ce;
    HostPort host;
    Mgmt mgmt;

    bool finished = false; // the end that firmware requested:
    int exit_code = 0;
    // The program in RAM: the lowest address of its segments, the end of the bytes from the file, and the end
    // of all segments.
    uint64_t program_begin = UINT64_MAX, data_end = 0, program_end = 0;

  private:
    void attach(unsigned window, tlm::tlm_target_socket<> &target);
    mp_line source(unsigned number, Injector *injector);
    static int load_segment(void *self, uint64_t address, const void *bytes, uint64_t filled, uint64_t size,
                            mp_error *err);
};

} // namespace mp::soc

#endif
