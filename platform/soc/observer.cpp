// SPDX-License-Identifier: Apache-2.0
#include "soc/observer.h"

#include <cinttypes>
#include <cstring>

#include "soc/crash.h"
#include "soc/hart/csr.h"

namespace mp::soc
{

namespace
{
constexpr int of_core = 0; // initiators, in the order in which soc.cpp binds them
const char *const initiators[] = {"core", "dma", "ce"};
constexpr uint64_t ns = 1000; // picoseconds

// At most 8. Accesses of the core have a width for which a compiler needs no call of memcpy.
uint64_t first_bytes(const unsigned char *data, uint32_t bytes)
{
    uint64_t value = 0;
    switch (bytes) {
    case 1:
        return *data;
    case 4:
        std::memcpy(&value, data, 4);
        return value;
    case 8:
        std::memcpy(&value, data, 8);
        return value;
    default:
        std::memcpy(&value, data, bytes < sizeof value ? bytes : sizeof value);
        return value;
    }
}

const char *const columns = "# time/ns     who  pc          symbol                    "
                            "read|write bytes address register data response, or insn number code text\n";
} // namespace

Observer::Observer(Soc &soc, const mp_mig &gpu, const mp_soc_run &run, mp_coverage *coverage)
    : soc_(soc), gpu_(gpu), counts_(*mp_hart_counts(soc.core.hart)),
      symbols_(mp_symbols_open(run.image, nullptr)), coverage_(coverage), replay_limit_(run.replay_limit),
      stall_limit_(run.stall_limit), stall_(soc, gpu, symbols_, run.stall_limit)
{
    soc.bus.observer = this;
    soc.core.refused = [this](uint64_t address, unsigned width, bool write) {
        refused(address, width, write);
    };
    soc.core.stalled = [this](bool whole) {
        if (!stall_.end(whole))
            return false;
        soc_.core.failure = stalled();
        return true;
    };
}

int Observer::trace(const mp_soc_run &run, mp_error *err)
{
    trace_ = run.trace;
    trace_bus_ = run.trace_bus;
    trace_first_ = run.trace_first;
    trace_last_ = run.trace_last;
    if (trace_first_ && !(disassembler_ = mp_disassembler_open(err)))
        return -1;
    follow(trace_first_, trace_last_);
    if (trace_)
        std::fputs(columns, trace_);
    return 0;
}

Observer::~Observer()
{
    soc_.bus.observer = nullptr;
    mp_symbols_close(symbols_);
    mp_disassembler_close(disassembler_);
}

void Observer::access(int from, const tlm::tlm_generic_payload &p, const sc_core::sc_time &start)
{
    Access &a = last_[accesses_++ % kept];
    a.picoseconds = start.value();
    a.number = counts_.instructions;
    a.core = from == of_core;
    a.from = from;
    a.pc = a.core ? mp_hart_at(soc_.core.hart) : 0;
    a.address = p.get_address();
    a.bytes = p.get_data_length();
    a.write = p.is_write();
    a.dlab = soc_.uart.model.value.LCR[0] & MP_UART_LCR_DLAB;
    a.response = p.is_response_ok() ? Access::Response::ok : Access::Response::error;
    a.data = first_bytes(p.get_data_ptr(), a.bytes);
    stall_.accessed(a);
    if (a.write && a.response == Access::Response::ok)
        stall_.wrote(a, p.get_data_ptr());
    if (trace_bus_)
        print(trace_, a);
}

void Observer::refused(uint64_t address, unsigned width, bool write)
{
    Access &a = last_[accesses_++ % kept];
    a = Access{};
    a.picoseconds = (sc_core::sc_time_stamp() + soc_.core.ahead()).value();
    a.number = counts_.instructions;
    a.core = true;
    a.pc = mp_hart_at(soc_.core.hart);
    a.address = address;
    a.bytes = width;
    a.write = write;
    a.response = Access::Response::refused;
    if (trace_bus_)
        print(trace_, a);
}

void Observer::print_start(std::FILE *f, uint64_t picoseconds, const char *who, uint64_t pc)
{
    char symbol[128];
    mp_symbols_name(symbols_, pc, symbol, sizeof symbol);
    std::fprintf(f, "%11" PRIu64 "  %4s  0x%08" PRIx64 "  %-24s  ", picoseconds / ns, who, pc, symbol);
}

// Data is the value written, or the value that a successful read returned; for the copy engine, the first
// bytes.
void Observer::print(std::FILE *f, const Access &a)
{
    static const char *const responses[] = {"ok", "error", "refused"};
    char name[64];
    bool known = a.response == Access::Response::ok || (a.write && a.response == Access::Response::error);
    mp_soc_name(a.address, a.write, a.dlab, name, sizeof name);
    if (a.core)
        print_start(f, a.picoseconds, "core", a.pc);
    else
        std::fprintf(f, "%11" PRIu64 "  %4s  %-10s  %-24s  ", a.picoseconds / ns, initiators[a.from], "-",
                     "-");
    std::fprintf(f, "%-5s %u  0x%08" PRIx64 "  %-20s  ", a.write ? "write" : "read", a.bytes, a.address,
                 name);
    if (known)
        std::fprintf(f, "0x%0*" PRIx64, static_cast<int>(2 * (a.bytes < 8 ? a.bytes : 8)), a.data);
    else
        std::fputc('-', f);
    std::fprintf(f, "  %s\n", responses[static_cast<int>(a.response)]);
}

// Coverage follows all instructions.
void Observer::follow(uint64_t first, uint64_t last)
{
    mp_hart_trace(soc_.core.hart, coverage_ ? 1 : first, coverage_ ? UINT64_MAX : last, instruction, this);
}

void Observer::instruction(void *self, uint64_t number, uint64_t pc, uint32_t code)
{
    auto *o = static_cast<Observer *>(self);
    if (o->coverage_ && code)
        mp_coverage_see(o->coverage_, pc);
    if (o->watches_)
        o->stall_.look(pc, code);
    if (!o->trace_first_ || number < o->trace_first_ || number > o->trace_last_)
        return;
    bool is_short = (code & 3) != 3;
    o->print_start(o->trace_, (sc_core::sc_time_stamp() + o->soc_.core.ahead()).value(), "core", pc);
    char text[128];
    mp_disassemble(o->disassembler_, pc, code, text, sizeof text);
    std::fprintf(o->trace_, "insn %" PRIu64 "  0x%0*x%s  %s\n", number, is_short ? 4 : 8,
                 is_short ? code & 0xffff : code, is_short ? "    " : "", text);
}

namespace
{

// The names of the bits that are set, from a list of numbers.
struct Numbered {
    unsigned number;
    const char *name;
};

template <size_t n> void print_set(std::FILE *f, const char *what, uint64_t bits, const Numbered (&names)[n])
{
    std::fprintf(f, "%s", what);
    bool any = false;
    for (const Numbered &i : names)
        if (bits >> i.number & 1) {
            std::fprintf(f, " %s", i.name);
            any = true;
        }
    std::fputs(any ? "" : " none", f);
}

#define SOURCE(name, number, text) {number, #name},
const Numbered sources[] = {MP_SOC_INTERRUPTS(SOURCE)};
const Numbered causes[] = {{MP_IRQ_SOFTWARE, "software"},    {MP_IRQ_TIMER, "timer"},
                           {MP_IRQ_EXTERNAL, "external"},    {MP_IRQ_S_SOFTWARE, "S-mode software"},
                           {MP_IRQ_S_TIMER, "S-mode timer"}, {MP_IRQ_S_EXTERNAL, "S-mode external"}};

uint64_t csr(mp_hart *h, unsigned number)
{
    uint64_t value = 0;
    mp_hart_read(h, MP_HART_CSR + number, &value);
    return value;
}

} // namespace

void Observer::print_interrupts(std::FILE *f)
{
    enum { MSTATUS_MIE = 8, SSTATUS_SIE = 2 };
    mp_hart *h = soc_.core.hart;
    const mp_plic &plic = soc_.plic.model;
    print_set(f, "interrupts pending:", csr(h, MP_CSR_MIP), causes);
    print_set(f, "; enabled in mie:", csr(h, MP_CSR_MIE), causes);
    std::fprintf(f, "; mstatus.MIE %d", csr(h, MP_CSR_MSTATUS) & MSTATUS_MIE ? 1 : 0);
    if (csr(h, MP_CSR_MIDELEG)) {
        print_set(f, "; delegated to S-mode:", csr(h, MP_CSR_MIDELEG), causes);
        std::fprintf(f, "; sstatus.SIE %d", csr(h, MP_CSR_SSTATUS) & SSTATUS_SIE ? 1 : 0);
    }
    std::fputc('\n', f);
    print_set(f, "interrupt controller: active:", plic.level, sources);
    print_set(f, "; enabled:", plic.value.ENABLE[0], sources);
    print_set(f, "; claimed and not completed:", plic.served, sources);
    std::fprintf(f, "; threshold %u\n", static_cast<unsigned>(plic.value.THRESHOLD[0]));
    if (!plic.value.ENABLE[1])
        return;
    print_set(f, "interrupt controller for S-mode: enabled:", plic.value.ENABLE[1], sources);
    std::fprintf(f, "; threshold %u\n", static_cast<unsigned>(plic.value.THRESHOLD[1]));
}

void Observer::look()
{
    enum { SP = 2 };
    if (!stack_)
        mp_hart_read(soc_.core.hart, SP, &stack_);
    bool watched = watches_;
    watches_ = stall_.begin();
    uint64_t done = counts_.instructions;
    if (watches_)
        follow(done + 1, done + soc_.core.quantum());
    else if (watched)
        follow(trace_first_, trace_last_);
}

std::string Observer::stalled() const
{
    std::vector<Access> latest;
    for (uint64_t i = accesses_; i > 0 && accesses_ - i < kept; i--)
        latest.push_back(last_[(i - 1) % kept]);
    Stall::Doing doing = stall_.doing(latest);
    char text[200];
    if (stall_.endless()) {
        std::snprintf(text, sizeof text,
                      "endless loop: every %" PRIu64
                      " instructions all is as it was, and nothing will change what "
                      "they read; the code at 0x%" PRIx64,
                      stall_.period(), doing.at.pc);
        return text + place(doing.at) + ", " + doing.what + "; --stall-limit 0 lets it run";
    }
    std::snprintf(text, sizeof text,
                  "no progress: %" PRIu64 " instructions without output, another value in a "
                  "device, a timer interrupt or work of the GPU; the code at 0x%" PRIx64,
                  stall_.length(), doing.at.pc);
    return text + place(doing.at) + ", " + doing.what + "; --stall-limit N, now " +
           std::to_string(stall_limit_) + "; 0 for none";
}

std::string Observer::exception(bool *returned) const
{
    char text[1024];
    const mp_hart_exception *latest = mp_hart_latest_exception(soc_.core.hart),
                            *open = mp_hart_open_exception(soc_.core.hart);
    *returned = !open->number;
    if (!latest->number)
        return "";
    const mp_crash crash{symbols_,
                         gpu_.memory.bytes,
                         (soc_.uart.model.value.LCR[0] & MP_UART_LCR_DLAB) != 0,
                         soc_.program_begin,
                         soc_.data_end,
                         soc_.program_end,
                         stack_,
                         soc_.core.hart};
    mp_crash_line(&crash, *returned ? latest : open,
                  *returned || open->number == latest->number ? nullptr : latest, text, sizeof text);
    return text;
}

// Why a page faulted: the cause, and the entry as it is now.
std::string Observer::cause(const mp_mgmt_fault &fault) const
{
    char text[200];
    if (!fault.entry) {
        std::snprintf(text, sizeof text, "%s", mp_reg_text(MP_ENUM_OF_mgmt_cause, fault.cause));
        return text;
    }
    std::snprintf(text, sizeof text, "%s: level %u, entry at 0x%" PRIx64 " holds 0x%016" PRIx64,
                  mp_reg_text(MP_ENUM_OF_mgmt_cause, fault.cause), fault.level, fault.entry,
                  mp_physmem_read64(&gpu_.memory, fault.entry));
    return text;
}

std::string Observer::livelock(const mp_mgmt_fault &fault) const
{
    char text[400];
    uint64_t page = fault.va & ~(gpu_.machine.page_bytes - 1);
    std::snprintf(text, sizeof text,
                  "livelock: page 0x%" PRIx64 " of address space %u faulted again after each of %" PRIu32
                  " replays, and no other page came; %s; --replay-limit",
                  page, fault.asid, replay_limit_, cause(fault).c_str());
    return text;
}

mp_store Observer::who() const
{
    enum { RA = 1 };
    mp_store by{};
    if (soc_.bus.initiator == of_core) {
        by.pc = mp_hart_at(soc_.core.hart);
        mp_hart_read(soc_.core.hart, RA, &by.ra);
    }
    return by;
}

// Drivers store by functions that call no other, whose callers are of interest. In another function, the
// return address is that of its latest call, in its own code.
std::string Observer::place(const mp_store &by) const
{
    const uint64_t at[] = {by.pc, by.ra - 1};
    const mp_crash crash{symbols_, 0, false, 0, 0, 0, 0, nullptr};
    char text[2][160], name[2][64];
    for (unsigned i = 0; i < 2; i++) {
        mp_crash_place(&crash, at[i], text[i], sizeof text[i]);
        mp_symbols_name(symbols_, at[i], name[i], sizeof name[i]);
        name[i][std::strcspn(name[i], "+")] = '\0';
    }
    return std::string(text[0]) + (std::strcmp(name[0], name[1]) ? std::string(" from") + (text[1] + 1) : "");
}

// The commands of firmware to the GPU that have not ended.
void Observer::print_gpu(std::FILE *f)
{
    const mp_mgmt &m = soc_.mgmt.model;
    if (m.value.INV_STATUS[0] & MP_GPU_INV_STATUS_BUSY)
        std::fputs("GPU: an invalidation is in progress\n", f);
    if (m.faults) {
        const mp_mgmt_fault &oldest = m.buffer[m.first_fault].fault;
        std::fprintf(f, "GPU: %u faults in the buffer, the oldest at 0x%" PRIx64 " of address space %u; %s\n",
                     m.faults, oldest.va, oldest.asid, cause(oldest).c_str());
    }
    for (unsigned i = 0; i < m.entries; i++) {
        const mp_mgmt_queued &q = m.entry[i];
        std::fprintf(f, "GPU: launch with tag %u, workload %u on instance %u, %s\n", q.launch.tag,
                     q.launch.workload, q.launch.instance,
                     q.done    ? "has ended and was not taken from the queue"
                     : q.stops ? "will stop when its work-groups on SMs have ended"
                     : q.runs  ? "runs"
                               : "waits");
    }
    for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
        if (m.context[n].state == MP_MGMT_SAVED)
            std::fprintf(f, "GPU: launch with tag %u, workload %u on instance %u, is saved in context %u\n",
                         m.context[n].launch.tag, m.context[n].launch.workload, m.context[n].launch.instance,
                         n);
    for (unsigned asid = 0; asid < MP_MGMT_SPACES; asid++)
        if (gpu_.recorded[asid].length)
            std::fprintf(f, "GPU: %u accesses of address space %u wait for FAULT_REPLAY\n",
                         gpu_.recorded[asid].length, asid);
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (m.fault_ring[i].put != m.fault_ring[i].get)
            std::fprintf(f, "GPU: %u faults in the ring of instance %u\n",
                         (m.fault_ring[i].put - m.fault_ring[i].get) & (m.fault_ring[i].entries - 1), i);
    if (m.value.FAULT_HELD[0])
        std::fprintf(f, "GPU: %" PRIu64 " accesses that faulted wait for room in the buffer or a ring\n",
                     m.value.FAULT_HELD[0]);
}

// What the host waits for.
void Observer::print_host(std::FILE *f)
{
    const mp_HOST_values &v = soc_.host.model.value;
    if (v.PRESENT[0])
        std::fprintf(f, "host: rings %s; %u commands not taken, %u completions not taken\n",
                     mp_soc_enums[MP_ENUM_OF_host_state].value[v.STATE[0]].name,
                     static_cast<uint32_t>(v.TAIL[0] - v.HEAD[0]),
                     static_cast<uint32_t>(v.DONE_TAIL[0] - v.DONE_HEAD[0]));
}

// Where the core is, and the calls that led there.
void Observer::print_frames(std::FILE *f)
{
    const mp_crash crash{symbols_, 0, false, 0, 0, 0, 0, soc_.core.hart};
    char symbol[128], line[256];
    uint64_t x[32], at = 0, pc[MP_CRASH_FRAMES];
    for (unsigned i = 0; i < 32; i++)
        mp_hart_read(soc_.core.hart, i, &x[i]);
    mp_hart_read(soc_.core.hart, MP_HART_PC, &at);
    unsigned n = mp_crash_backtrace(&crash, at, x, pc);
    for (unsigned i = 0; i < n; i++) {
        mp_symbols_name(symbols_, pc[i], symbol, sizeof symbol);
        mp_symbols_line(symbols_, pc[i], line, sizeof line);
        std::fprintf(f, "%s 0x%" PRIx64 "  %s  %s\n", i ? "called by" : "pc", pc[i], symbol, line);
    }
}

void Observer::diagnose(std::FILE *f)
{
    print_frames(f);
    print_interrupts(f);
    print_gpu(f);
    print_host(f);
    uint64_t n = accesses_ < kept ? accesses_ : kept;
    if (n)
        std::fprintf(f, "latest %" PRIu64 " of %" PRIu64 " bus accesses:\n", n, accesses_);
    for (uint64_t i = accesses_ - n; i < accesses_; i++)
        print(f, last_[i % kept]);
}

} // namespace mp::soc
