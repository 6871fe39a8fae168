// SPDX-License-Identifier: Apache-2.0
#include "soc/core.h"

#include <algorithm>
#include <stdexcept>

namespace mp::soc
{

namespace
{
constexpr size_t stack_bytes = 1 << 20; // an access to the GPU may run its models
}

Core::Core(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle, uint64_t quantum,
           bool semihosting)
    : sc_module(name), socket("socket"), cycle_(cycle), quantum_(quantum)
{
    mp_error err;
    mp_hart_bus bus{this, access, access_refused, read_time, semihosting ? call_host : nullptr};
    hart = mp_hart_new(&bus, &err);
    if (!hart)
        throw std::runtime_error(err.text);
    SC_HAS_PROCESS(Core);
    SC_THREAD(run);
    set_stack_size(stack_bytes);
}

void Core::add_memory(uint64_t base)
{
    memories_.push_back(base);
}

void Core::add_devices(uint64_t base, uint64_t bytes)
{
    mp_error err;
    if (mp_hart_map_devices(hart, base, bytes, &err))
        throw std::runtime_error(err.text);
}

mp_line Core::interrupt(unsigned cause)
{
    return {this, set_interrupt, cause, false};
}

void Core::start_of_simulation()
{
    for (uint64_t base : memories_) {
        tlm::tlm_dmi dmi;
        mp_error err;
        payload_.set_command(tlm::TLM_READ_COMMAND);
        payload_.set_address(base);
        if (!socket->get_direct_mem_ptr(payload_, dmi))
            throw std::runtime_error("core: a memory grants no direct access");
        if (mp_hart_map_memory(hart, dmi.get_start_address(),
                               dmi.get_end_address() - dmi.get_start_address() + 1, dmi.get_dmi_ptr(),
                               dmi.is_write_allowed(), &err))
            throw std::runtime_error(err.text);
    }
}

sc_core::sc_time Core::ahead() const
{
    return sc_core::sc_time::from_value(cycle_.value() *
                                        (mp_hart_counts(hart)->instructions - quantum_start_));
}

uint64_t Core::read_time(void *self)
{
    auto *c = static_cast<Core *>(self);
    return c->time ? c->time(sc_core::sc_time_stamp() + c->ahead()) : 0;
}

void Core::call_host(void *self)
{
    static_cast<Core *>(self)->semihost();
}

void Core::access_refused(void *self, uint64_t address, unsigned width, bool write)
{
    auto *c = static_cast<Core *>(self);
    if (c->refused)
        c->refused(address, width, write);
}

bool Core::access(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    auto *c = static_cast<Core *>(self);
    auto &p = c->payload_;
    sc_core::sc_time delay = c->ahead();
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<unsigned char *>(data));
    p.set_data_length(width);
    p.set_streaming_width(width);
    p.set_byte_enable_ptr(nullptr);
    p.set_dmi_allowed(false);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    c->socket->b_transport(p, delay);
    return p.is_response_ok();
}

void Core::set_interrupt(void *self, unsigned cause, bool level)
{
    auto *c = static_cast<Core *>(self);
    mp_hart_interrupt(c->hart, cause, level);
    if (level && c->waiting)
        c->wake_.notify(sc_core::SC_ZERO_TIME);
}

void Core::wait_for_interrupt()
{
    const sc_core::sc_time pause(100, sc_core::SC_US); // between two polls of the debugger
    waiting = true;
    while (!mp_hart_interrupt_pending(hart) && !mp_hart_halted(hart)) {
        if (!debugged) {
            wait(wake_);
            continue;
        }
        wait(pause, wake_);
        if (between())
            break; // the observer sees the core after the WFI, where it will continue
    }
    waiting = false;
}

// The check in the middle takes no time, and so changes nothing in a run that goes on.
mp_hart_stop Core::run_quantum(uint64_t instructions, uint64_t *done)
{
    uint64_t first = 0;
    if (check < instructions) {
        mp_hart_stop stop = mp_hart_run(hart, check, done);
        if (stop != MP_HART_LIMIT)
            return stop;
        if (stalled(false)) {
            ended_ = true;
            return stop;
        }
        first = *done;
    }
    mp_hart_stop stop = mp_hart_run(hart, instructions - first, done);
    *done += first;
    return stop;
}

void Core::run()
{
    mp_hart_stop stop = MP_HART_LIMIT;
    while (stop != MP_HART_STUCK && stop != MP_HART_HALTED && mp_hart_counts(hart)->instructions < limit) {
        uint64_t done;
        quantum_start_ = mp_hart_counts(hart)->instructions;
        if (between)
            between();
        bool step = debugged && wants_step();
        stop = run_quantum(step ? 1 : std::min(quantum_, limit - quantum_start_), &done);
        wait(cycle_ * static_cast<double>(done));
        if (ended_)
            break;
        if (stop == MP_HART_BREAKPOINT || stop == MP_HART_WATCHPOINT || (step && stop != MP_HART_HALTED))
            stopped(stop);
        else if (stop == MP_HART_WAITS)
            wait_for_interrupt();
        if (stalled && stop != MP_HART_STUCK && stop != MP_HART_HALTED && stalled(true))
            break;
    }
    if (stop == MP_HART_STUCK)
        failure = mp_hart_why(hart);
    sc_core::sc_stop();
    wait(); // never returns: with SystemC 2.3.4, AddressSanitizer would keep the stack of a thread that
            // returned
}

} // namespace mp::soc
