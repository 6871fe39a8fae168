// SPDX-License-Identifier: Apache-2.0
// A driver in another process, which uses the SoC's port by a Unix socket (sw/host/README.md). Simulated time
// passes only while it waits: the run is blocked from each answer to the next message.
#ifndef MP_SOC_HOST_SOCKET_H
#define MP_SOC_HOST_SOCKET_H

#include <functional>
#include <string>
#include <systemc>

#include "engine/error.h"
#include "soc/driver.h"
#include "soc/host_server.h"

namespace mp::soc
{

class HostSocket : public sc_core::sc_module
{
  public:
    // path: of the socket, or null for none.
    HostSocket(const sc_core::sc_module_name &name, PortTransport &port, const char *path);
    ~HostSocket() override;

    // Makes the socket, for this user only. Returns -1 with err.
    int open(mp_error *err);
    // Whether the host may still do something.
    bool acts() const { return path_ && !server_.over; }
    // If the driver has not said BYE: one line.
    std::string cut() const;

    std::function<void(const char *why)> failed; // called once, if the driver goes or breaks the protocol
    std::function<bool()> interrupted;           // polled while the run is blocked; true ends that

  private:
    void serve();
    void report(const mp_driver_message &latest);
    bool accept();
    // Blocks the run until the event of poll(2) has come; false if the run is interrupted.
    bool ready(int fd, short event);
    // Receives the next message; false if none comes any more.
    bool receive(mp_driver_message *m);
    bool send(const mp_driver_message &m);

    mp_host_server server_{};
    const char *path_;
    int listening_ = -1, fd_ = -1;
    bool bound_ = false;
    uint8_t bytes_[MP_MESSAGE_HEADER + MP_MESSAGE_DATA];
    size_t have_ = 0, taken_ = 0; // bytes received, and those of the message that was answered
};

} // namespace mp::soc

#endif
