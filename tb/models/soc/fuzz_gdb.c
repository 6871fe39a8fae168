/* SPDX-License-Identifier: Apache-2.0 */
/* The remote protocol with arbitrary bytes. Input without a checksum gets the right one, so that packets
 * are accepted: each line of the input is a packet. Answers must be packets with right checksums. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soc/gdb.h"

struct check {
    unsigned sum;
    bool inside;
    int tail; /* number of checksum characters still to come */
};

static void check_answer(void *self, const char *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    struct check *c = self;
    for (size_t i = 0; i < n; i++) {
        if (c->tail) {
            c->tail--;
            if (bytes[i] != digits[c->sum >> (4 * c->tail) & 15])
                abort();
        } else if (!c->inside) {
            c->inside = bytes[i] == '$';
            c->sum = 0;
        } else if (bytes[i] == '#') {
            c->inside = false;
            c->tail = 2;
        } else {
            c->sum += (uint8_t)bytes[i];
        }
    }
}

static bool read_register(void *self, unsigned number, uint64_t *value)
{
    (void)self;
    *value = number * 0x0101010101010101ull;
    return number < 100;
}

static bool write_register(void *self, unsigned number, uint64_t value)
{
    (void)self;
    return number < 33 && value != 7;
}

static bool read_memory(void *self, uint64_t address, uint8_t *to, size_t bytes)
{
    (void)self;
    memset(to, (int)address, bytes);
    return address < 1000;
}

static bool write_memory(void *self, uint64_t address, const uint8_t *from, size_t bytes)
{
    unsigned sum = 0;
    (void)self;
    for (size_t i = 0; i < bytes; i++)
        sum += from[i];
    return address + sum < 1000;
}

static bool breakpoint(void *self, uint64_t address, bool set)
{
    (void)self;
    return address & 1 ? set : true;
}

static bool watchpoint(void *self, enum mp_gdb_watch kind, uint64_t address, uint64_t bytes, bool set)
{
    (void)self;
    if (kind < MP_GDB_WATCH_WRITE || kind > MP_GDB_WATCH_ACCESS)
        abort();
    return bytes && address + bytes < 1000 && set;
}

/* The core, which stops at once: after a step, or as if each kind of watchpoint had matched in turn. */
static void take(struct mp_gdb *g, uint8_t byte)
{
    enum mp_gdb_wish wish = mp_gdb_receive(g, byte);
    if (wish == MP_GDB_STEP)
        mp_gdb_stopped(g, MP_GDB_SIGTRAP);
    if (wish == MP_GDB_CONTINUE)
        mp_gdb_watched(g, (enum mp_gdb_watch)(MP_GDB_WATCH_WRITE + g->sum % 3), UINT64_MAX - g->sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mp_gdb g;
    struct check c = {0};
    struct mp_gdb_target target = {&c,           read_register, write_register, read_memory,
                                   write_memory, breakpoint,    watchpoint,     check_answer};
    mp_gdb_init(&g, &target);
    for (size_t i = 0; i < size; i++) /* the unchanged input */
        take(&g, data[i]);
    mp_gdb_init(&g, &target);
    c = (struct check){0};
    for (size_t i = 0; i < size;) { /* as packets */
        uint8_t sum = 0;
        take(&g, '$');
        for (; i < size && data[i] != '\n'; i++) {
            uint8_t byte = data[i] == '#' ? '.' : data[i];
            take(&g, byte);
            sum = (uint8_t)(sum + byte);
        }
        i++;
        take(&g, '#');
        take(&g, (uint8_t) "0123456789abcdef"[sum >> 4]);
        take(&g, (uint8_t) "0123456789abcdef"[sum & 15]);
    }
    mp_gdb_exited(&g, 3);
    return 0;
}
