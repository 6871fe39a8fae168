/* SPDX-License-Identifier: Apache-2.0 */
#include "host/driver.h"

#include <string.h>

enum { ID = 0x4d480001 };

const char *mp_driver_error_text(enum mp_driver_error e)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        MP_DRIVER_ERRORS(TEXT)};
    return texts[e];
}

const char *mp_driver_status_text(enum mp_host_status s)
{
    switch (s) {
#define STATUS(prefix, name, value, choice, text)                                                            \
    case prefix##_##name:                                                                                    \
        return text;
        MP_ENUM_host_status(STATUS, MP_HOST_STATUS)
    }
    return "a status that this library does not know";
}

/* --- the port ------------------------------------------------------------------------------------- */

static enum mp_driver_error get(const struct mp_driver *d, uint32_t offset, uint32_t *value)
{
    return d->transport->get(d->transport->self, offset, value) ? MP_DRIVER_GONE : MP_DRIVER_OK;
}

static enum mp_driver_error put(const struct mp_driver *d, uint32_t offset, uint32_t value)
{
    return d->transport->put(d->transport->self, offset, value) ? MP_DRIVER_GONE : MP_DRIVER_OK;
}

static uint64_t now(const struct mp_driver *d)
{
    return d->transport->now(d->transport->self);
}

/* A time that does not overflow. */
static uint64_t after(const struct mp_driver *d, uint64_t within)
{
    uint64_t from = now(d);
    return within > UINT64_MAX - from ? UINT64_MAX : from + within;
}

/* Sleeps until the next interrupt and clears it; TIMEOUT if the time has come. */
static enum mp_driver_error sleep_until(const struct mp_driver *d, uint64_t end)
{
    uint64_t from = now(d);
    if (from >= end)
        return MP_DRIVER_TIMEOUT;
    if (d->transport->wait(d->transport->self, end - from))
        return MP_DRIVER_GONE;
    return put(d, MP_HOST_HOST_INT_STATUS, MP_HOST_HOST_INT_STATUS_DONE | MP_HOST_HOST_INT_STATUS_STATE);
}

/* --- reset ---------------------------------------------------------------------------------------- */

static enum mp_driver_error check_version(const struct mp_driver *d)
{
    uint32_t id = 0, present = 0;
    enum mp_driver_error e = get(d, MP_HOST_ID, &id);
    if (!e)
        e = get(d, MP_HOST_PRESENT, &present);
    return e ? e : id == ID && present ? MP_DRIVER_OK : MP_DRIVER_VERSION;
}

static enum mp_driver_error reset_rings(const struct mp_driver *d)
{
    const struct {
        uint32_t offset, value;
    } writes[] = {{MP_HOST_ENTRIES, MP_DRIVER_FLIGHT},
                  {MP_HOST_COMMANDS, MP_DRIVER_COMMANDS},
                  {MP_HOST_COMPLETIONS, MP_DRIVER_COMPLETIONS},
                  {MP_HOST_RESET, 1},
                  {MP_HOST_HOST_INT_STATUS, MP_HOST_HOST_INT_STATUS_DONE | MP_HOST_HOST_INT_STATUS_STATE}};
    enum mp_driver_error e = MP_DRIVER_OK;
    for (unsigned i = 0; !e && i < sizeof writes / sizeof *writes; i++)
        e = put(d, writes[i].offset, writes[i].value);
    return e;
}

/* OK in the state READY, TIMEOUT in WAITS. */
static enum mp_driver_error check_state(struct mp_driver *d)
{
    uint32_t state = 0, reason = 0;
    enum mp_driver_error e = get(d, MP_HOST_STATE, &state);
    if (!e)
        e = get(d, MP_HOST_REASON, &reason);
    if (e || state == MP_HOST_STATE_READY)
        return e;
    if (state == MP_HOST_STATE_STOPPED)
        d->status = (enum mp_host_status)reason;
    return state == MP_HOST_STATE_STOPPED ? MP_DRIVER_STOPPED
           : state == MP_HOST_STATE_ENDED ? MP_DRIVER_ENDED
                                          : MP_DRIVER_TIMEOUT;
}

enum mp_driver_error mp_driver_open(struct mp_driver *d, const struct mp_driver_transport *t, uint64_t within)
{
    *d = (struct mp_driver){.transport = t, .within = within};
    uint64_t end = after(d, within);
    enum mp_driver_error e = check_version(d);
    if (!e)
        e = reset_rings(d);
    while (!e && (e = check_state(d)) == MP_DRIVER_TIMEOUT)
        if ((e = sleep_until(d, end)))
            return e;
    return e;
}

