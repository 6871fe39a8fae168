/* SPDX-License-Identifier: Apache-2.0 */
#include "host/message.h"

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

void mp_driver_message_encode(const struct mp_driver_message *m, uint8_t header[MP_MESSAGE_HEADER])
{
    put(header, 4, m->kind);
    put(header + 4, 4, m->bytes);
    put(header + 8, 8, m->a);
    put(header + 16, 8, m->b);
}

int mp_driver_message_decode(const uint8_t *bytes, size_t n, struct mp_driver_message *m)
{
    if (n < MP_MESSAGE_HEADER)
        return 0;
    *m = (struct mp_driver_message){(uint32_t)get(bytes, 4), (uint32_t)get(bytes + 4, 4), get(bytes + 8, 8),
                                    get(bytes + 16, 8), bytes + MP_MESSAGE_HEADER};
    const uint32_t most = m->kind == MP_MESSAGE_READ || m->kind == MP_MESSAGE_WRITE ? MP_MESSAGE_DATA : 0;
    if (m->kind < MP_MESSAGE_HELLO || m->kind > MP_MESSAGE_ERROR || m->bytes > most)
        return -1;
    return n - MP_MESSAGE_HEADER < m->bytes ? 0 : (int)(MP_MESSAGE_HEADER + m->bytes);
}
