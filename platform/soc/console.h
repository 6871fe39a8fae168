// SPDX-License-Identifier: Apache-2.0
// The host's side of the UART: where its output goes, and where its input comes from.
#ifndef MP_SOC_CONSOLE_H
#define MP_SOC_CONSOLE_H

#include <functional>
#include <string>
#include <systemc>

#include "soc/core.h"
#include "soc/script.h"
#include "soc/uart.h"

namespace mp::soc
{

class Console : public sc_core::sc_module
{
  public:
    // in, out: file descriptors, -1 for none. script: typed in place of what comes from `in`, or null.
    Console(const sc_core::sc_module_name &name, int in, int out, mp_script *script);
    ~Console() override { flush(); }

    void send(uint8_t character);
    void flush();
    void redirect(int out) { out_ = out; }
    // Whether a character may still come.
    bool listens() const { return in_ >= 0 || (script_ && !mp_script_done(script_)); }
    // The next character that the script has at that time, in picoseconds; -1 if there is none.
    int key(uint64_t picoseconds) { return script_ ? mp_script_next(script_, picoseconds) : -1; }

    std::string log; // for the database
    // Where input goes, and whether anything except input can wake the core.
    mp_uart *uart = nullptr;
    std::function<void()> received;
    std::function<void(const char *why)> late; // called once, if the script waits too long
    const Core *core = nullptr;

  private:
    void listen();
    void play();

    int in_, out_;
    mp_script *script_;
    std::string line_;
};

} // namespace mp::soc

#endif
