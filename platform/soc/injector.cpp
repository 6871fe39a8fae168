// SPDX-License-Identifier: Apache-2.0
#include "soc/injector.h"

#include <algorithm>

#include "soc/regs.h"

namespace mp::soc
{

Injector::Injector(const sc_core::sc_module_name &name, mp_inject &plan, MigGpu &gpu)
    : sc_module(name), plan_(plan),
      gpu_(gpu), faults_{this, late, full, hangs, replay_lost, invalid, {this, sticks, poisoned, found}}
{
    gpu.model.faults = &faults_;
    SC_HAS_PROCESS(Injector);
    SC_METHOD(change);
    sensitive << due_;
    dont_initialize();
    for (unsigned i = 0; i < plan.faults; i++)
        if (plan.fault[i].kind == MP_INJECT_INTERRUPT_SPURIOUS && !plan.fault[i].event)
            plan_change({gpu.kernel.time(plan.fault[i].cycle), plan.fault[i].place, &plan.fault[i]});
}

// --- interrupts -------------------------------------------------------------------------------------

mp_line Injector::between(const mp_line &line)
{
    source_[line.number].out = line;
    return {this, set, line.number, false};
}

void Injector::update(Source &s)
{
    mp_line_set(&s.out, (s.device && !s.lost) || s.spurious);
}

// The interrupt controller does not see a lost interrupt until the device has lowered its line and raises it
// again.
void Injector::set(void *self, unsigned number, bool level)
{
    auto *i = static_cast<Injector *>(self);
    Source &s = i->source_[number];
    s.device = level;
    s.lost = level && i->event(MP_INJECT_INTERRUPT_LOST, number);
    i->update(s);
    if (level)
        return;
    if (const mp_injected *f = i->event(MP_INJECT_INTERRUPT_SPURIOUS, number))
        i->raise(number, f->lasts);
}

void Injector::raise(unsigned source, uint64_t cycles)
{
    source_[source].spurious = true;
    update(source_[source]);
    if (cycles != MP_NEVER)
        plan_change({now() + gpu_.kernel.time(cycles), source, nullptr});
}

void Injector::plan_change(const Change &c)
{
    const sc_core::sc_time here = sc_core::sc_time_stamp();
    changes_.push_back(c);
    due_.notify(c.at > here ? c.at - here : sc_core::SC_ZERO_TIME);
}

void Injector::change()
{
    const sc_core::sc_time here = sc_core::sc_time_stamp();
    const auto later = [&](const Change &c) { return c.at > here; };
    const auto first = std::stable_partition(changes_.begin(), changes_.end(), later);
    const std::vector<Change> due(first, changes_.end());
    changes_.erase(first, changes_.end());
    for (const Change &c : due)
        change(c);
    for (const Change &c : changes_)
        due_.notify(c.at - here); // the earliest counts
}

void Injector::change(const Change &c)
{
    if (!c.begins) {
        source_[c.source].spurious = false;
        update(source_[c.source]);
    } else if (c.begins->happened == MP_NEVER) {
        c.begins->happened = cycle();
        raise(c.source, c.begins->lasts);
    }
}

// --- the bus ----------------------------------------------------------------------------------------

bool Injector::touches_poison(uint64_t at, unsigned bytes) const
{
    return std::any_of(poisoned_.begin(), poisoned_.end(),
                       [&](uint64_t word) { return word < at + bytes && at < word + sizeof word; });
}

// A write of the whole word clears it, if it reaches the memory.
bool Injector::refuses(const tlm::tlm_generic_payload &p)
{
    const uint64_t address = p.get_address(), at = address - MP_GPU_MEMORY_BASE;
    const unsigned bytes = p.get_data_length();
    if (!p.is_write() && touches_poison(at, bytes))
        return true;
    for (unsigned w = 0; w < mp_soc_nmap; w++)
        if (address - mp_soc_map[w].base < mp_soc_map[w].bytes && event(MP_INJECT_BUS_ERROR, w))
            return true;
    if (p.is_write())
        poisoned_.erase(
            std::remove_if(poisoned_.begin(), poisoned_.end(),
                           [&](uint64_t word) { return word >= at && word + sizeof word <= at + bytes; }),
            poisoned_.end());
    return false;
}

// --- the GPU ----------------------------------------------------------------------------------------

uint64_t Injector::lasts(mp_inject_kind kind)
{
    const mp_injected *f = event(kind, 0);
    return f ? f->lasts : 0;
}

uint64_t Injector::late(void *self)
{
    return static_cast<Injector *>(self)->lasts(MP_INJECT_INVALIDATION_LATE);
}

uint64_t Injector::full(void *self)
{
    return static_cast<Injector *>(self)->lasts(MP_INJECT_FAULT_BUFFER_FULL);
}

uint64_t Injector::sticks(void *self)
{
    return static_cast<Injector *>(self)->lasts(MP_INJECT_WALKER_STUCK);
}

bool Injector::hangs(void *self)
{
    return static_cast<Injector *>(self)->event(MP_INJECT_LAUNCH_HANGS, 0);
}

bool Injector::replay_lost(void *self)
{
    return static_cast<Injector *>(self)->event(MP_INJECT_REPLAY_LOST, 0);
}

uint64_t Injector::invalid(void *self)
{
    auto *i = static_cast<Injector *>(self);
    const uint64_t late = i->lasts(MP_INJECT_VALID_BIT_LATE);
    return i->event(MP_INJECT_VALID_BIT_LOST, 0) ? MP_NEVER : late;
}

sc_core::sc_time Injector::copy_late()
{
    const uint64_t cycles = lasts(MP_INJECT_COPY_LATE);
    return cycles == MP_NEVER ? sc_core::sc_max_time() : gpu_.kernel.time(cycles);
}

void Injector::report(const mp_injected &f, uint64_t at, bool entry)
{
    const uint64_t word = at & ~UINT64_C(7);
    if (f.poisoned)
        poisoned_.push_back(word);
    const mp_mgmt_ecc error{word, f.poisoned, entry};
    mp_mgmt_report_ecc(gpu_.model.mgmt, &error);
}

// Poison stays until software writes the word.
bool Injector::poisoned(void *self, uint64_t at)
{
    auto *i = static_cast<Injector *>(self);
    if (i->touches_poison(at, sizeof at))
        return true;
    const mp_injected *f = i->event(MP_INJECT_ECC_ENTRY, 0);
    if (f)
        i->report(*f, at, true);
    return f && f->poisoned;
}

void Injector::found(void *self, uint64_t pa)
{
    auto *i = static_cast<Injector *>(self);
    const mp_injected *f = pa < MP_HOST_MEMORY ? i->event(MP_INJECT_ECC_PAGE, 0) : nullptr;
    if (f)
        i->report(*f, pa, false);
}

} // namespace mp::soc
