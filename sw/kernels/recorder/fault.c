/* SPDX-License-Identifier: Apache-2.0 */
/* Reports a kernel's mistake in one line: where it happened, and in which array or buffer. */
#include "launch.h"

#include <stdio.h>
#include <string.h>

#define NULL_PAGE 65536u /* addresses below result from a NULL pointer and an index */

static const char *const op_name[] = {"reads", "writes", "changes"};

void launch_fail(const struct launch *l, unsigned item, struct record_place at, const char *format, ...)
{
    char where[WHERE_TEXT], what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    launch_where(l, item, at, where);
    record_fail(l->what, "%s: %s", where, what);
}

/* Returns the name of the argument that points into the buffer. */
static const char *argument_into(const struct launch *l, const struct buffer *b)
{
    for (uint32_t i = 0; i < l->kernel->narguments; i++)
        if (launch_buffer(l, i) == b)
            return l->kernel->arguments[i].name;
    return NULL;
}

/* "device address 0x..., byte N of argument A, which has M bytes" */
static void describe_address(const struct launch *l, const struct record_access *a, uint64_t address,
                             char text[256])
{
    const struct buffer *own = launch_buffer(l, a->argument);
    const uint64_t va = arena_va(l->arena, (const void *)(uintptr_t)address);
    const struct buffer *b = own ? own : arena_near(l->arena, va);
    if (address < NULL_PAGE)
        snprintf(text, 256, "address 0x%llx, which results from a NULL pointer", (unsigned long long)address);
    else if (!b || (!own && (va < ARENA_VA || va - ARENA_VA >= l->arena->size)))
        snprintf(text, 256, "address 0x%llx of the host, far from every buffer", (unsigned long long)address);
    else {
        const char *name = argument_into(l, b);
        snprintf(text, 256, "device address 0x%llx, byte %lld of %s%s, which %s %llu bytes",
                 (unsigned long long)va, (long long)(va - b->begin), name ? "argument " : "a buffer",
                 name ? name : "", b->live ? "has" : "was freed and had",
                 (unsigned long long)(b->end - b->begin));
    }
}

void fault_access(const struct launch *l, unsigned item, uint32_t access, uint64_t address)
{
    const struct record_access *a = &l->kernel->accesses[access];
    char where[256];
    describe_address(l, a, address, where);
    launch_fail(l, item, a->place, "%s %u bytes at %s", op_name[a->op], a->bytes, where);
}

__attribute__((noreturn)) static void report_bounds(const struct launch *l, unsigned item)
{
    static const char *const space_name[] = {"private", "", "constant", "local"};
    const struct record_site *s = l->fault.site;
    if (!s->array && s->space == 3 && !l->fault.bytes)
        launch_fail(l, item, s->place, "%s %u bytes of local memory outside of every array", op_name[s->op],
                    s->bytes);
    launch_fail(l, item, s->place, "%s %u bytes at byte %lld of %s array%s%s, which has %llu bytes",
                op_name[s->op], s->bytes, (long long)l->fault.offset,
                s->array ? space_name[s->space] : "a local or private", s->array ? " " : "",
                s->array ? s->array : "", (unsigned long long)l->fault.bytes);
}

/* x86-64 has 47 bits of address on either side of 0; for other addresses the signal carries none. */
static bool possible(uint64_t address)
{
    return address + (1ull << 47) < 1ull << 48;
}

/* Returns the access that caused the signal, out of those in the segment that the lane entered last. words
 * holds their addresses. */
static uint32_t access_of_signal(const struct launch *l, const struct record_segment *s,
                                 const uint64_t *words)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t bytes = l->kernel->accesses[s->first + i].bytes;
        if (l->fault.located ? l->fault.address - words[i] < bytes : !possible(words[i]))
            return i;
    }
    return s->count;
}

/* The host moves vectors with instructions that require alignment. */
static uint32_t misaligned_access(const struct launch *l, const struct record_segment *s,
                                  const uint64_t *words)
{
    uint32_t i = 0;
    while (i < s->count && (l->kernel->accesses[s->first + i].bytes < 16 || words[i] % 16 == 0))
        i++;
    return i;
}

__attribute__((noreturn)) static void report_signal(const struct launch *l, unsigned item)
{
    const uint64_t *entry = launch_segment(l);
    if (entry && (l->fault.signal == SIGSEGV || l->fault.signal == SIGBUS)) {
        const struct record_segment *s = &l->kernel->segments[*entry];
        uint32_t i = access_of_signal(l, s, entry + 1);
        if (i < s->count)
            fault_access(l, item, s->first + i, entry[1 + i]);
        i = misaligned_access(l, s, entry + 1);
        const struct record_access *a = &l->kernel->accesses[s->first + i];
        if (i < s->count && !l->fault.located)
            launch_fail(l, item, a->place,
                        "%s %u bytes at device address 0x%llx, which is not a multiple of 16", op_name[a->op],
                        a->bytes,
                        (unsigned long long)arena_va(l->arena, (const void *)(uintptr_t)entry[1 + i]));
    }
    launch_fail(l, item, launch_place(l), "its code, here or in the lines after, caused signal %d (%s)",
                l->fault.signal, strsignal(l->fault.signal));
}

void fault_report(const struct launch *l, unsigned item)
{
    const struct record_site *s = l->fault.site;
    if (!s)
        report_signal(l, item);
    if (s->kind == RECORD_OUT_OF_BOUNDS)
        report_bounds(l, item);
    launch_fail(l, item, s->place, "%s",
                s->kind == RECORD_DIVISION ? "divides an integer by zero, or the lowest integer by -1"
                                           : "reaches code that is undefined in OpenCL C");
}

static uint8_t state_of(const struct launch *l, unsigned item)
{
    return l->warp[item / l->warp_lanes].state[item % l->warp_lanes];
}

static uint32_t barrier_of(const struct launch *l, unsigned item)
{
    return l->warp[item / l->warp_lanes].barrier[item % l->warp_lanes];
}

/* All work-items of a group must reach the same barrier; with early_exits, all that have not ended. */
void fault_check_barrier(const struct launch *l)
{
    unsigned ended = 0, elsewhere = 0, first_waits = l->lanes, first_ended = l->lanes, first_other = l->lanes;
    for (unsigned i = l->lanes; i-- > 0;) {
        if (state_of(l, i) == LANE_DONE) {
            ended++;
            first_ended = i;
        } else
            first_waits = i;
    }
    if (first_waits == l->lanes)
        return;
    const uint32_t barrier = barrier_of(l, first_waits);
    const struct record_place at = l->kernel->segments[barrier].place;
    if (ended && !l->rules.early_exits)
        launch_fail(l, first_ended, at,
                    "%u of %u work-items of its work-group ended without the barrier of line %u; all must "
                    "reach it, unless --early-exits is given",
                    ended, l->lanes, at.line);
    for (unsigned i = l->lanes; i-- > first_waits;) {
        if (state_of(l, i) == LANE_DONE || barrier_of(l, i) == barrier)
            continue;
        elsewhere++;
        first_other = i;
    }
    if (elsewhere)
        launch_fail(
            l, first_other, l->kernel->segments[barrier_of(l, first_other)].place,
            "%u of %u work-items of its work-group are at this barrier, the others at that of line %u; "
            "all must reach the same one",
            elsewhere, l->lanes - ended, at.line);
}
