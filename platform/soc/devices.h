// SPDX-License-Identifier: Apache-2.0
// The devices' modules: each owns one C model of models/soc and a socket for its registers.
#ifndef MP_SOC_DEVICES_H
#define MP_SOC_DEVICES_H

#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/mig.h"
#include "soc/ce.h"
#include "soc/clint.h"
#include "soc/dma.h"
#include "soc/host_port.h"
#include "soc/mgmt.h"
#include "soc/plic.h"
#include "soc/service_check.h"
#include "soc/uart.h"

namespace mp::soc
{

class Injector;

// A device's registers behind TLM. An access that the registers refuse is a bus error.
class Device : public sc_core::sc_module
{
  public:
    Device(const sc_core::sc_module_name &name, mp_regs &regs);
    tlm_utils::simple_target_socket<Device> socket;

  protected:
    // Called before and after an access at that time: sc_time_stamp() plus the initiator's delay.
    virtual void before(const sc_core::sc_time &, bool /*write*/) {}
    virtual void after() {}

  private:
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(tlm::tlm_generic_payload &payload);
    mp_regs &regs_;
};

class Finisher : public Device
{
  public:
    explicit Finisher(const sc_core::sc_module_name &name);
    std::function<void(int code)> finish; // 0 means success

  private:
    static void write(void *self, unsigned reg, unsigned index, uint64_t value);
    mp_regs regs_{};
    mp_FINISHER_values value_{};
};

class Uart : public Device
{
  public:
    Uart(const sc_core::sc_module_name &name, const mp_line &irq, std::function<void(uint8_t)> send);
    mp_uart model{};

  private:
    static void sent(void *self, uint8_t character);
    std::function<void(uint8_t)> send_;
};

class Clint : public Device
{
  public:
    Clint(const sc_core::sc_module_name &name, const mp_line &software, const mp_line &timer);
    mp_clint model{};
    uint64_t time(const sc_core::sc_time &now); // MTIME
    uint64_t timers = 0;                        // number of timer interrupts that time has raised
    // When time raises the next one; zero for never.
    sc_core::sc_time due_at() const;

  private:
    void before(const sc_core::sc_time &now, bool write) override;
    void after() override;
    void due();
    sc_core::sc_event due_;
};

class HostPort : public Device
{
  public:
    HostPort(const sc_core::sc_module_name &name, const mp_line &irq, bool present);
    mp_host_port model{};
    sc_core::sc_event interrupt; // for the host

  private:
    static void interrupted(void *self);
};

class Plic : public Device
{
  public:
    Plic(const sc_core::sc_module_name &name, const mp_line &irq, const mp_line &supervisor);
    mp_plic model{};
};

// The GPU's management registers. Without a GPU every command is refused as absent. An access happens in the
// GPU's cycle at that time; because the core runs ahead, the GPU is first advanced to that cycle. Reads
// change nothing and return what is stored here, so they do without if the GPU rests until then.
class Mgmt : public Device
{
  public:
    Mgmt(const sc_core::sc_module_name &name, const mp_line &invalidate, const mp_line &fault,
         const mp_line &queue, MigGpu *gpu);
    mp_mgmt model{};

  private:
    void before(const sc_core::sc_time &now, bool write) override;
    void after() override;
    MigGpu *gpu_; // nullptr if no GPU is attached
    bool entered_ = false;
};

class Dma : public Device
{
  public:
    Dma(const sc_core::sc_module_name &name, const mp_line &irq, const sc_core::sc_time &cycle);
    tlm_utils::simple_initiator_socket<Dma> out;
    mp_dma model{};

  private:
    static void started(void *self);
    void copy();
    sc_core::sc_time cycle_;
    sc_core::sc_event start_;
};

// The copy engines. A copy's bytes move at its end.
class Ce : public Device
{
  public:
    // gpu: whose accesses to the host's memory use the same link; NULL: none.
    Ce(const sc_core::sc_module_name &name, const mp_line &irq, const mp_ce_link &link, MigGpu *gpu);
    tlm_utils::simple_initiator_socket<Ce> out;
    mp_ce model{};
    bool rests() const;                // no descriptor is in progress
    mp_service_check *check = nullptr; // not owned
    Injector *injector = nullptr;      // of faults; not owned

  private:
    static void started(void *self, unsigned engine);
    void copy_in() { copy(MP_CE_IN); }
    void copy_out() { copy(MP_CE_OUT); }
    void copy(unsigned engine);
    void carry(unsigned engine, const mp_ce_descriptor &d);
    sc_core::sc_time take_turn(mp_host_way &way, const mp_ce_descriptor &d, const sc_core::sc_time &alone);
    void begin_lines(unsigned engine, const mp_ce_descriptor &d, const sc_core::sc_time &later,
                     const sc_core::sc_time &alone);
    void await_lines(unsigned engine);
    mp_ce_error perform(const mp_ce_descriptor &d);
    void show(unsigned engine);
    void wait_longer(const sc_core::sc_time &time);
    MigGpu *gpu_;
    sc_core::sc_event never_;
    sc_core::sc_event start_[MP_CE_ENGINES];
    struct Lines { // of the GPU's memory that the engine's copy accesses
        mp_copies *copies = nullptr;
        mp_copy_kind kind{};
        mp_copy_wait wait{};
        sc_core::sc_event ended;
    } lines_[MP_CE_ENGINES];
};

} // namespace mp::soc

#endif
