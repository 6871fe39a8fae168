// SPDX-License-Identifier: Apache-2.0
#include "soc/driver.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace mp::soc
{

namespace
{

constexpr size_t stack_bytes = 1 << 18;
constexpr uint64_t ps = 1000, longest = UINT64_C(1000000) * 1000000000; // of a wait, in ns

PortTransport &of(void *self)
{
    return *static_cast<PortTransport *>(self);
}

std::string counter_name(uint64_t counter)
{
    std::string name = mp_soc_enums[MP_ENUM_OF_mgmt_counter].value[counter].name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

const char *status_word(uint64_t status)
{
    const char *word = mp_reg_choice(MP_ENUM_OF_host_status, static_cast<uint32_t>(status));
    return word ? word : "unknown";
}

} // namespace

// --- the port -------------------------------------------------------------------------------------

PortTransport::PortTransport(Soc &soc)
    : functions{
          this,
          [](void *self, uint32_t offset, uint32_t *value) { return of(self).get(offset, value) ? 0 : -1; },
          [](void *self, uint32_t offset, uint32_t value) { return of(self).put(offset, value) ? 0 : -1; },
          [](void *self, uint32_t at, void *bytes, uint32_t n) {
              return of(self).read(at, bytes, n) ? 0 : -1;
          },
          [](void *self, uint32_t at, const void *bytes, uint32_t n) {
              return of(self).write(at, bytes, n) ? 0 : -1;
          },
          [](void *self, uint64_t ns) {
              of(self).wait(ns);
              return 0;
          },
          [](void *) { return now(); }},
      soc_(soc)
{
}

bool PortTransport::get(uint32_t offset, uint32_t *value)
{
    return mp_host_port_read(&soc_.host.model, offset, value);
}

bool PortTransport::put(uint32_t offset, uint32_t value)
{
    if (rang)
        rang();
    return mp_host_port_write(&soc_.host.model, offset, value);
}

bool PortTransport::read(uint32_t at, void *bytes, uint32_t n) const
{
    if (at > MP_HOST_MEMORY_BYTES || n > MP_HOST_MEMORY_BYTES - at)
        return false;
    std::memcpy(bytes, soc_.host_memory.data() + at, n);
    return true;
}

bool PortTransport::write(uint32_t at, const void *bytes, uint32_t n)
{
    if (at > MP_HOST_MEMORY_BYTES || n > MP_HOST_MEMORY_BYTES - at)
        return false;
    std::memcpy(soc_.host_memory.data() + at, bytes, n);
    soc_.host_memory.written(at, n);
    return true;
}

void PortTransport::wait(uint64_t ns)
{
    const uint64_t begin = now(), most = std::min(ns, longest);
    for (uint64_t done = 0; !soc_.host.model.value.HOST_INT_STATUS[0] && done < most; done = now() - begin)
        sc_core::wait(sc_core::sc_time::from_value((most - done) * ps), soc_.host.interrupt);
}

uint64_t PortTransport::now()
{
    return sc_core::sc_time_stamp().value() / ps;
}

// --- the script -----------------------------------------------------------------------------------

Driver::Driver(const sc_core::sc_module_name &name, PortTransport &port, const mp_host_script *script,
               std::FILE *out)
    : sc_module(name), port_(port), script_(script), out_(out)
{
    if (!script_)
        return;
    SC_HAS_PROCESS(Driver);
    SC_THREAD(play);
    set_stack_size(stack_bytes);
}

std::string Driver::cut() const
{
    if (!acts())
        return "";
    const mp_host_step &s = script_->step[step_];
    return std::string(script_->name) + ":" + std::to_string(s.line) + ": " + mp_host_step_word(&s) +
           ": the firmware has ended before this step has; it ends by quit";
}

bool Driver::fail(const mp_host_step &s, const std::string &what)
{
    failed((std::string(script_->name) + ":" + std::to_string(s.line) + ": " + mp_host_step_word(&s) + ": " +
            what)
               .c_str());
    return false;
}

bool Driver::fail(const mp_host_step &s, mp_driver_error e)
{
    std::string what = mp_driver_error_text(e);
    if (e == MP_DRIVER_TIMEOUT)
        what = "no completion within " + std::to_string(s.within / 1000) + " us; a later time";
    else if (e == MP_DRIVER_STOPPED)
        what += std::string("; ") + mp_driver_status_text(driver_.status);
    return fail(s, what);
}

static void print_counters(std::FILE *f, uint64_t space, const uint64_t *value)
{
    const mp_reg_enum &e = mp_soc_enums[MP_ENUM_OF_mgmt_counter];
    std::fprintf(f, "mempath: host: space %" PRIu64 ":", space);
    for (unsigned i = 0; i < e.values; i++)
        std::fprintf(f, "%s %s %" PRIu64, i ? "," : "", counter_name(i).c_str(), value[e.value[i].value]);
    std::fputc('\n', f);
}

bool Driver::command(const mp_host_step &s)
{
    uint64_t operand[MP_HOST_OPERAND_WORDS], value[MP_HOST_COUNTERS_BYTES / 8];
    std::copy_n(s.operand, MP_HOST_OPERAND_WORDS, operand);
    if (s.opcode == MP_HOST_DO_COUNTERS)
        operand[MP_HOST_COUNTERS_AT] = MP_DRIVER_COUNTERS;
    mp_driver_error e = mp_driver_call(&driver_, s.opcode, MP_HOST_OPERAND_WORDS, operand, nullptr);
    if (e && e != MP_DRIVER_REFUSED)
        return fail(s, e);
    refused = driver_.status != s.status;
    if (refused)
        return fail(s, std::string("status ") + status_word(driver_.status) + " (" +
                           mp_driver_status_text(driver_.status) + "); " + status_word(s.status) +
                           " is expected");
    if (s.opcode != MP_HOST_DO_COUNTERS || e)
        return true;
    port_.read(MP_DRIVER_COUNTERS, value, sizeof value);
    if (out_)
        print_counters(out_, operand[MP_HOST_COUNTERS_SPACE], value);
    return true;
}

bool Driver::expect(const mp_host_step &s)
{
    uint64_t value[MP_HOST_COUNTERS_BYTES / 8];
    mp_driver_error e = mp_driver_counters(
        &driver_, static_cast<unsigned>(std::min<uint64_t>(s.operand[0], UINT32_MAX)), value);
    if (e == MP_DRIVER_REFUSED)
        return fail(s, mp_driver_status_text(driver_.status));
    if (e)
        return fail(s, e);
    refused = value[s.counter] < s.least || value[s.counter] > s.most;
    if (!refused)
        return true;
    const std::string most = s.most == UINT64_MAX ? " or more" : " to " + std::to_string(s.most);
    return fail(s, counter_name(s.counter) + " of space " + std::to_string(s.operand[0]) + " is " +
                       std::to_string(value[s.counter]) + "; " + std::to_string(s.least) +
                       (s.least == s.most ? "" : most) + " is expected");
}

bool Driver::play_step(const mp_host_step &s)
{
    driver_.within = s.within;
    switch (s.kind) {
    case MP_HOST_STEP_EXPECT:
        return expect(s);
    case MP_HOST_STEP_PAUSE:
        wait(sc_core::sc_time::from_value(s.within * ps));
        return true;
    default:
        return command(s);
    }
}

void Driver::play()
{
    const mp_host_step &first = script_->step[0];
    mp_driver_error e = mp_driver_open(&driver_, &port_.functions, first.within);
    if (e == MP_DRIVER_TIMEOUT)
        fail(first, "no firmware serves the host within " + std::to_string(first.within / 1000) +
                        " us; the included image, or one that calls service_serve");
    else if (e)
        fail(first, e);
    while (!e && acts() && play_step(script_->step[step_]))
        step_++;
    wait(); // never returns, as in core.cpp
}

} // namespace mp::soc