/* --- commands ------------------------------------------------------------------------------------- */

static int find(const struct mp_driver *d, uint32_t sequence)
{
    for (int i = 0; i < MP_DRIVER_FLIGHT; i++)
        if (d->flight[i].used && d->flight[i].completion.sequence == sequence)
            return i;
    return -1;
}

static int find_unused(const struct mp_driver *d)
{
    for (int i = 0; i < MP_DRIVER_FLIGHT; i++)
        if (!d->flight[i].used)
            return i;
    return -1;
}

enum mp_driver_error mp_driver_submit(struct mp_driver *d, enum mp_host_opcode opcode, unsigned n,
                                      const uint64_t *operand, uint32_t *sequence)
{
    const struct mp_driver_transport *t = d->transport;
    struct mp_host_command c = {.opcode = opcode, .sequence = d->tail + 1};
    uint32_t at = MP_DRIVER_COMMANDS + d->tail % MP_DRIVER_FLIGHT * MP_HOST_COMMAND_BYTES;
    int i = find_unused(d);
    if (i < 0)
        return MP_DRIVER_FULL;
    memcpy(c.operand, operand, n * sizeof *operand);
    if (t->write(t->self, at, &c, sizeof c))
        return MP_DRIVER_GONE;
    d->flight[i].used = true;
    d->flight[i].done = false;
    d->flight[i].completion.sequence = *sequence = ++d->tail;
    return put(d, MP_HOST_TAIL, d->tail);
}

/* Takes one completion; BROKEN if no command in flight has its sequence. */
static enum mp_driver_error take(struct mp_driver *d)
{
    const struct mp_driver_transport *t = d->transport;
    struct mp_host_completion c;
    uint32_t at = MP_DRIVER_COMPLETIONS + d->done_head % MP_DRIVER_FLIGHT * MP_HOST_COMPLETION_BYTES;
    if (t->read(t->self, at, &c, sizeof c))
        return MP_DRIVER_GONE;
    int i = find(d, c.sequence);
    if (i < 0 || d->flight[i].done)
        return MP_DRIVER_BROKEN;
    d->flight[i].completion = c;
    d->flight[i].done = true;
    d->done_head++;
    return MP_DRIVER_OK;
}

/* Takes all completions that have come. */
static enum mp_driver_error take_all(struct mp_driver *d)
{
    uint32_t done_tail = 0, before = d->done_head;
    enum mp_driver_error e = get(d, MP_HOST_DONE_TAIL, &done_tail);
    if (!e && done_tail - before > MP_DRIVER_FLIGHT)
        return MP_DRIVER_BROKEN;
    while (!e && d->done_head != done_tail)
        e = take(d);
    return e || d->done_head == before ? e : put(d, MP_HOST_DONE_HEAD, d->done_head);
}

enum mp_driver_error mp_driver_collect(struct mp_driver *d, uint32_t sequence, uint64_t within,
                                       struct mp_host_completion *completion)
{
    const uint64_t end = after(d, within);
    const int i = find(d, sequence);
    if (i < 0)
        return MP_DRIVER_UNKNOWN;
    while (!d->flight[i].done) {
        enum mp_driver_error e = take_all(d);
        if (d->flight[i].done)
            break;
        if (!e)
            e = check_state(d);
        if (!e)
            e = sleep_until(d, end);
        if (e)
            return e;
    }
    d->flight[i].used = false;
    *completion = d->flight[i].completion;
    d->status = (enum mp_host_status)completion->status;
    return d->status ? MP_DRIVER_REFUSED : MP_DRIVER_OK;
}

enum mp_driver_error mp_driver_call(struct mp_driver *d, enum mp_host_opcode opcode, unsigned n,
                                    const uint64_t *operand, uint64_t value[MP_HOST_VALUES])
{
    struct mp_host_completion c;
    uint32_t sequence;
    enum mp_driver_error e = mp_driver_submit(d, opcode, n, operand, &sequence);
    if (!e)
        e = mp_driver_collect(d, sequence, d->within, &c);
    if (!e && value)
        memcpy(value, c.value, sizeof c.value);
    return e;
}

/* --- single commands ------------------------------------------------------------------------------ */

#define CALL(opcode, value, ...)                                                                             \
    mp_driver_call(d, MP_HOST_DO_##opcode, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t),               \
                   (const uint64_t[]){__VA_ARGS__}, value)

static const uint64_t none[1]; /* operands */

