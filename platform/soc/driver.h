// SPDX-License-Identifier: Apache-2.0
// The host, whose driver uses the SoC's port by the library of sw/host: a script that is played at times of
// the simulation.
#ifndef MP_SOC_DRIVER_H
#define MP_SOC_DRIVER_H

#include <cstdio>
#include <functional>
#include <string>
#include <systemc>

#include "host/driver.h"
#include "soc/host_script.h"
#include "soc/soc.h"

namespace mp::soc
{

// The port, for a process of SystemC.
class PortTransport
{
  public:
    explicit PortTransport(Soc &soc);
    PortTransport(const PortTransport &) = delete;
    PortTransport &operator=(const PortTransport &) = delete;

    mp_driver_transport functions;
    std::function<void()> rang; // the host has written a register, which is progress

    bool get(uint32_t offset, uint32_t *value);
    bool put(uint32_t offset, uint32_t value);
    bool read(uint32_t at, void *bytes, uint32_t n) const;
    bool write(uint32_t at, const void *bytes, uint32_t n);
    // Returns at the host's interrupt, or after that time, which may be longer than SystemC can represent.
    void wait(uint64_t ns);
    static uint64_t now();

  private:
    Soc &soc_;
};

class Driver : public sc_core::sc_module
{
  public:
    // script: or null, for none. out: where counters are printed, or null.
    Driver(const sc_core::sc_module_name &name, PortTransport &port, const mp_host_script *script,
           std::FILE *out);

    // Whether the host may still do something.
    bool acts() const { return step_ < steps(); }
    // If the script has steps left: "FILE:LINE: ...".
    std::string cut() const;

    std::function<void(const char *why)> failed; // called once, if a step fails
    bool refused = false;                        // a command had another result than the step expects

  private:
    size_t steps() const { return script_ ? script_->steps : 0; }
    void play();
    bool play_step(const mp_host_step &s);
    bool command(const mp_host_step &s);
    bool expect(const mp_host_step &s);
    // What was wrong, and what is allowed; returns false.
    bool fail(const mp_host_step &s, const std::string &what);
    bool fail(const mp_host_step &s, mp_driver_error e);

    PortTransport &port_;
    const mp_host_script *script_;
    std::FILE *out_;
    mp_driver driver_{};
    size_t step_ = 0;
};

} // namespace mp::soc

#endif
