/* SPDX-License-Identifier: Apache-2.0 */
/* Running a kernel: work-group by work-group, warp by warp, lane by lane. */
#include "launch.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_WORDS 512u /* per lane: 32 lanes' streams stay in a core's L2 cache */

/* What the kernels' code and the built-in functions refer to. */
uint64_t *record_cursor, *record_limit;
struct record_work_item record_work_item;
void record_yield(void);
void record_barrier(void);

volatile sig_atomic_t record_interrupted;

static struct launch *running; /* kernels run one at a time */

static void pause_lane(enum lane_state state)
{
    running->warp[running->running / LANES].state[running->running % LANES] = (uint8_t)state;
    fiber_pause(running->fibers);
}

void record_yield(void)
{
    pause_lane(LANE_RUNS);
}

void record_barrier(void)
{
    pause_lane(LANE_WAITS);
}

static void lane_body(void *unused)
{
    (void)unused;
    running->kernel->call(running->args);
    pause_lane(LANE_DONE);
}

void launch_run_lane(struct launch *l, struct warp *w, unsigned lane)
{
    const unsigned item = w->number * LANES + lane, slot = l->logs ? item : lane;
    struct record_work_item *id = &record_work_item;
    for (unsigned i = 0; i < 3; i++) {
        id->local_id[i] = l->local_id[item][i];
        id->global_id[i] = id->group_id[i] * id->local_size[i] + id->local_id[i];
    }
    uint64_t *stream = l->stream + slot * l->pitch;
    record_cursor = stream;
    record_limit = stream + l->pitch - l->kernel->words;
    l->running = item;
    fiber_run(l->fibers, slot);
    w->at[lane] = stream;
    w->end[lane] = record_cursor;
    if (record_interrupted)
        record_fail(l->what, "interrupted; no trace was written");
}

static void begin_warp(struct launch *l, unsigned number)
{
    const unsigned first = number * LANES, lanes = l->lanes - first < LANES ? l->lanes - first : LANES;
    warp_begin(&l->warp[number], number, lanes);
    for (unsigned i = 0; i < lanes; i++)
        fiber_reset(l->fibers, l->logs ? first + i : i);
}

/* Barriers: every warp goes to its next one before any goes on. */
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

static void write_kernel(struct device *d, const struct record_kernel *k, const uint32_t grid[3],
                         const uint32_t block[3], size_t local_bytes)
{
    struct gwt_pc *pcs = must(d, calloc(k->naccesses + 1u, sizeof *pcs));
    for (uint32_t i = 0; i < k->naccesses; i++) {
        const struct record_access *a = &k->accesses[i];
        pcs[i] = (struct gwt_pc){16ull * a->number, "LSC"[a->op], a -> space, a -> line};
    }
    struct gwt_kernel row = {.name = must(d, strdup(k->name)),
                             .local_bytes = (uint32_t)local_bytes,
                             .npcs = k->naccesses,
                             .pcs = pcs};
    memcpy(row.grid, grid, sizeof row.grid);
    memcpy(row.block, block, sizeof row.block);
    gwt_write_kernel(d->writer, &row);
    free(row.name);
    free(pcs);
}

/* A __local argument becomes a pointer to memory that all groups use in turn; *bytes grows by its size. */
static void *local_argument(struct device *d, const void *arg, size_t *bytes)
{
    const struct device_local *local = arg;
    *bytes += local->bytes;
    return must(d, calloc(local->bytes + 1, 1));
}

static void prepare_lanes(struct launch *l, struct device *d, const uint32_t block[3])
{
    l->lanes = block[0] * block[1] * block[2];
    l->nwarps = (l->lanes + LANES - 1) / LANES;
    l->logs = l->kernel->barriers > 0;
    const unsigned slots = l->logs ? l->lanes : LANES;
    l->pitch = (l->kernel->words + (l->logs ? STREAM_WORDS / 4 : STREAM_WORDS)) / 16 * 16 +
               8; /* odd in cache lines */
    if (l->pitch < l->kernel->words + 16)
        l->pitch += 16;
    l->stream = must(d, malloc(slots * l->pitch * sizeof *l->stream));
    l->local_id = must(d, calloc(l->lanes, sizeof *l->local_id));
    l->warp = must(d, calloc(l->nwarps, sizeof *l->warp));
    l->window = must(d, calloc(l->kernel->naccesses + 1u, sizeof *l->window));
    for (uint32_t i = 0; i < l->kernel->naccesses; i++)
        l->window[i] = (struct window){1, 1 + l->kernel->accesses[i].bytes}; /* holds no device address */
    for (unsigned i = 0; i < l->lanes; i++) {
        l->local_id[i][0] = i % block[0];
        l->local_id[i][1] = i / block[0] % block[1];
        l->local_id[i][2] = i / block[0] / block[1];
    }
    l->fibers = fibers_open(slots, lane_body, NULL);
}

static void release_lanes(struct launch *l)
{
    for (unsigned i = 0; i < l->nwarps; i++)
        free(l->warp[i].log.word);
    fibers_close(l->fibers);
    free(l->stream);
    free(l->local_id);
    free(l->warp);
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
    record_work_item = (struct record_work_item){.dimensions = dims};
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
    void **locals = must(d, calloc(nargs + 1u, sizeof *locals));
    size_t local_bytes = k->local_bytes;
    for (unsigned i = 0; i < nargs; i++) {
        const bool is_local = k->arguments[i].kind == RECORD_LOCAL;
        locals[i] = is_local ? local_argument(d, args[i], &local_bytes) : NULL;
        values[i] = is_local ? (const void *)&locals[i] : args[i];
    }
    struct launch l = {.kernel = k,
                       .args = values,
                       .arena = &d->arena,
                       .writer = d->writer,
                       .counts = &d->counts,
                       .what = d->what};
    d->counts.launches++;
    prepare_lanes(&l, d, block);
    write_kernel(d, k, grid, block, local_bytes);
    running = &l;
    run_groups(&l, d, grid);
    running = NULL;
    gwt_write_kernel_end(d->writer);
    release_lanes(&l);
    for (unsigned i = 0; i < nargs; i++)
        free(locals[i]);
    free(locals);
    free(values);
}
