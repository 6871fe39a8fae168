/* SPDX-License-Identifier: Apache-2.0 */
/* The platform's side of the protocol of host/message.h: answers the requests of a driver in another process,
 * one by one. */
#ifndef MP_SOC_HOST_SERVER_H
#define MP_SOC_HOST_SERVER_H

#include <stdbool.h>

#include "host/driver.h"
#include "host/message.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_host_server {
    const struct mp_driver_transport *port;
    uint32_t memory_bytes; /* of HOST_MEMORY */
    bool greeted, over;    /* HELLO, BYE */
    uint8_t data[MP_MESSAGE_DATA];
};

/* Answers a decoded message; the answer's data stays valid until the next one. An answer of the kind ERROR is
 * the last one. WAIT takes simulated time. */
struct mp_driver_message mp_host_server_answer(struct mp_host_server *s,
                                               const struct mp_driver_message *request);
/* The same for bytes of which no message begins. */
struct mp_driver_message mp_host_server_refuse(const struct mp_host_server *s);

/* The text of an ERROR's code. */
const char *mp_host_server_error(uint64_t code);

#ifdef __cplusplus
}
#endif
#endif
