/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between a driver's process and the platform (`mempath firmware run --host-socket`); README.md
 * describes the protocol. A message is a header of 24 bytes, little-endian: kind and number of data bytes (4
 * bytes each), a and b (8 bytes each); then the data.
 */
#ifndef MP_HOST_MESSAGE_H
#define MP_HOST_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MESSAGE_MAGIC UINT64_C(0x54534f48504d) /* "MPHOST" */

enum { MP_MESSAGE_VERSION = 1, MP_MESSAGE_HEADER = 24, MP_MESSAGE_DATA = 4096 };

enum mp_driver_message_kind {
    MP_MESSAGE_HELLO = 1,
    MP_MESSAGE_GET,
    MP_MESSAGE_PUT,
    MP_MESSAGE_READ,
    MP_MESSAGE_WRITE,
    MP_MESSAGE_WAIT,
    MP_MESSAGE_BYE,
    MP_MESSAGE_ERROR /* answers only */
};

/* E(name, text): `a` of an ERROR */
#define MP_MESSAGE_ERRORS(E)                                                                                 \
    E(MALFORMED, "a message that is none of the protocol")                                                   \
    E(VERSION_ERROR, "no HELLO of this version at the beginning, or a second one")                           \
    E(REGISTER, "a register that does not exist, or that the host does not write")                           \
    E(MEMORY, "bytes outside of HOST_MEMORY")

enum mp_driver_message_error {
    MP_MESSAGE_NO_ERROR,
#define MP_MESSAGE_ERROR_CODE(name, text) MP_MESSAGE_##name,
    MP_MESSAGE_ERRORS(MP_MESSAGE_ERROR_CODE)
};

struct mp_driver_message {
    uint32_t kind, bytes;
    uint64_t a, b;
    const uint8_t *data;
};

/* Writes the header; the data follows it. */
void mp_driver_message_encode(const struct mp_driver_message *m, uint8_t header[MP_MESSAGE_HEADER]);

/* Decodes the message at the beginning of n bytes; its data stays there. Returns its length, 0 if bytes are
 * missing, or -1 if no message begins so. Only READ and WRITE have data. */
int mp_driver_message_decode(const uint8_t *bytes, size_t n, struct mp_driver_message *m);

#ifdef __cplusplus
}
#endif
#endif