enum mp_driver_error mp_driver_ping(struct mp_driver *d, uint64_t value)
{
    uint64_t answer[MP_HOST_VALUES];
    enum mp_driver_error e = CALL(PING, answer, value);
    return e ? e : answer[0] == value ? MP_DRIVER_OK : MP_DRIVER_BROKEN;
}

enum mp_driver_error mp_driver_query(struct mp_driver *d, unsigned *slices, unsigned *workloads,
                                     uint64_t *pages)
{
    uint64_t value[MP_HOST_VALUES];
    enum mp_driver_error e = mp_driver_call(d, MP_HOST_DO_QUERY, 0, none, value);
    if (!e) {
        *slices = (unsigned)value[0];
        *workloads = (unsigned)value[1];
        *pages = value[2];
    }
    return e;
}

enum mp_driver_error mp_driver_buffer(struct mp_driver *d, unsigned workload, unsigned number, uint64_t *va,
                                      uint64_t *bytes)
{
    uint64_t value[MP_HOST_VALUES];
    enum mp_driver_error e = CALL(BUFFER, value, workload, number);
    if (!e) {
        *va = value[0];
        *bytes = value[1];
    }
    return e;
}

enum mp_driver_error mp_driver_create(struct mp_driver *d, unsigned instance, unsigned slices)
{
    return CALL(CREATE, NULL, instance, slices);
}

enum mp_driver_error mp_driver_destroy(struct mp_driver *d, unsigned instance)
{
    return CALL(DESTROY, NULL, instance);
}

enum mp_driver_error mp_driver_open_space(struct mp_driver *d, unsigned instance, unsigned space,
                                          uint64_t page)
{
    return CALL(OPEN, NULL, instance, space, page);
}

enum mp_driver_error mp_driver_close_space(struct mp_driver *d, unsigned space)
{
    return CALL(CLOSE, NULL, space);
}

enum mp_driver_error mp_driver_map(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes)
{
    return CALL(MAP, NULL, space, va, bytes);
}

enum mp_driver_error mp_driver_unmap(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes)
{
    return CALL(UNMAP, NULL, space, va, bytes);
}

enum mp_driver_error mp_driver_protect(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes,
                                       enum mp_host_access access)
{
    return CALL(PROTECT, NULL, space, va, bytes, access);
}

enum mp_driver_error mp_driver_promise(struct mp_driver *d, unsigned space, uint64_t va, uint64_t bytes)
{
    return CALL(PROMISE, NULL, space, va, bytes);
}

enum mp_driver_error mp_driver_launch(struct mp_driver *d, unsigned instance, unsigned space,
                                      unsigned workload, uint32_t tag)
{
    return CALL(LAUNCH, NULL, instance, space, workload, tag);
}

enum mp_driver_error mp_driver_wait(struct mp_driver *d, uint32_t tag, uint64_t within, uint32_t *sequence)
{
    struct mp_host_completion c;
    enum mp_driver_error e = mp_driver_submit(d, MP_HOST_DO_WAIT, 1, &(uint64_t){tag}, sequence);
    return e ? e : mp_driver_collect(d, *sequence, within, &c);
}

enum mp_driver_error mp_driver_counters(struct mp_driver *d, unsigned space, uint64_t value[16])
{
    const struct mp_driver_transport *t = d->transport;
    enum mp_driver_error e = CALL(COUNTERS, NULL, space, MP_DRIVER_COUNTERS);
    return e || !t->read(t->self, MP_DRIVER_COUNTERS, value, MP_HOST_COUNTERS_BYTES) ? e : MP_DRIVER_GONE;
}

enum mp_driver_error mp_driver_invalidate(struct mp_driver *d, enum mp_host_scope scope, unsigned space,
                                          uint64_t va, uint64_t *removed)
{
    uint64_t value[MP_HOST_VALUES];
    enum mp_driver_error e = CALL(INVALIDATE, value, scope, space, va);
    if (!e)
        *removed = value[0];
    return e;
}

enum mp_driver_error mp_driver_policy(struct mp_driver *d, unsigned level, unsigned policy)
{
    return CALL(POLICY, NULL, level, policy);
}

enum mp_driver_error mp_driver_scheduler(struct mp_driver *d, unsigned instance, unsigned scheduler)
{
    return CALL(SCHEDULER, NULL, instance, scheduler);
}

enum mp_driver_error mp_driver_reset(struct mp_driver *d)
{
    return mp_driver_call(d, MP_HOST_DO_RESET, 0, none, NULL);
}

enum mp_driver_error mp_driver_quit(struct mp_driver *d)
{
    return mp_driver_call(d, MP_HOST_DO_QUIT, 0, none, NULL);
}
