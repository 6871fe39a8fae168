// SPDX-License-Identifier: Apache-2.0
#include "soc/devices.h"

#include <algorithm>
#include <cstring>

#include "soc/injector.h"

namespace mp::soc
{

namespace
{
const sc_core::sc_time tick(100, sc_core::SC_NS); // ticks of MTIME

// A transaction of a device that is a bus master.
template <class Socket>
bool access_bus(Socket &out, tlm::tlm_command command, uint64_t address, uint8_t *data, unsigned bytes)
{
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    out->b_transport(p, delay);
    return p.is_response_ok();
}
} // namespace

Device::Device(const sc_core::sc_module_name &name, mp_regs &regs)
    : sc_module(name), socket("socket"), regs_(regs)
{
    socket.register_b_transport(this, &Device::b_transport);
    socket.register_transport_dbg(this, &Device::transport_dbg);
}

void Device::b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
{
    uint64_t data = 0;
    unsigned width = p.get_data_length();
    if (width > sizeof data || p.get_byte_enable_ptr()) {
        p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (p.is_write())
        std::memcpy(&data, p.get_data_ptr(), width);
    sc_core::sc_time now = sc_core::sc_time_stamp() + delay;
    before(now, p.is_write());
    bool ok = mp_regs_access(&regs_, p.get_address(), width, p.is_write(), &data);
    after();
    if (ok && p.is_read())
        std::memcpy(p.get_data_ptr(), &data, width);
    p.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// A debugger's read of a register could remove a character or an interrupt, so it is refused.
unsigned Device::transport_dbg(tlm::tlm_generic_payload &)
{
    return 0;
}

Finisher::Finisher(const sc_core::sc_module_name &name) : Device(name, regs_)
{
    regs_.block = &mp_soc_blocks[MP_BLOCK_FINISHER];
    regs_.value = value_.FINISH;
    regs_.device = this;
    regs_.write = write;
    mp_regs_reset(&regs_);
}

void Finisher::write(void *self, unsigned, unsigned, uint64_t value)
{
    enum { DONE = 0x5555, FAILED = 0x3333 };
    auto *f = static_cast<Finisher *>(self);
    unsigned status = value & MP_FINISHER_FINISH_STATUS;
    if (status == DONE)
        f->finish(0);
    else if (status == FAILED)
        f->finish(static_cast<int>(value >> MP_FINISHER_FINISH_CODE_LOW));
}

Uart::Uart(const sc_core::sc_module_name &name, const mp_line &irq, std::function<void(uint8_t)> send)
    : Device(name, model.regs), send_(std::move(send))
{
    model.irq = irq;
    model.self = this;
    model.send = sent;
    mp_uart_init(&model);
}

void Uart::sent(void *self, uint8_t character)
{
    static_cast<Uart *>(self)->send_(character);
}

Clint::Clint(const sc_core::sc_module_name &name, const mp_line &software, const mp_line &timer)
    : Device(name, model.regs)
{
    model.software = software;
    model.timer = timer;
    mp_clint_init(&model);
    SC_HAS_PROCESS(Clint);
    SC_METHOD(due);
    sensitive << due_;
    dont_initialize();
}

void Clint::before(const sc_core::sc_time &now, bool)
{
    uint64_t ticks = now.value() / tick.value();
    bool was = model.timer.level;
    if (ticks > model.now) // `due` may be later than the time of a core that runs behind
        mp_clint_advance(&model, ticks);
    timers += model.timer.level && !was;
}

sc_core::sc_time Clint::due_at() const
{
    uint64_t wait = mp_clint_wait(&model);
    // A time that SystemC cannot represent is never.
    if (wait == UINT64_MAX || wait > (UINT64_MAX / tick.value()) - model.now)
        return sc_core::SC_ZERO_TIME;
    return sc_core::sc_time::from_value((model.now + wait) * tick.value());
}

void Clint::after()
{
    due_.cancel();
    sc_core::sc_time when = due_at();
    if (when != sc_core::SC_ZERO_TIME)
        due_.notify(when > sc_core::sc_time_stamp() ? when - sc_core::sc_time_stamp()
                                                    : sc_core::SC_ZERO_TIME);
}

uint64_t Clint::time(const sc_core::sc_time &now)
{
    before(now, false);
    after();
    return mp_clint_time(&model);
}

void Clint::due()
{
    before(sc_core::sc_time_stamp(), false);
    after();
}

HostPort::HostPort(const sc_core::sc_module_name &name, const mp_line &irq, bool present)
    : Device(name, model.regs)
{
    model.irq = irq;
    model.self = this;
    model.interrupt = interrupted;
    mp_host_port_init(&model, present);
}

void HostPort::interrupted(void *self)
{
    static_cast<HostPort *>(self)->interrupt.notify(sc_core::SC_ZERO_TIME);
}

Plic::Plic(const sc_core::sc_module_name &name, const mp_line &irq, const mp_line &supervisor)
    : Device(name, model.regs)
{
    model.irq = irq;
    model.supervisor = supervisor;
    mp_plic_init(&model);
}

Mgmt::Mgmt(const sc_core::sc_module_name &name, const mp_line &invalidate, const mp_line &fault,
           const mp_line &queue, MigGpu *gpu)
    : Device(name, model.regs), gpu_(gpu)
{
    model.invalidate = invalidate;
    model.fault = fault;
    model.queue = queue;
    model.gpu = gpu ? &gpu->operations : nullptr;
    if (gpu)
        gpu->model.mgmt = &model;
    mp_mgmt_init(&model);
}

void Mgmt::before(const sc_core::sc_time &now, bool write)
{
    entered_ = gpu_ && (write || !gpu_->kernel.rests(now));
    if (entered_)
        gpu_->kernel.enter(now);
}

void Mgmt::after()
{
    if (entered_)
        gpu_->kernel.leave();
}

Dma::Dma(const sc_core::sc_module_name &name, const mp_line &irq, const sc_core::sc_time &cycle)
    : Device(name, model.regs), out("out"), cycle_(cycle)
{
    model.irq = irq;
    model.self = this;
    model.started = started;
    mp_dma_init(&model);
    SC_HAS_PROCESS(Dma);
    SC_THREAD(copy);
}

void Dma::started(void *self)
{
    static_cast<Dma *>(self)->start_.notify(sc_core::SC_ZERO_TIME);
}

void Dma::copy()
{
    uint8_t data[MP_DMA_CHUNK];
    mp_dma_move m;
    for (;;) {
        wait(start_);
        while (mp_dma_next(&model, &m)) {
            wait(cycle_ * ((m.bytes + MP_DMA_RATE - 1) / MP_DMA_RATE));
            if (mp_dma_next(&model, &m)) // the engine may have been stopped meanwhile
                mp_dma_moved(&model, access_bus(out, tlm::TLM_READ_COMMAND, m.source, data, m.bytes) &&
                                         access_bus(out, tlm::TLM_WRITE_COMMAND, m.target, data, m.bytes));
        }
    }
}

Ce::Ce(const sc_core::sc_module_name &name, const mp_line &irq, const mp_ce_link &link, MigGpu *gpu)
    : Device(name, model.regs), out("out"), gpu_(gpu)
{
    model.irq = irq;
    model.link = link;
    model.self = this;
    model.started = started;
    mp_ce_init(&model);
    SC_HAS_PROCESS(Ce);
    SC_THREAD(copy_in);
    SC_THREAD(copy_out);
}

void Ce::started(void *self, unsigned engine)
{
    auto *c = static_cast<Ce *>(self);
    if (c->check)
        c->show(engine);
    c->start_[engine].notify(sc_core::SC_ZERO_TIME);
}

// The check sees descriptors when they are queued.
void Ce::show(unsigned engine)
{
    uint32_t index;
    while (mp_service_check_unseen(check, &model, engine, &index)) {
        mp_ce_descriptor d{};
        tlm::tlm_generic_payload p;
        p.set_read();
        p.set_address(model.engine[engine].base + index * sizeof d);
        p.set_data_ptr(reinterpret_cast<uint8_t *>(&d));
        p.set_data_length(sizeof d);
        out->transport_dbg(p);
        mp_service_check_copy(check, &model, engine, &d);
    }
}

bool Ce::rests() const
{
    return !model.engine[MP_CE_IN].busy && !model.engine[MP_CE_OUT].busy;
}

// A copy ends when the link has passed it, which lines of the host's memory that the GPU accesses meanwhile
// delay, and when its lines of the GPU's memory have been answered.
void Ce::carry(unsigned engine, const mp_ce_descriptor &d)
{
    const sc_core::sc_time alone(static_cast<double>(mp_ce_ns(&model.link, &d)), sc_core::SC_NS);
    const bool crosses = gpu_ && !(d.flags & MP_CE_ZERO);
    mp_host_way *way = !crosses ? nullptr : engine == MP_CE_IN ? &gpu_->model.link.in : &gpu_->model.link.out;
    uint64_t delay = way ? way->delay : 0;
    const sc_core::sc_time later = way ? take_turn(*way, d, alone) : sc_core::SC_ZERO_TIME;
    if (gpu_)
        begin_lines(engine, d, later, alone);
    for (sc_core::sc_time left = later + alone; left != sc_core::SC_ZERO_TIME;) {
        wait(left);
        left = way ? gpu_->kernel.time(mp_host_delayed(way, &delay)) : sc_core::SC_ZERO_TIME;
    }
    if (gpu_)
        await_lines(engine);
}

// By how much lines that were accepted before delay a copy.
sc_core::sc_time Ce::take_turn(mp_host_way &way, const mp_ce_descriptor &d, const sc_core::sc_time &alone)
{
    const sc_core::sc_time wire(static_cast<double>(d.bytes) / static_cast<double>(model.link.gbps),
                                sc_core::SC_NS),
        cycle = gpu_->kernel.time(1);
    const auto units = [&](const sc_core::sc_time &t) {
        return static_cast<uint64_t>(t / cycle * MP_HOST_CYCLE);
    };
    const uint64_t now = units(sc_core::sc_time_stamp()), takes = units(alone);
    return cycle * (static_cast<double>(mp_host_send_copy(&way, now, now, takes, units(wire)) - now - takes) /
                    MP_HOST_CYCLE);
}

void Ce::begin_lines(unsigned engine, const mp_ce_descriptor &d, const sc_core::sc_time &later,
                     const sc_core::sc_time &alone)
{
    const sc_core::sc_time latency(static_cast<double>(model.link.latency), sc_core::SC_NS);
    uint64_t from = later.value(), to = (later + alone).value();
    Lines &l = lines_[engine];
    mp_copy copy{};
    copy.pa = engine == MP_CE_IN ? d.target : d.source;
    copy.bytes = d.bytes;
    l.kind = d.flags & MP_CE_ZERO ? MP_COPY_ZERO : engine == MP_CE_IN ? MP_COPY_IN : MP_COPY_OUT;
    mp_copy_due(l.kind, latency.value(), &from, &to);
    gpu_->kernel.enter();
    copy.from = gpu_->kernel.now() + gpu_->kernel.cycles(sc_core::sc_time::from_value(from));
    copy.to = gpu_->kernel.now() + gpu_->kernel.cycles(sc_core::sc_time::from_value(to));
    l.copies = mp_mig_copies(&gpu_->model, copy.pa, &copy.tenant);
    if (l.copies)
        l.wait.number = mp_copies_add(l.copies, l.kind, &copy);
    gpu_->kernel.leave();
}

void Ce::await_lines(unsigned engine)
{
    Lines &l = lines_[engine];
    gpu_->kernel.enter();
    const bool waits = l.copies && !mp_copies_ended(l.copies, l.kind, l.wait.number);
    if (waits) {
        l.wait.fn = [](void *lines, void *) {
            static_cast<Lines *>(lines)->ended.notify(sc_core::SC_ZERO_TIME);
        };
        l.wait.object = &l;
        mp_copies_await(l.copies, l.kind, &l.wait);
    }
    gpu_->kernel.leave();
    if (waits)
        wait(l.ended);
}

// The window of the host's memory follows the GPU's by the same distance as in physical addresses.
mp_ce_error Ce::perform(const mp_ce_descriptor &d)
{
    uint8_t data[4096] = {};
    const bool zero = d.flags & MP_CE_ZERO;
    for (uint32_t at = 0, n; at < d.bytes; at += n) {
        n = std::min<uint32_t>(sizeof data, d.bytes - at);
        if ((!zero && !access_bus(out, tlm::TLM_READ_COMMAND, MP_GPU_MEMORY_BASE + d.source + at, data, n)) ||
            !access_bus(out, tlm::TLM_WRITE_COMMAND, MP_GPU_MEMORY_BASE + d.target + at, data, n))
            return MP_CE_ERROR_BUS;
    }
    return MP_CE_ERROR_NONE;
}

void Ce::wait_longer(const sc_core::sc_time &time)
{
    if (time == sc_core::sc_max_time())
        for (;;)
            wait(never_);
    if (time != sc_core::SC_ZERO_TIME)
        wait(time);
}

void Ce::copy(unsigned engine)
{
    mp_ce_descriptor d;
    uint64_t address;
    for (;;) {
        wait(start_[engine]);
        while (mp_ce_next(&model, engine, &address)) {
            mp_ce_error error = MP_CE_ERROR_FETCH;
            if (access_bus(out, tlm::TLM_READ_COMMAND, address, reinterpret_cast<uint8_t *>(&d), sizeof d))
                error = mp_ce_check(engine, &d);
            if (!error) {
                carry(engine, d);
                error = injector && injector->copy_fails() ? MP_CE_ERROR_BUS : perform(d);
                if (injector)
                    wait_longer(injector->copy_late());
            }
            mp_ce_ended(&model, engine, &d, error);
        }
    }
}

} // namespace mp::soc
