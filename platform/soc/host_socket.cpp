// SPDX-License-Identifier: Apache-2.0
#include "soc/host_socket.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace mp::soc
{

namespace
{

constexpr size_t stack_bytes = 1 << 18;

bool is_own_user(int fd)
{
    ucred who{};
    socklen_t n = sizeof who;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == geteuid();
}

} // namespace

HostSocket::HostSocket(const sc_core::sc_module_name &name, PortTransport &port, const char *path)
    : sc_module(name), path_(path)
{
    server_.port = &port.functions;
    server_.memory_bytes = static_cast<uint32_t>(MP_HOST_MEMORY_BYTES);
    if (!path_)
        return;
    SC_HAS_PROCESS(HostSocket);
    SC_THREAD(serve);
    set_stack_size(stack_bytes);
}

HostSocket::~HostSocket()
{
    if (fd_ >= 0)
        close(fd_);
    if (listening_ >= 0)
        close(listening_);
    if (bound_)
        unlink(path_);
}

int HostSocket::open(mp_error *err)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (std::strlen(path_) >= sizeof address.sun_path)
        return mp_fail(err, "--host-socket %s: the name is too long; %zu characters at most", path_,
                       sizeof address.sun_path - 1);
    std::strcpy(address.sun_path, path_);
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t before = umask(0177);
    bound_ = listening_ >= 0 && !bind(listening_, reinterpret_cast<sockaddr *>(&address), sizeof address);
    int why = errno;
    umask(before);
    if (!bound_ || listen(listening_, 1))
        return mp_fail(err, "--host-socket %s: %s; a name that does not exist yet, in a writable folder",
                       path_, std::strerror(bound_ ? errno : why));
    std::fprintf(stderr, "mempath: the host's socket is %s; the run begins when a driver connects\n", path_);
    return 0;
}

std::string HostSocket::cut() const
{
    return std::string("--host-socket ") + path_ + ": the firmware has ended before the driver has said BYE";
}

// --- messages -------------------------------------------------------------------------------------

bool HostSocket::ready(int fd, short event)
{
    enum { LOOK_MS = 100 };
    pollfd p{fd, event, 0};
    while (!interrupted())
        if (poll(&p, 1, LOOK_MS) > 0)
            return true;
    return false;
}

// One connection; those of other users are closed.
bool HostSocket::accept()
{
    while (fd_ < 0 && ready(listening_, POLLIN)) {
        fd_ = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd_ >= 0 && !is_own_user(fd_)) {
            close(fd_);
            fd_ = -1;
        }
    }
    close(listening_);
    listening_ = -1;
    return fd_ >= 0;
}

bool HostSocket::receive(mp_driver_message *m)
{
    have_ -= taken_;
    std::memmove(bytes_, bytes_ + taken_, have_);
    taken_ = 0;
    int length;
    while (!(length = mp_driver_message_decode(bytes_, have_, m)) && ready(fd_, POLLIN)) {
        ssize_t n = recv(fd_, bytes_ + have_, sizeof bytes_ - have_, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        have_ += static_cast<size_t>(n);
    }
    if (length < 0)
        m->kind = 0;
    taken_ = length > 0 ? static_cast<size_t>(length) : 0;
    return length != 0;
}

bool HostSocket::send(const mp_driver_message &m)
{
    uint8_t bytes[MP_MESSAGE_HEADER + MP_MESSAGE_DATA];
    size_t n = MP_MESSAGE_HEADER + m.bytes, done = 0;
    mp_driver_message_encode(&m, bytes);
    if (m.bytes)
        std::memcpy(bytes + MP_MESSAGE_HEADER, m.data, m.bytes);
    while (done < n && ready(fd_, POLLOUT)) {
        ssize_t sent = ::send(fd_, bytes + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        done += sent > 0 ? static_cast<size_t>(sent) : 0;
    }
    return done == n;
}

// How the driver has ended, if not as it should.
void HostSocket::report(const mp_driver_message &latest)
{
    const std::string where = std::string("--host-socket ") + path_ + ": ";
    if (latest.kind == MP_MESSAGE_ERROR)
        failed((where + "the driver has sent " + mp_host_server_error(latest.a) + "; sw/host/README.md")
                   .c_str());
    else if (acts() && !interrupted())
        failed((where + "the driver has closed the connection; BYE is its last message").c_str());
}

void HostSocket::serve()
{
    mp_driver_message request{}, answer{};
    bool goes_on = accept();
    while (goes_on && receive(&request)) {
        answer = request.kind ? mp_host_server_answer(&server_, &request) : mp_host_server_refuse(&server_);
        goes_on = send(answer) && answer.kind != MP_MESSAGE_ERROR && !server_.over;
    }
    report(answer);
    wait(); // never returns, as in core.cpp
}

} // namespace mp::soc
