/* SPDX-License-Identifier: Apache-2.0 */
/* The transport of a driver in another process: the Unix socket of
 * `mempath firmware run --host-socket PATH`. */
#ifndef MP_HOST_SOCKET_H
#define MP_HOST_SOCKET_H

#include "host/driver.h"
#include "host/message.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_driver_socket {
    int fd;
    uint64_t now;   /* simulated time of the latest answer, in ns */
    uint64_t error; /* enum mp_driver_message_error of the platform's answer, or 0 */
    struct mp_driver_transport transport;
    uint8_t answer[MP_MESSAGE_HEADER + MP_MESSAGE_DATA];
};

/* Connects; s->transport is then for mp_driver_open. Returns -1 with errno set, EPROTO if the other side
 * speaks another version. */
int mp_driver_socket_open(struct mp_driver_socket *s, const char *path);
/* Says BYE: the run goes on without a host. */
void mp_driver_socket_close(struct mp_driver_socket *s);

#ifdef __cplusplus
}
#endif
#endif
