// SPDX-License-Identifier: Apache-2.0
#include "soc/stall.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "soc/hart/csr.h"
#include "soc/hart/rv_access.h"

namespace mp::soc
{

namespace
{

enum { SP = 2, FP = 8, RA = 1 };
constexpr size_t listed = 3, kept = 32;
constexpr uint64_t frame = 4096; // bytes above the stack pointer that count as the stack

// A timer interrupt that is later than this does not keep a run alive.
const sc_core::sc_time patience(10, sc_core::SC_SEC);

const struct {
    unsigned number;
    const char *name;
} csrs[] = {{MP_CSR_MIP, "mip"},           {MP_CSR_SIP, "sip"},     {MP_CSR_MCYCLE, "mcycle"},
            {MP_CSR_MINSTRET, "minstret"}, {MP_CSR_CYCLE, "cycle"}, {MP_CSR_TIME, "time"},
            {MP_CSR_INSTRET, "instret"}};

const struct {
    unsigned number;
    const char *name;
} causes[] = {{MP_IRQ_SOFTWARE, "software"},        {MP_IRQ_TIMER, "timer"},
              {MP_IRQ_EXTERNAL, "device"},          {MP_IRQ_S_SOFTWARE, "supervisor software"},
              {MP_IRQ_S_TIMER, "supervisor timer"}, {MP_IRQ_S_EXTERNAL, "supervisor device"}};

uint64_t read(mp_hart *hart, unsigned number)
{
    uint64_t value = 0;
    mp_hart_read(hart, number, &value);
    return value;
}

uint64_t sum(const unsigned char *data, uint32_t bytes)
{
    uint64_t s = 0, word = 0;
    for (uint32_t i = 0; i < bytes; i += sizeof word) {
        std::memcpy(&word, data + i, std::min<size_t>(sizeof word, bytes - i));
        s = s * 0x9e3779b97f4a7c15u + word;
    }
    return s;
}

std::string hex(uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

} // namespace

Stall::Stall(Soc &soc, const mp_mig &gpu, mp_symbols *symbols, uint64_t limit)
    : soc_(soc), gpu_(gpu), symbols_(symbols), limit_(limit)
{
    mp_liveness_init(&liveness_);
    mp_repeat_init(&repeat_, soc.core.hart);
}

// --- progress -------------------------------------------------------------------------------------

void Stall::copied(const Access &a, const unsigned char *data)
{
    const mp_liveness_write w{a.address, sum(data, a.bytes)};
    mp_liveness_wrote(&liveness_, a.number, MP_LIVENESS_DMA, true, &w);
}

uint64_t Stall::retired() const
{
    uint64_t done = 0;
    for (unsigned asid = 0; asid < MP_MGMT_SPACES; asid++)
        done += mp_mig_runs(&gpu_, asid).instructions;
    return done;
}

// Whether the GPU has executed instructions. To count them is slow, and unnecessary while it has no work.
bool Stall::gpu_works()
{
    const mp_mgmt &m = soc_.mgmt.model;
    bool works = m.value.PROBE_STATUS[0] & MP_GPU_PROBE_STATUS_BUSY;
    for (unsigned i = 0; i < m.entries; i++)
        works |= !m.entry[i].done;
    bool worked = gpu_worked_;
    gpu_worked_ = works;
    if (!works && !worked)
        return false;
    uint64_t before = retired_;
    retired_ = retired();
    return retired_ != before;
}

// Whether a timer interrupt has come by time and is enabled or was taken.
bool Stall::timer_came()
{
    uint64_t timers = soc_.clint.timers, taken = mp_hart_counts(soc_.core.hart)->interrupts[MP_IRQ_TIMER];
    bool came = timers != timers_ && (taken != timer_interrupts_ ||
                                      read(soc_.core.hart, MP_HART_CSR + MP_CSR_MIE) >> MP_IRQ_TIMER & 1);
    timers_ = timers;
    timer_interrupts_ = taken;
    return came;
}

// The time of the next timer interrupt, or zero if firmware does not wait for one.
sc_core::sc_time Stall::next_timer() const
{
    if (!(read(soc_.core.hart, MP_HART_CSR + MP_CSR_MIE) >> MP_IRQ_TIMER & 1))
        return sc_core::SC_ZERO_TIME;
    sc_core::sc_time when = soc_.clint.due_at();
    return when > sc_core::sc_time_stamp() + patience ? sc_core::SC_ZERO_TIME : when;
}

bool Stall::waits_for_timer(const sc_core::sc_time &until)
{
    if (grace_of_ != liveness_.latest) {
        grace_of_ = liveness_.latest;
        grace_ = next_timer();
    }
    return grace_ >= until;
}

// In a loop that repeats, only a device can change something: the timer, if it is set, or one that `rests`
// knows.
bool Stall::may_be_endless() const
{
    return rests && rests() && soc_.clint.due_at() == sc_core::SC_ZERO_TIME;
}

bool Stall::begin()
{
    if (!limit_ || soc_.core.debugged)
        return false;
    uint64_t left = length() < limit_ ? limit_ - length() : 0; // 0: a timer has kept the run alive
    bool near =
        left <= soc_.core.quantum() && !waits_for_timer(sc_core::sc_time_stamp() + soc_.core.quantum_time());
    soc_.core.check = near && left ? left : UINT64_MAX;
    if (!near && !repeat_.follows)
        return false;
    seen_.clear();
    std::copy_n(mp_hart_counts(soc_.core.hart)->interrupts, interrupts_.size(), interrupts_.begin());
    return true;
}

bool Stall::end(bool whole)
{
    if (!limit_ || soc_.core.debugged)
        return false;
    if (gpu_works() || timer_came())
        event();
    if (whole && may_be_endless())
        endless_ = mp_repeat_quantum(&repeat_);
    else if (whole)
        mp_repeat_forget(&repeat_);
    return endless_ || (length() >= limit_ && !waits_for_timer(sc_core::sc_time_stamp() + soc_.core.ahead()));
}

// --- what the firmware does -----------------------------------------------------------------------

uint64_t Stall::loaded(uint64_t address, unsigned bytes) const
{
    uint64_t value = 0;
    if (address - MP_RAM_BASE <= MP_RAM_BYTES - bytes)
        std::memcpy(&value, soc_.ram.data() + (address - MP_RAM_BASE), bytes);
    return value;
}

void Stall::see(const Seen &s)
{
    for (Seen &old : seen_)
        if (old.address == s.address && old.is_csr == s.is_csr && old.is_write == s.is_write) {
            bool changes = old.changes || old.value != s.value;
            uint32_t times = old.times + 1;
            old = s;
            old.changes = changes;
            old.times = times;
            return;
        }
    if (seen_.size() < kept)
        seen_.push_back(s);
}

void Stall::look(uint64_t pc, uint32_t code)
{
    mp_hart *hart = soc_.core.hart;
    struct mp_rv_access a;
    Seen s{};
    if (repeat_.follows)
        mp_repeat_look(&repeat_, code);
    s.times = 1;
    s.at.pc = pc;
    s.at.ra = read(hart, RA);
    if (mp_rv_access(code, &a)) {
        const uint64_t address = read(hart, a.base) + static_cast<uint64_t>(static_cast<int64_t>(a.offset));
        mp_hart_physical(hart, address, &s.address);
        s.is_write = a.write && !a.atomic;
        s.is_memory = s.address - MP_RAM_BASE < MP_RAM_BYTES;
        s.is_stack = a.base == SP || (a.base == FP && address - read(hart, SP) < frame);
        s.value = s.is_write ? read(hart, a.data) : loaded(s.address, a.width);
        see(s);
        return;
    }
    if ((code & 0x7f) != 0x73 || !(code >> 12 & 3))
        return;
    for (const auto &c : csrs)
        if (c.number == code >> 20) {
            s.address = c.number;
            s.is_csr = true;
            s.changes = mp_csr_is_time(c.number);
            see(s);
        }
}

// Accesses of the bus, which has the values, and of more than the quantum; `seen_` has the return addresses.
std::vector<Stall::Seen> Stall::of_devices(const std::vector<Access> &latest) const
{
    std::vector<Seen> all;
    for (const Access &a : latest) {
        if (!a.core || a.number <= liveness_.latest)
            continue;
        const auto same = [&](const Seen &s) {
            return !s.is_csr && s.address == a.address && s.is_write == a.write;
        };
        auto known = std::find_if(all.begin(), all.end(), same);
        if (known != all.end()) {
            known->changes |= known->value != a.data;
            continue;
        }
        Seen s{};
        auto watched = std::find_if(seen_.begin(), seen_.end(), same);
        s.at.pc = a.pc;
        s.at.ra = watched != seen_.end() && watched->at.pc == a.pc ? watched->at.ra : a.pc + 1; // no caller
        s.address = a.address;
        s.value = a.data;
        s.is_write = a.write;
        all.push_back(s);
    }
    return all;
}

std::string Stall::text(const Seen &s) const
{
    static const char *const by_time = ", which changes by time alone";
    char name[96];
    if (s.is_csr) {
        for (const auto &c : csrs)
            if (c.number == s.address)
                return std::string("reads CSR ") + c.name + (mp_csr_is_time(c.number) ? by_time : "");
        return "";
    }
    if (s.is_stack)
        std::snprintf(name, sizeof name, "the stack");
    else if (s.is_memory && s.address - soc_.program_begin < soc_.program_end - soc_.program_begin)
        mp_symbols_name(symbols_, s.address, name, sizeof name);
    else if (s.is_memory)
        std::snprintf(name, sizeof name, "RAM");
    else
        mp_soc_name(s.address, s.is_write, soc_.uart.model.value.LCR[0] & MP_UART_LCR_DLAB, name,
                    sizeof name);
    return std::string(s.is_write ? "writes " : "reads ") + name + " at " + hex(s.address) +
           (is_time(s.address) && !s.is_write
                ? by_time
                : (s.changes ? ", values such as " : ", value ") + hex(s.value));
}

// Devices and CSRs first, then memory that keeps its value, on the stack only if there is no other.
Stall::Doing Stall::doing(const std::vector<Access> &latest) const
{
    std::vector<Seen> chosen = of_devices(latest);
    for (const Seen &s : seen_)
        if (s.is_csr)
            chosen.push_back(s);
    for (bool stack : {false, true})
        if (chosen.empty())
            for (const Seen &s : seen_)
                if (s.is_memory && !s.is_write && !s.changes && s.times > 1 && s.is_stack == stack)
                    chosen.push_back(s);
    Doing d{};
    if (chosen.empty()) {
        d.at.pc = read(soc_.core.hart, MP_HART_PC);
        d.at.ra = read(soc_.core.hart, RA);
        d.what = "accesses no device and waits for no memory: it computes, or loops";
    } else {
        d.at = chosen[0].at;
    }
    for (size_t i = 0; i < chosen.size() && i < listed; i++)
        d.what += (i ? ", " : "") + text(chosen[i]);
    if (chosen.size() > listed)
        d.what += " and others";
    for (const auto &c : causes)
        if (mp_hart_counts(soc_.core.hart)->interrupts[c.number] > interrupts_[c.number] + 1)
            d.what += std::string("; a ") + c.name + " interrupt is taken again and again";
    return d;
}

} // namespace mp::soc
