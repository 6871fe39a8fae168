// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "soc/elf.h"
#include "soc/injector.h"

namespace mp::soc
{

namespace
{

const sc_core::sc_time cycle(1, sc_core::SC_NS);

// The core starts here. The code jumps to the entry, which the platform writes after the code.
const uint32_t boot_code[] = {
    0x00000297, // auipc t0, 0
    0x0182b283, // ld    t0, 24(t0)
    0xf1402573, // csrr  a0, mhartid
    0x00000593, // li    a1, 0: no device tree
    0x00028067, // jr    t0
    0x00000013, // nop
};
constexpr uint64_t boot_bytes = sizeof boot_code + sizeof(uint64_t);

struct CloseFile {
    void operator()(std::FILE *f) const { std::fclose(f); }
};

int read_file(const char *name, std::vector<uint8_t> &bytes, mp_error *err)
{
    std::unique_ptr<std::FILE, CloseFile> f(std::fopen(name, "rb"));
    if (!f)
        return mp_fail(err, "%s: %s; an ELF executable is needed", name, std::strerror(errno));
    uint8_t part[65536];
    for (size_t n; (n = std::fread(part, 1, sizeof part, f.get())) > 0;)
        bytes.insert(bytes.end(), part, part + n);
    if (std::ferror(f.get()))
        return mp_fail(err, "%s: %s; an ELF executable is needed", name, std::strerror(errno));
    return 0;
}

} // namespace

Soc::Soc(const sc_core::sc_module_name &name, const SocOptions &options)
    : sc_module(name), bus("bus"), core("core", cycle, options.quantum, options.semihosting),
      rom("rom", MP_ROM_BYTES, false), ram("ram", MP_RAM_BYTES, true),
      host_memory("host_memory", MP_HOST_MEMORY_BYTES, true),
      host_pages("host_pages", MP_HOST_PAGES_BYTES, true), finisher("finisher"),
      clint("clint", core.interrupt(MP_IRQ_SOFTWARE), core.interrupt(MP_IRQ_TIMER)),
      plic("plic", core.interrupt(MP_IRQ_EXTERNAL), core.interrupt(MP_IRQ_S_EXTERNAL)),
      uart("uart", source(MP_UART_IRQ, options.injector), options.console),
      dma("dma", source(MP_DMA_IRQ, options.injector), cycle),
      ce("ce", source(MP_CE_IRQ, options.injector), options.link, options.gpu),
      host("host", source(MP_HOST_IRQ, options.injector), options.host),
      mgmt("mgmt", source(MP_GPU_INVALIDATE_IRQ, options.injector),
           source(MP_GPU_FAULT_IRQ, options.injector), source(MP_GPU_QUEUE_IRQ, options.injector),
           options.gpu)
{
    core.socket.bind(bus.in);
    dma.out.bind(bus.in);
    ce.out.bind(bus.in);
    attach(MP_WINDOW_ROM, rom.socket);
    attach(MP_WINDOW_RAM, ram.socket);
    attach(MP_WINDOW_HOST_MEMORY, host_memory.socket);
    attach(MP_WINDOW_HOST_PAGES, host_pages.socket);
    attach(MP_WINDOW_FINISHER, finisher.socket);
    attach(MP_WINDOW_CLINT, clint.socket);
    attach(MP_WINDOW_PLIC, plic.socket);
    attach(MP_WINDOW_UART, uart.socket);
    attach(MP_WINDOW_DMA, dma.socket);
    attach(MP_WINDOW_CE, ce.socket);
    attach(MP_WINDOW_HOST, host.socket);
    attach(MP_WINDOW_GPU, mgmt.socket);
    if (options.gpu)
        attach(MP_WINDOW_GPU_MEMORY, options.gpu->memory);
    ram.written = [this](uint64_t at, uint64_t bytes) { mp_hart_forget(core.hart, MP_RAM_BASE + at, bytes); };
    rom.written = [this](uint64_t at, uint64_t bytes) { mp_hart_forget(core.hart, MP_ROM_BASE + at, bytes); };
    host_memory.written = [this](uint64_t at, uint64_t bytes) {
        mp_hart_forget(core.hart, MP_HOST_MEMORY_BASE + at, bytes);
    };
    core.time = [this](const sc_core::sc_time &now) { return clint.time(now); };
    if (auto *injector = options.injector) {
        ce.injector = injector;
        bus.refuses = [injector](const tlm::tlm_generic_payload &p) { return injector->refuses(p); };
        injector->now = [this] {
            return sc_core::sc_time_stamp() + (core.waiting ? sc_core::SC_ZERO_TIME : core.ahead());
        };
    }
    finisher.finish = [this](int code) {
        finished = true;
        exit_code = code;
        mp_hart_halt(core.hart);
    };
}

void Soc::attach(unsigned window, tlm::tlm_target_socket<> &target)
{
    const mp_map_window &w = mp_soc_map[window];
    bus.attach(w.base, w.bytes, target);
    if (w.kind == MP_MAP_DEVICE)
        core.add_devices(w.base, w.bytes);
    else
        core.add_memory(w.base);
}

mp_line Soc::source(unsigned number, Injector *injector)
{
    const mp_line line{&plic.model, mp_plic_source, number, false};
    return injector ? injector->between(line) : line;
}

int Soc::load_segment(void *self, uint64_t address, const void *bytes, uint64_t filled, uint64_t size,
                      mp_error *err)
{
    auto *s = static_cast<Soc *>(self);
    struct {
        uint64_t base, bytes;
        uint8_t *data;
    } const places[] = {{MP_RAM_BASE, MP_RAM_BYTES, s->ram.data()},
                        {MP_ROM_BASE + boot_bytes, MP_ROM_BYTES - boot_bytes, s->rom.data() + boot_bytes}};
    if (address - MP_RAM_BASE < MP_RAM_BYTES) {
        s->program_begin = std::min(s->program_begin, address);
        s->data_end = std::max(s->data_end, address + filled);
        s->program_end = std::max(s->program_end, address + size);
    }
    for (const auto &p : places)
        if (address - p.base < p.bytes && size <= p.bytes - (address - p.base)) {
            std::memcpy(p.data + (address - p.base), bytes, filled);
            std::memset(p.data + (address - p.base) + filled, 0, size - filled);
            return 0;
        }
    return mp_fail(
        err,
        "a segment of 0x%llx B at 0x%llx is in no memory; RAM is 0x%llx B at 0x%llx, ROM 0x%llx B at 0x%llx",
        static_cast<unsigned long long>(size), static_cast<unsigned long long>(address),
        static_cast<unsigned long long>(MP_RAM_BYTES), static_cast<unsigned long long>(MP_RAM_BASE),
        static_cast<unsigned long long>(MP_ROM_BYTES - boot_bytes),
        static_cast<unsigned long long>(MP_ROM_BASE + boot_bytes));
}

int Soc::load(const char *file, mp_error *err)
{
    std::vector<uint8_t> bytes;
    uint64_t entry;
    mp_elf_memory memory{this, load_segment};
    if (read_file(file, bytes, err) || mp_elf_load(file, bytes.data(), bytes.size(), &memory, &entry, err))
        return -1;
    std::memcpy(rom.data(), boot_code, sizeof boot_code);
    std::memcpy(rom.data() + sizeof boot_code, &entry, sizeof entry);
    mp_hart_write(core.hart, MP_HART_PC, MP_ROM_BASE);
    return 0;
}

} // namespace mp::soc
