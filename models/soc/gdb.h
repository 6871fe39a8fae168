/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target side of GDB's remote serial protocol. It takes bytes, produces answers, and returns what the
 * user requests of the core. As the protocol requires, an unknown packet gets the empty answer, and a
 * damaged packet is requested again.
 */
#ifndef MP_SOC_GDB_H
#define MP_SOC_GDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_GDB_PACKET 4096u

/* Kinds of watchpoint, with the protocol's numbers. */
enum mp_gdb_watch { MP_GDB_WATCH_WRITE = 2, MP_GDB_WATCH_READ = 3, MP_GDB_WATCH_ACCESS = 4 };

/* Register numbers are GDB's for riscv: 0 to 31, 32 pc, 65 + n CSR n. Returns false if there is no such
 * register. */
struct mp_gdb_target {
    void *self;
    bool (*read_register)(void *self, unsigned number, uint64_t *value);
    bool (*write_register)(void *self, unsigned number, uint64_t value);
    bool (*read_memory)(void *self, uint64_t address, uint8_t *to, size_t bytes);
    bool (*write_memory)(void *self, uint64_t address, const uint8_t *from, size_t bytes);
    bool (*breakpoint)(void *self, uint64_t address, bool set);
    bool (*watchpoint)(void *self, enum mp_gdb_watch kind, uint64_t address, uint64_t bytes, bool set);
    void (*send)(void *self, const char *bytes, size_t n);
};

enum mp_gdb_wish {
    MP_GDB_NOTHING,
    MP_GDB_CONTINUE,
    MP_GDB_STEP,
    MP_GDB_INTERRUPT,
    MP_GDB_DETACH,
    MP_GDB_KILL
};

enum mp_gdb_signal { MP_GDB_SIGINT = 2, MP_GDB_SIGTRAP = 5 };

struct mp_gdb {
    struct mp_gdb_target target;
    enum { MP_GDB_OUTSIDE, MP_GDB_INSIDE, MP_GDB_SUM_HIGH, MP_GDB_SUM_LOW } state;
    char packet[MP_GDB_PACKET + 1];
    size_t length;
    bool too_long;
    uint8_t sum;
    char sum_high;
    char answer[2 * MP_GDB_PACKET + 8];
    size_t answered;
    int signal; /* why the core has stopped */
};

void mp_gdb_init(struct mp_gdb *g, const struct mp_gdb_target *target);
/* Takes one byte from GDB. Returns what is requested now, which is MP_GDB_NOTHING for most bytes. */
enum mp_gdb_wish mp_gdb_receive(struct mp_gdb *g, uint8_t byte);
/* Reports that the core stopped, after MP_GDB_CONTINUE or MP_GDB_STEP or because a watchpoint matched an
 * access to this address, or that the program has ended with an exit code. */
void mp_gdb_stopped(struct mp_gdb *g, enum mp_gdb_signal signal);
void mp_gdb_watched(struct mp_gdb *g, enum mp_gdb_watch kind, uint64_t address);
void mp_gdb_exited(struct mp_gdb *g, int code);

#ifdef __cplusplus
}
#endif
#endif
