// SPDX-License-Identifier: Apache-2.0
// Connects GDB to the core: a TCP port of this machine, and the control of the core between stops.
#ifndef MP_SOC_DEBUGGER_H
#define MP_SOC_DEBUGGER_H

#include <csignal>

#include "engine/error.h"
#include "soc/gdb.h"
#include "soc/soc.h"

namespace mp::soc
{

class Debugger
{
  public:
    explicit Debugger(Soc &soc);
    ~Debugger();
    Debugger(const Debugger &) = delete;
    Debugger &operator=(const Debugger &) = delete;

    // Listens, and prints the port on stderr. Port 0 takes any free port. Returns -1 with err.
    int listen(unsigned port, mp_error *err);

    // The core calls these: between two quanta (returns true if GDB has stopped it), and after it has stopped
    // by itself.
    bool between();
    void stopped();
    void watched();
    // Reports that firmware has ended.
    void exited(int code);
    bool wants_step() const { return wish_ == MP_GDB_STEP; }
    bool killed = false;
    const volatile std::sig_atomic_t *stop = nullptr;

  private:
    bool interrupted() const { return stop && *stop; }
    bool readable(int fd, int milliseconds) const;
    void accept();
    void serve_until_it_goes_on();
    bool take_bytes();
    void close_connection();

    static bool read_register(void *self, unsigned number, uint64_t *value);
    static bool write_register(void *self, unsigned number, uint64_t value);
    static bool read_memory(void *self, uint64_t address, uint8_t *to, size_t bytes);
    static bool write_memory(void *self, uint64_t address, const uint8_t *from, size_t bytes);
    static bool breakpoint(void *self, uint64_t address, bool set);
    static bool watchpoint(void *self, mp_gdb_watch kind, uint64_t address, uint64_t bytes, bool set);
    static void send(void *self, const char *bytes, size_t n);
    bool debug(tlm::tlm_command command, uint64_t address, uint8_t *data, size_t bytes);
    bool debug_pages(tlm::tlm_command command, uint64_t address, uint8_t *data, size_t bytes);

    Soc &soc_;
    mp_gdb gdb_{};
    int listener_ = -1, connection_ = -1;
    mp_gdb_wish wish_ = MP_GDB_NOTHING;
};

} // namespace mp::soc

#endif
