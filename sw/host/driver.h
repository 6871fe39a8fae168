/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side of the GPU's firmware, for the prototype of a driver: commands through the rings of the
 * host's port (soc/regs/host.def), several in flight, with timeouts. It reaches the port by a transport:
 * functions that its user gives, or those of socket.h. All times are nanoseconds of simulated time. It
 * allocates no memory.
 */
#ifndef MP_HOST_DRIVER_H
#define MP_HOST_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "soc/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The access to a port. Each function but `now` returns 0, or -1 if the port cannot be reached any more. */
struct mp_driver_transport {
    void *self;
    /* The register at this offset of the block HOST. */
    int (*get)(void *self, uint32_t offset, uint32_t *value);
    int (*put)(void *self, uint32_t offset, uint32_t value);
    /* Bytes of HOST_MEMORY, from an offset on. */
    int (*read)(void *self, uint32_t at, void *bytes, uint32_t n);
    int (*write)(void *self, uint32_t at, const void *bytes, uint32_t n);
    /* Returns when HOST_INT_STATUS is not 0, or when that time is over. */
    int (*wait)(void *self, uint64_t ns);
    uint64_t (*now)(void *self);
};

#define MP_DRIVER_ERRORS(E)                                                                                  \
    E(OK, "done")                                                                                            \
    E(REFUSED, "the firmware has refused the command")                                                       \
    E(TIMEOUT, "no completion has come in time")                                                             \
    E(FULL, "too many commands are in flight")                                                               \
    E(UNKNOWN, "no command in flight has this sequence")                                                     \
    E(VERSION, "the port has another version than this library")                                             \
    E(STOPPED, "the firmware has stopped the rings")                                                         \
    E(ENDED, "the firmware has ended")                                                                       \
    E(BROKEN, "the firmware's counters do not fit the rings")                                                \
    E(GONE, "the port cannot be reached")

enum mp_driver_error {
#define MP_DRIVER_ERROR(name, text) MP_DRIVER_##name,
    MP_DRIVER_ERRORS(MP_DRIVER_ERROR)
};

enum { MP_DRIVER_FLIGHT = 32 }; /* commands in flight, at most */

/* What this library uses of HOST_MEMORY; what follows is its user's. */
enum {
    MP_DRIVER_COMMANDS = 0,
    MP_DRIVER_COMPLETIONS = MP_DRIVER_COMMANDS + MP_DRIVER_FLIGHT * MP_HOST_COMMAND_BYTES,
    MP_DRIVER_COUNTERS = MP_DRIVER_COMPLETIONS + MP_DRIVER_FLIGHT * MP_HOST_COMPLETION_BYTES,
    MP_DRIVER_FREE = MP_DRIVER_COUNTERS + MP_HOST_COUNTERS_BYTES
};

struct mp_driver {
    const struct mp_driver_transport *transport;
    uint64_t within;            /* how long the functions for single commands wait; the user may change it */
    enum mp_host_status status; /* of the latest completion that was collected; why, after STOPPED */
    uint32_t tail, done_head;
    struct {
        bool used, done;
        struct mp_host_completion completion; /* its sequence is that of the command */
    } flight[MP_DRIVER_FLIGHT];
};

const char *mp_driver_error_text(enum mp_driver_error e);
const char *mp_driver_status_text(enum mp_host_status s);

/* Resets the rings and waits until firmware serves them. `within` is the time for that, and for each command.
 */
enum mp_driver_error mp_driver_open(struct mp_driver *d, const struct mp_driver_transport *t,
                                    uint64_t within);

/* Sends a command with n operands; *sequence is its number. The firmware may carry it out at once. */
enum mp_driver_error mp_driver_submit(struct mp_driver *d, enum mp_host_opcode opcode, unsigned n,
                                      const uint64_t *operand, uint32_t *sequence);
/* Waits for a command's completion. After TIMEOUT the command is still in flight, and this may be called
 * again. */
enum mp_driver_error mp_driver_collect(struct mp_driver *d, uint32_t sequence, uint64_t within,
                                       struct mp_host_completion *completion);
/* Both. REFUSED: d->status is not OK. value: the completion's, or NULL. */
enum mp_driver_error mp_driver_call(struct mp_driver *d, enum mp_host_opcode opcode, unsigned n,
                                    const uint64_t *operand, uint64_t value[MP_HOST_VALUES]);

/* Single commands, as soc/regs/host.def describes them; all wait for their completion. */
enum mp_driver_error mp_driver_ping(struct mp_driver *d, uint64_t value);
enum mp_driver_error mp_driver_query(struct mp_driver *d, unsigned *slices, unsigned *workloads,
                                     uint64_t *pages);
enum mp_driver_error mp_driver_buffer(struct mp_driver *d, unsigned workload, unsigned number, uint64_t *va,
                                      uint64_t *bytes);
enum mp_driver_error mp_driver_create(struct mp_driver *d, unsigned instance, unsigned slices);
enum mp_driver_error mp_driver_destroy(struct mp_driver *d, unsigned instance);
enum mp_driver_error mp_driver_open_space(struct mp_driver *d, unsigned instance, unsigned space,
                                          uint64_t page);
enum mp_driver_error mp_driver_close_space(struct mp_driver *d, unsigned space);
enum mp_driver_error mp_driver_map(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes);
enum mp_driver_error mp_driver_unmap(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes);
enum mp_driver_error mp_driver_protect(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes,
                                       enum mp_host_access access);
enum mp_driver_error mp_driver_promise(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes);
enum mp_driver_error mp_driver_launch(struct mp_driver *d, unsigned instance, unsigned space,
                                      unsigned workload, uint32_t tag);
/* Waits for the launch's end. After TIMEOUT the WAIT stays in flight; collect its sequence. */
enum mp_driver_error mp_driver_wait(struct mp_driver *d, uint32_t tag, uint64_t within, uint32_t *sequence);
enum mp_driver_error mp_driver_counters(struct mp_driver *d, unsigned space, uint64_t value[16]);
enum mp_driver_error mp_driver_invalidate(struct mp_driver *d, enum mp_host_scope scope, unsigned space,
                                          uint64_t va, uint64_t *removed);
enum mp_driver_error mp_driver_policy(struct mp_driver *d, unsigned level, unsigned policy);
enum mp_driver_error mp_driver_scheduler(struct mp_driver *d, unsigned instance, unsigned scheduler);
enum mp_driver_error mp_driver_reset(struct mp_driver *d);
enum mp_driver_error mp_driver_quit(struct mp_driver *d);

#ifdef __cplusplus
}
#endif
#endif
