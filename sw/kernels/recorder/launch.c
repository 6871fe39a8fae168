/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel work-group by work-group, warp by warp, lane by lane. */
#include "launch.h"
#include "collective.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_WORDS 512u /* per lane: a warp's streams stay in a core's L2 cache */

static void begin_warp(struct launch *l, unsigned number)
{
    const unsigned first = number * l->warp_lanes, left = l->lanes - first;
    const unsigned lanes = left < l->warp_lanes ? left : l->warp_lanes;
    warp_begin(&l->warp[number], number, lanes);
    for (unsigned i = 0; i < lanes; i++)
        fiber_reset(l->fibers, l->logs ? first + i : i);
}

/* All that have not ended are at one barrier; it may be a collective. */
static void run_group_collective(struct launch *l)
{
    for (unsigned i = 0; i < l->lanes; i++)
        l->present[i] = l->warp[i / l->warp_lanes].state[i % l->warp_lanes] == LANE_WAITS &&
                        (l->collective[i].what & COLLECTIVE_GROUP);
    run_collective(l->collective, l->present, l->lanes);
    for (unsigned i = 0; i < l->lanes; i++)
        l->collective[i].what = l->present[i] ? COLLECTIVE_BARRIER : l->collective[i].what;
}

/* With barriers, every warp advances to its next barrier before any goes on. */
static void run_group_with_barriers(struct launch *l)
{
    for (unsigned i = 0; i < l->nwarps; i++)
        begin_warp(l, i);
    for (bool going = true; going;) {
        going = false;
        for (unsigned i = 0; i < l->nwarps; i++) {
            if (!l->warp[i].exited)
                warp_advance(l, &l->warp[i]);
            going |= !l->warp[i].exited;
        }
        fault_check_barrier(l);
        if (going)
            run_group_collective(l);
    }
    for (unsigned i = 0; i < l->nwarps; i++) {
        gwt_write_warp(l->writer, i, l->warp[i].lanes);
        warp_write_log(l, &l->warp[i]);
    }
}

static void run_group(struct launch *l)
{
    for (unsigned i = 0; i < l->nwarps; i++) {
        begin_warp(l, i);
        gwt_write_warp(l->writer, i, l->warp[i].lanes);
        warp_advance(l, &l->warp[i]);
    }
}

static void run_groups(struct launch *l, struct device *d, const uint32_t grid[3])
{
    const uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
    struct record_work_item *id = &record_work_item;
    progress_begin(&d->progress, &d->counts);
    for (uint64_t g = 0; g < total; g++) {
        id->group_id[0] = g % grid[0];
        id->group_id[1] = g / grid[0] % grid[1];
        id->group_id[2] = g / grid[0] / grid[1];
        gwt_write_cta(d->writer, (uint32_t)g, l->nwarps);
        l->runs = 0;
        l->begun = seconds_now();
        (l->logs ? run_group_with_barriers : run_group)(l);
        d->counts.groups++;
        progress_show(&d->progress, d->what, l->kernel->name, g + 1, total, &d->counts);
    }
    progress_end(&d->progress);
}

static void *must(struct device *d, void *p)
{
    if (!p)
        record_fail(d->what, "out of memory");
    return p;
}

static void write_needs(struct device *d, const struct record_kernel *k)
{
    struct gwt_needs needs = {.end = must(d, calloc(k->naccesses + 1u, sizeof *needs.end))};
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->naccesses; i++)
        needs.end[i] = n += k->accesses[i].nneeds;
    needs.pc = must(d, calloc(n + 1u, sizeof *needs.pc));
    n = 0;
    for (uint32_t i = 0; i < k->naccesses; n = needs.end[i++])
        for (uint32_t j = 0; j < k->accesses[i].nneeds; j++)
            needs.pc[n + j] = k->accesses[i].needs[j];
    gwt_write_needs(d->writer, &needs);
    free(needs.end);
    free(needs.pc);
}

static void write_kernel(struct device *d, const struct record_kernel *k, const uint32_t grid[3],
                         const uint32_t block[3], size_t local_bytes)
{
    struct gwt_pc *pcs = must(d, calloc(k->naccesses + 1u, sizeof *pcs));
    for (uint32_t i = 0; i < k->naccesses; i++) {
        const struct record_access *a = &k->accesses[i];
        pcs[i] = (struct gwt_pc){
            .pc = 16ull * a->number, .space = a->space, .line = a->place.line, .kind = "LSC"[a->op]};
    }
    struct gwt_kernel row = {.name = must(d, strdup(k->name)),
                             .local_bytes = (uint32_t)local_bytes,
                             .npcs = k->naccesses,
                             .pcs = pcs};
    memcpy(row.grid, grid, sizeof row.grid);
    memcpy(row.block, block, sizeof row.block);
    gwt_write_kernel(d->writer, &row);
    write_needs(d, k);
    free(row.name);
    free(pcs);
}

/* A __local argument becomes a pointer to memory that all groups use in turn. A struct record_array precedes
 * it. */
