/* SPDX-License-Identifier: Apache-2.0 */
/* A port whose registers and memory are arrays, for the server of drivers in other processes. */
#ifndef FAKE_PORT_H
#define FAKE_PORT_H

#include <string.h>

#include "soc/host_server.h"

enum { FAKE_MEMORY = 8192, FAKE_REGISTERS = 16 };

static struct {
    uint32_t reg[FAKE_REGISTERS];
    uint8_t memory[FAKE_MEMORY];
    uint64_t now;
} fake;

static int fake_get(void *self, uint32_t offset, uint32_t *value)
{
    (void)self;
    if (offset % 4 || offset / 4 >= FAKE_REGISTERS)
        return -1;
    *value = fake.reg[offset / 4];
    return 0;
}

static int fake_put(void *self, uint32_t offset, uint32_t value)
{
    (void)self;
    if (offset % 4 || offset / 4 >= FAKE_REGISTERS)
        return -1;
    fake.reg[offset / 4] = value;
    return 0;
}

/* The sanitizers see accesses outside. */
static int fake_read(void *self, uint32_t at, void *bytes, uint32_t n)
{
    (void)self;
    memcpy(bytes, fake.memory + at, n);
    return 0;
}

static int fake_write(void *self, uint32_t at, const void *bytes, uint32_t n)
{
    (void)self;
    memcpy(fake.memory + at, bytes, n);
    return 0;
}

static int fake_wait(void *self, uint64_t ns)
{
    (void)self;
    fake.now += ns;
    return 0;
}

static uint64_t fake_now(void *self)
{
    (void)self;
    return fake.now;
}

static const struct mp_driver_transport fake_port = {NULL,       fake_get,  fake_put, fake_read,
                                                     fake_write, fake_wait, fake_now};

#endif
