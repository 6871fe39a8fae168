/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a lane of a warp until it pauses, waits at a barrier, fails or ends. */
#include "collective.h"
#include "launch.h"

#include <string.h>

#define RUNS_PER_LOOK 1024u /* runs of lanes between two looks at the clock */

/* Called by the kernels' code and the built-in functions. */
void record_yield(void);
void record_barrier(uint64_t segment);
uint64_t record_collective_at(uint64_t segment, uint32_t what, uint64_t value, uint32_t argument);
void record_mistake(const struct record_site *site, uint64_t offset, uint64_t bytes);
const struct record_array *record_array_of(uint64_t address);
uint32_t record_space_of(uint64_t address);

volatile sig_atomic_t record_interrupted;

static struct launch *running; /* kernels run one at a time */

static void pause_lane(enum lane_state state)
{
    const unsigned item = running->running, warp_lanes = running->warp_lanes;
    running->warp[item / warp_lanes].state[item % warp_lanes] = (uint8_t)state;
    fiber_pause(running->fibers);
}

void record_yield(void)
{
    pause_lane(LANE_RUNS);
}

void record_barrier(uint64_t segment)
{
    const unsigned item = running->running, warp_lanes = running->warp_lanes;
    running->warp[item / warp_lanes].barrier[item % warp_lanes] = (uint32_t)segment;
    pause_lane(LANE_WAITS);
}

uint64_t record_collective_at(uint64_t segment, uint32_t what, uint64_t value, uint32_t argument)
{
    const unsigned item = running->running, warp_lanes = running->warp_lanes;
    struct collective *m = &running->collective[item];
    *m = (struct collective){.value = value, .result = value, .what = what, .argument = argument};
    running->warp[item / warp_lanes].barrier[item % warp_lanes] = (uint32_t)segment;
    pause_lane(what & COLLECTIVE_GROUP ? LANE_WAITS : LANE_JOINS);
    return m->result;
}

void record_mistake(const struct record_site *site, uint64_t offset, uint64_t bytes)
{
    running->fault = (struct fault){.site = site, .offset = offset, .bytes = bytes};
    pause_lane(LANE_FAILED);
}

/* Finds the array for a pointer that may point into one of several local arrays. */
const struct record_array *record_array_of(uint64_t address)
{
    static const struct record_array none;
    const struct record_kernel *k = running->kernel;
    for (uint32_t i = 0; i < k->nlocals; i++)
        if (address - k->locals[i].begin < k->locals[i].bytes)
            return &k->locals[i];
    for (uint32_t i = 0; i < k->narguments; i++)
        if (running->local[i] && address - running->local[i]->begin < running->local[i]->bytes)
            return running->local[i];
    return &none;
}

/* SPIR's number of the memory that a generic pointer is into. What is neither in device memory nor in a local
 * array is private. */
uint32_t record_space_of(uint64_t address)
{
    const struct arena *a = running->arena;
    if (address - (uint64_t)(uintptr_t)a->base < a->size)
        return 1;
    return record_array_of(address)->bytes ? 3 : 0;
}

/* A signal raised by a work-item's code ends that lane for good, on the signal's stack. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (!running->in_lane)
        record_fail(running->what, "kernel %s: the recorder got signal %d (%s) between two work-items",
                    running->kernel->name, signal, strsignal(signal));
    const bool located = info->si_code > 0 && info->si_code != SI_KERNEL;
    running->fault =
        (struct fault){.signal = signal, .located = located, .address = (uintptr_t)info->si_addr};
    pause_lane(LANE_FAILED);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct {
    struct sigaction before[SIGNALS];
    stack_t stack_before;
} handlers;

void lanes_begin(struct launch *l)
{
    static char stack[64u << 10];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND};
    running = l;
    sigaltstack(&own, &handlers.stack_before);
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &handlers.before[i]);
}

void lanes_end(void)
{
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &handlers.before[i], NULL);
    sigaltstack(&handlers.stack_before, NULL);
    running = NULL;
}

void lane_body(void *unused)
{
    (void)unused;
    running->kernel->call(running->args);
    pause_lane(LANE_DONE);
}

/* The clock decides only whether this message appears. */
static void note_long_group(struct launch *l, unsigned item)
{
    const double seconds = seconds_now() - l->begun;
    if (seconds < l->rules.note_after)
        return;
    l->rules.note_after *= 2;
    progress_end(l->progress);
    char where[WHERE_TEXT];
    launch_where(l, item, launch_place(l), where);
    fprintf(stderr,
            "mempath: record: %s: %s: %.3g s in this work-group so far; --limit N ends a recording in which "
            "a warp issues more than N instructions\n",
            l->what, where, seconds);
}

void launch_run_lane(struct launch *l, struct warp *w, unsigned lane)
{
    const unsigned item = w->number * l->warp_lanes + lane, slot = l->logs ? item : lane;
    struct record_work_item *id = &record_work_item;
    for (unsigned i = 0; i < 3; i++) {
        id->local_id[i] = l->local_id[item][i];
        id->global_id[i] = id->group_id[i] * id->local_size[i] + id->local_id[i];
    }
    id->sub_group = w->number;
    id->sub_lane = lane;
    id->sub_lanes = w->lanes;
    id->cuda_lane = lane % CUDA_LANES;
    uint64_t *stream = l->stream + slot * l->pitch;
    record_cursor = stream;
    record_limit = stream + l->pitch - l->kernel->words;
    l->running = item;
    l->in_lane = true;
    fiber_run(l->fibers, slot);
    l->in_lane = false;
    w->at[lane] = stream;
    w->end[lane] = record_cursor;
    if (w->state[lane] == LANE_FAILED)
        fault_report(l, item);
    if (record_interrupted)
        launch_fail(l, item, launch_place(l), "interrupted; no trace was written");
    if (++l->runs % RUNS_PER_LOOK == 0)
        note_long_group(l, item);
}
