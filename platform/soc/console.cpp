// SPDX-License-Identifier: Apache-2.0
#include "soc/console.h"

#include <cctype>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include "soc/run.h"

namespace mp::soc
{

namespace
{
const sc_core::sc_time pause(100, sc_core::SC_US); // between two looks for input
}

Console::Console(const sc_core::sc_module_name &name, int in, int out, mp_script *script)
    : sc_module(name), in_(in), out_(out), script_(script)
{
    SC_HAS_PROCESS(Console);
    if (in_ >= 0)
        SC_THREAD(listen);
    if (script_)
        SC_THREAD(play);
}

void Console::send(uint8_t character)
{
    bool plain = std::isspace(character) || (character < 0x80 && std::isprint(character));
    if (log.size() < MP_SOC_CONSOLE)
        log.push_back(plain ? static_cast<char>(character) : '?');
    if (script_)
        mp_script_printed(script_, static_cast<char>(character));
    line_.push_back(static_cast<char>(character));
    if (character == '\n' || line_.size() >= 4096)
        flush();
}

void Console::flush()
{
    enum { PATIENCE_MS = 100 };
    for (size_t done = 0; out_ >= 0 && done < line_.size();) {
        ssize_t n = write(out_, line_.data() + done, line_.size() - done);
        pollfd p{out_, POLLOUT, 0};
        if (n < 0 && errno == EAGAIN && poll(&p, 1, PATIENCE_MS) > 0)
            continue; // a terminal that is read slowly
        if (n < 0 && errno != EINTR)
            break; // there is no reader
        done += n > 0 ? static_cast<size_t>(n) : 0;
    }
    line_.clear();
}

// Checks for input at regular intervals of simulated time. While the core waits, the host sleeps, too.
void Console::listen()
{
    enum { REST_MS = 1 };
    pollfd p{in_, POLLIN, 0};
    for (;;) {
        wait(pause);
        if (!line_.empty())
            flush();
        uint8_t c;
        while (mp_uart_room(uart) && poll(&p, 1, core->waiting ? REST_MS : 0) > 0 && p.revents & POLLIN) {
            if (read(in_, &c, 1) != 1)
                return; // the end of the input
            mp_uart_receive(uart, c);
            received();
        }
        if (p.revents & ~POLLIN)
            poll(nullptr, 0, core->waiting ? REST_MS : 0); // a pty that has not been opened yet
    }
}

// All by simulated time, so that each run is the same. Firmware that has stopped taking input would be given
// it for ever.
void Console::play()
{
    const uint64_t patience = 10'000'000'000'000; // picoseconds
    uint64_t had_room = 0;
    mp_error err;
    while (!mp_script_done(script_)) {
        wait(pause);
        uint64_t now = sc_core::sc_time_stamp().value();
        if (mp_uart_room(uart))
            had_room = now;
        else if (now - had_room > patience)
            return late(
                "the console's input waits, and firmware has taken none of it for 10 s of simulated time");
        for (int c; mp_uart_room(uart) && (c = mp_script_next(script_, now)) >= 0;) {
            mp_uart_receive(uart, static_cast<uint8_t>(c));
            received();
        }
        if (mp_script_late(script_, now, &err))
            return late(err.text);
    }
}

} // namespace mp::soc