#define LOCAL_ALIGNMENT 128 /* bytes of the largest vector */
static struct record_array *local_argument(struct device *d, const char *name,
                                           const struct device_local *local)
{
    const size_t size = (local->bytes / LOCAL_ALIGNMENT + 2) * LOCAL_ALIGNMENT;
    char *memory = must(d, aligned_alloc(LOCAL_ALIGNMENT, size)), *array = memory + LOCAL_ALIGNMENT;
    memset(memory, 0, size);
    struct record_array *front = (struct record_array *)(void *)array - 1;
    *front = (struct record_array){name, (uintptr_t)array, local->bytes};
    return front;
}

static void free_local(struct record_array *front)
{
    if (front)
        free((char *)(front + 1) - LOCAL_ALIGNMENT);
}

/* The range that each access may use: its argument's buffer, if it has one. */
static void prepare_windows(struct launch *l, struct device *d)
{
    l->window = must(d, calloc(l->kernel->naccesses + 1u, sizeof *l->window));
    for (uint32_t i = 0; i < l->kernel->naccesses; i++) {
        const struct record_access *a = &l->kernel->accesses[i];
        const struct buffer *b = launch_buffer(l, a->argument);
        l->window[i] = (struct window){1, 1 + a->bytes, false}; /* contains no device address */
        if (b && b->end - b->begin >= a->bytes)
            l->window[i] = (struct window){b->begin, b->end, true};
    }
}

static void prepare_lanes(struct launch *l, struct device *d, const uint32_t block[3])
{
    l->lanes = block[0] * block[1] * block[2];
    l->nwarps = (l->lanes + l->warp_lanes - 1) / l->warp_lanes;
    l->logs = l->kernel->barriers > 0;
    const unsigned slots = l->logs ? l->lanes : l->warp_lanes;
    l->pitch = (l->kernel->words + (l->logs ? STREAM_WORDS / 4 : STREAM_WORDS)) / 16 * 16 +
               8; /* an odd number of cache lines */
    if (l->pitch < l->kernel->words + 16)
        l->pitch += 16;
    l->stream = must(d, malloc(slots * l->pitch * sizeof *l->stream));
    l->local_id = must(d, calloc(l->lanes, sizeof *l->local_id));
    l->warp = must(d, calloc(l->nwarps, sizeof *l->warp));
    l->collective = must(d, calloc(l->lanes, sizeof *l->collective));
    l->present = must(d, calloc(l->lanes, sizeof *l->present));
    prepare_windows(l, d);
    for (unsigned i = 0; i < l->lanes; i++) {
        l->local_id[i][0] = i % block[0];
        l->local_id[i][1] = i / block[0] % block[1];
        l->local_id[i][2] = i / block[0] / block[1];
    }
    l->fibers = fibers_open(slots, l->kernel->private_bytes, lane_body, NULL);
    if (!l->fibers)
        record_fail(l->what,
                    "kernel %s: out of memory for the private memory of %u work-items, %u bytes each",
                    l->kernel->name, slots, l->kernel->private_bytes);
}

static void release_lanes(struct launch *l)
{
    for (unsigned i = 0; i < l->nwarps; i++)
        free(l->warp[i].log.word);
    fibers_close(l->fibers);
    free(l->stream);
    free(l->local_id);
    free(l->warp);
    free(l->collective);
    free(l->present);
    free(l->window);
}

void device_launch(struct device *d, const char *kernel, unsigned dims, const size_t *global,
                   const size_t *local, unsigned nargs, const void *const *args)
{
    struct mp_error error;
    if (device_check(d, kernel, dims, global, local, nargs, &error))
        record_fail(d->what, "%s", error.text);
    const struct record_kernel *k = device_kernel(d, kernel);
    uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    record_work_item = (struct record_work_item){.dimensions = dims, .lanes = d->warp_lanes};
    for (unsigned i = 0; i < dims; i++) {
        block[i] = (uint32_t)local[i];
        grid[i] = (uint32_t)(global[i] / local[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        record_work_item.local_size[i] = block[i];
        record_work_item.groups[i] = grid[i];
        record_work_item.global_size[i] = (uint64_t)block[i] * grid[i];
    }
    const void **values = must(d, calloc(nargs + 1u, sizeof *values));
    struct record_array **locals = must(d, calloc(nargs + 1u, sizeof *locals));
    size_t local_bytes = k->local_bytes + d->shared;
    for (unsigned i = 0; i < nargs; i++) {
        values[i] = args[i];
        if (k->arguments[i].kind != RECORD_LOCAL)
            continue;
        locals[i] = local_argument(d, k->arguments[i].name, args[i]);
        values[i] = &locals[i]->begin;
        local_bytes += locals[i]->bytes;
    }
    struct launch l = {.kernel = k,
                       .args = values,
                       .arena = &d->arena,
                       .writer = d->writer,
                       .counts = &d->counts,
                       .progress = &d->progress,
                       .what = d->what,
                       .rules = d->rules,
                       .warp_lanes = d->warp_lanes,
                       .local = locals};
    d->counts.launches++;
    prepare_lanes(&l, d, block);
    write_kernel(d, k, grid, block, local_bytes);
    lanes_begin(&l);
    run_groups(&l, d, grid);
    lanes_end();
    gwt_write_kernel_end(d->writer);
    release_lanes(&l);
    for (unsigned i = 0; i < nargs; i++)
        free_local(locals[i]);
    free(locals);
    free(values);
}
