// SPDX-License-Identifier: Apache-2.0
#include "soc/debugger.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mp::soc
{

namespace
{
constexpr int rest_ms = 200; // between two checks whether the user wants to end mempath
}

Debugger::Debugger(Soc &soc) : soc_(soc)
{
    mp_gdb_target target{this,         read_register, write_register, read_memory,
                         write_memory, breakpoint,    watchpoint,     send};
    mp_gdb_init(&gdb_, &target);
}

Debugger::~Debugger()
{
    close_connection();
    if (listener_ >= 0)
        close(listener_);
}

int Debugger::listen(unsigned port, mp_error *err)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    int yes = 1;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto *any = reinterpret_cast<sockaddr *>(&address);
    if (listener_ < 0 || setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) ||
        bind(listener_, any, sizeof address) || ::listen(listener_, 1) || getsockname(listener_, any, &size))
        return mp_fail(err, "--gdb %u: %s; a free TCP port is needed", port, std::strerror(errno));
    std::fprintf(stderr, "mempath: waiting for gdb: target remote :%u\n", ntohs(address.sin_port));
    return 0;
}

bool Debugger::readable(int fd, int milliseconds) const
{
    pollfd p{fd, POLLIN, 0};
    return poll(&p, 1, milliseconds) > 0;
}

void Debugger::accept()
{
    int yes = 1;
    while (connection_ < 0 && !interrupted())
        if (readable(listener_, rest_ms))
            connection_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection_ >= 0)
        setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void Debugger::close_connection()
{
    if (connection_ >= 0)
        close(connection_);
    connection_ = -1;
}

// Returns false when the connection is closed; then the core continues without a debugger.
bool Debugger::take_bytes()
{
    uint8_t bytes[512];
    ssize_t n = recv(connection_, bytes, sizeof bytes, 0);
    if (n < 0 && errno == EINTR)
        return true;
    for (ssize_t i = 0; i < n; i++) {
        mp_gdb_wish wish = mp_gdb_receive(&gdb_, bytes[i]);
        if (wish != MP_GDB_NOTHING)
            wish_ = wish;
    }
    return n > 0;
}

void Debugger::serve_until_it_goes_on()
{
    wish_ = MP_GDB_NOTHING;
    while (!interrupted() && (wish_ == MP_GDB_NOTHING || wish_ == MP_GDB_INTERRUPT)) {
        if (readable(connection_, rest_ms) && !take_bytes())
            wish_ = MP_GDB_DETACH;
    }
    killed = wish_ == MP_GDB_KILL;
    if (killed || wish_ == MP_GDB_DETACH) {
        close_connection();
        wish_ = MP_GDB_CONTINUE;
    }
}

bool Debugger::between()
{
    if (listener_ >= 0 && connection_ < 0) { // the first time: nothing runs until GDB requests it
        accept();
        close(listener_);
        listener_ = -1;
        if (connection_ >= 0)
            serve_until_it_goes_on();
        return true;
    }
    if (connection_ < 0 || !readable(connection_, 0))
        return false;
    if (!take_bytes())
        close_connection();
    else if (wish_ == MP_GDB_KILL)
        killed = true;
    else if (wish_ == MP_GDB_INTERRUPT) {
        mp_gdb_stopped(&gdb_, MP_GDB_SIGINT);
        serve_until_it_goes_on();
        return true;
    }
    return false;
}

void Debugger::stopped()
{
    if (connection_ < 0)
        return;
    mp_gdb_stopped(&gdb_, MP_GDB_SIGTRAP);
    serve_until_it_goes_on();
}

void Debugger::watched()
{
    unsigned kind;
    uint64_t address = mp_hart_watched(soc_.core.hart, &kind);
    if (connection_ < 0)
        return;
    mp_gdb_watched(&gdb_,
                   kind == MP_HART_WRITE  ? MP_GDB_WATCH_WRITE
                   : kind == MP_HART_READ ? MP_GDB_WATCH_READ
                                          : MP_GDB_WATCH_ACCESS,
                   address);
    serve_until_it_goes_on();
}

void Debugger::exited(int code)
{
    if (connection_ >= 0)
        mp_gdb_exited(&gdb_, code);
}

bool Debugger::read_register(void *self, unsigned number, uint64_t *value)
{
    return mp_hart_read(static_cast<Debugger *>(self)->soc_.core.hart, number, value);
}

bool Debugger::write_register(void *self, unsigned number, uint64_t value)
{
    return mp_hart_write(static_cast<Debugger *>(self)->soc_.core.hart, number, value);
}

bool Debugger::debug(tlm::tlm_command command, uint64_t address, uint8_t *data, size_t bytes)
{
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(static_cast<unsigned>(bytes));
    p.set_streaming_width(static_cast<unsigned>(bytes));
    return soc_.core.socket->transport_dbg(p) == bytes;
}

// By the pages that the core's loads have now.
bool Debugger::debug_pages(tlm::tlm_command command, uint64_t address, uint8_t *data, size_t bytes)
{
    constexpr uint64_t page = 4096;
    while (bytes) {
        size_t part = std::min<uint64_t>(bytes, page - address % page);
        uint64_t physical;
        if (!mp_hart_physical(soc_.core.hart, address, &physical) || !debug(command, physical, data, part))
            return false;
        address += part;
        data += part;
        bytes -= part;
    }
    return true;
}

bool Debugger::read_memory(void *self, uint64_t address, uint8_t *to, size_t bytes)
{
    return static_cast<Debugger *>(self)->debug_pages(tlm::TLM_READ_COMMAND, address, to, bytes);
}

bool Debugger::write_memory(void *self, uint64_t address, const uint8_t *from, size_t bytes)
{
    return static_cast<Debugger *>(self)->debug_pages(tlm::TLM_WRITE_COMMAND, address,
                                                      const_cast<uint8_t *>(from), bytes);
}

bool Debugger::breakpoint(void *self, uint64_t address, bool set)
{
    return mp_hart_break(static_cast<Debugger *>(self)->soc_.core.hart, address, set);
}

bool Debugger::watchpoint(void *self, mp_gdb_watch kind, uint64_t address, uint64_t bytes, bool set)
{
    unsigned wanted = 0;
    if (kind != MP_GDB_WATCH_READ)
        wanted |= MP_HART_WRITE;
    if (kind != MP_GDB_WATCH_WRITE)
        wanted |= MP_HART_READ;
    return mp_hart_watch(static_cast<Debugger *>(self)->soc_.core.hart, address, bytes, wanted, set);
}

void Debugger::send(void *self, const char *bytes, size_t n)
{
    auto *d = static_cast<Debugger *>(self);
    while (n) {
        ssize_t sent = ::send(d->connection_, bytes, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return; // the next read detects that the connection is closed
        bytes += sent;
        n -= static_cast<size_t>(sent);
    }
}

} // namespace mp::soc
