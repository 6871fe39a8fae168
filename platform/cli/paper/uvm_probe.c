/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/uvm_probe.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/cache.h"
#include "trace/gwt.h"

#define BUFFER UINT64_C(0x40000000)
#define BLOCK  UINT64_C(0x200000)
#define SETS   4u

/* `warps` warps, one after the other in the buffer: warp i loads the pages i, i + warps, ... of `pages`,
 * which are divided evenly among `blocks` blocks and are the first ones of each. */
struct probe {
    const char *name;
    uint64_t bytes; /* of the buffer */
    uint32_t pages, page_bytes, blocks, warps;
    const char *set[SETS]; /* of the machine */
};

/* ---- the accesses ---- */

static uint64_t address(const struct probe *p, uint32_t page)
{
    const uint32_t each = p->pages / p->blocks;
    return BUFFER + page / each * BLOCK + (uint64_t)(page % each) * p->page_bytes;
}

static void write_kernel(struct gwt_writer *w, const struct probe *p)
{
    char name[] = "probe";
    struct gwt_pc pc = {.pc = 0x10, .kind = 'L', .space = GWT_GLOBAL};
    const struct gwt_kernel k = {
        .name = name, .grid = {p->warps, 1, 1}, .block = {32, 1, 1}, .npcs = 1, .pcs = &pc};
    const struct gwt_event exit = {.kind = GWT_EXIT, .gap = 1};
    gwt_write_kernel(w, &k);
    for (uint32_t i = 0; i < p->warps; i++) {
        gwt_write_cta(w, i, 1);
        gwt_write_warp(w, 0, 32);
        for (uint32_t page = i; page < p->pages; page += p->warps) {
            const struct gwt_event load = {.kind = GWT_ACCESS,
                                           .op = GWT_LOAD,
                                           .active = 1,
                                           .gap = 1,
                                           .mask = 1,
                                           .bytes = 4,
                                           .lane = {address(p, page)}};
            gwt_write_event(w, &load);
        }
        gwt_write_event(w, &exit);
    }
    gwt_write_kernel_end(w);
}

/* In the cache, so that the run can be repeated. */
static int write_trace(const struct probe *p, char path[PATH_MAX], struct mp_error *err)
{
    char folder[CACHE_FOLDER];
    struct gwt_writer *w;
    if (cache_folder(folder, "traces", err))
        return -1;
    snprintf(path, PATH_MAX, "%s/uvm-%s-%" PRIu64 "-%" PRIu32 "-%" PRIu32 "-%" PRIu32 "-%" PRIu32 ".gwt.zst",
             folder, p->name, p->bytes, p->page_bytes, p->pages, p->blocks, p->warps);
    if (gwt_writer_open(&w, path, err))
        return -1;
    gwt_write_alloc(w, 1, BUFFER, p->bytes);
    write_kernel(w, p);
    return gwt_writer_close(w, err);
}

/* ---- the runs ---- */

static int configure(const struct figure_runs *r, const struct probe *p, struct mp_config *config)
{
    char path[PATH_MAX], trace[PATH_MAX + 32], page[48];
    struct mp_error err;
    const char *set[SETS + 4] = {trace, "tenants.0.managed=true", page};
    unsigned n = 3;
    if (write_trace(p, path, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    snprintf(trace, sizeof trace, "tenants.0.trace=%s", path);
    snprintf(page, sizeof page, "machine.page_bytes=%" PRIu32, p->page_bytes);
    for (unsigned i = 0; i < SETS && p->set[i]; i++)
        set[n++] = p->set[i];
    return figure_config(config, r->c, r->f->machine, &r->e->variant[r->f->variant[0]], n, set);
}

/* Numbers of the run, from a SELECT that gives one row of at most four. */
static int ask(const struct figure_runs *r, int64_t run, const char *sql, double value[4])
{
    struct mp_db *db;
    struct mp_error err;
    for (unsigned i = 0; i < 4; i++)
        value[i] = (double)NAN;
    if (mp_db_open(&db, r->c->cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    char *text = runs_ask(db, sql, run, MP_DB_CSV, &err);
    mp_db_close(db);
    if (!text)
        return cli_fail(CLI_FAILED, "%s", err.text);
    const char *row = strchr(text, '\n');
    if (row)
        sscanf(row + 1, "%lf,%lf,%lf,%lf", &value[0], &value[1], &value[2], &value[3]);
    free(text);
    return CLI_DONE;
}

/* Runs all, at once where processors allow, and calls add() for each. */
static int run_all(const struct figure_runs *r, const struct probe *probe, unsigned n,
                   struct paper_points *points,
                   int (*add)(const struct figure_runs *r, const struct probe *p, int64_t run,
                              struct paper_points *points))
{
    struct run_job *jobs = cli_alloc(n, sizeof *jobs);
    int code = CLI_DONE;
    unsigned made = 0;
    for (; !code && made < n; made += !code) {
        snprintf(jobs[made].label, sizeof jobs[made].label, "%s %u", probe[made].name, made + 1);
        code = configure(r, &probe[made], &jobs[made].config);
    }
    if (!code)
        code = runs_execute(r->c->cli, jobs, n, r->c->parallel, true);
    for (unsigned i = 0; !code && i < n; i++)
        code = add(r, &probe[i], jobs[i].run_id, points);
    runs_free(jobs, made); /* and the list */
    return code;
}

__attribute__((format(printf, 5, 6))) static void add(struct paper_points *points, int64_t run,
                                                      const char *series, double value, const char *x, ...)
{
    char text[56];
    va_list args;
    va_start(args, x);
    vsnprintf(text, sizeof text, x, args);
    va_end(args);
    paper_add_run(paper_add(points, series, value, "%s", text), run);
}

/* ---- a lone fault ---- */

static int add_latency(const struct figure_runs *r, const struct probe *p, int64_t run,
                       struct paper_points *points)
{
    static const char *const part[] = {"interrupt", "fetch", "block", "copy", "replay"};
    char series[16];
    double v[4];
    int code = ask(r, run, "SELECT fault_us, faults, faulted FROM managed_memory WHERE run = :run", v);
    snprintf(series, sizeof series, "%" PRIu32 " KB", p->page_bytes / 1024);
    if (!code)
        add(points, run, series, v[1] == 1 && v[2] == 1 ? v[0] : (double)NAN, "fault");
    for (unsigned i = 0; !code && i < sizeof part / sizeof *part; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT us_per_page FROM fault_cost WHERE run = :run AND part = '%s'",
                 part[i]);
        code = ask(r, run, sql, v);
        if (!code)
            add(points, run, series, v[0], "%s", part[i]);
    }
    return code;
}

int uvm_latency(const struct figure_runs *r, struct paper_points *points)
{
    static const struct probe probe[] = {{"lone", 4096, 1, 4096, 1, 1, {0}},
                                         {"lone", 65536, 1, 65536, 1, 1, {0}}};
    return run_all(r, probe, sizeof probe / sizeof *probe, points, add_latency);
}

/* ---- bandwidth ---- */

/* Copies of a buffer that one fault brings whole, without the link's latency. */
static int add_copy(const struct figure_runs *r, const struct probe *p, int64_t run,
                    struct paper_points *points)
{
    double v[4];
    int code =
        ask(r, run, "SELECT gbps_in, copied, faulted, batches FROM managed_memory WHERE run = :run", v);
    const bool one = v[1] * p->page_bytes == (double)p->bytes && v[2] == 1 && v[3] == 1;
    if (!code)
        add(points, run, "copy", one ? v[0] : (double)NAN, "%" PRIu64 " KB", p->bytes / 1024);
    return code;
}

static int add_stream(const struct figure_runs *r, const struct probe *p, int64_t run,
                      struct paper_points *points)
{
    double v[4];
    int code = ask(
        r, run, "SELECT gbps_in, gbps_in * use_in, faulted, copied FROM managed_memory WHERE run = :run", v);
    (void)p;
    if (!code) {
        add(points, run, "stream", v[0], "tree");
        add(points, run, "stream", v[1], "tree, of the time");
    }
    return code;
}

int uvm_bandwidth(const struct figure_runs *r, struct paper_points *points)
{
#define COPY(kb)                                                                                             \
    {                                                                                                        \
        "copy", UINT64_C(1024) * (kb), 1, 4096, 1, 1,                                                        \
        {                                                                                                    \
            "uvm.threshold=1", "uvm.link_latency=0"                                                          \
        }                                                                                                    \
    }
    static const struct probe copy[] = {COPY(4),   COPY(8),   COPY(16),  COPY(32),   COPY(64),
                                        COPY(128), COPY(256), COPY(512), COPY(1024), COPY(2048)};
#undef COPY
    static const struct probe stream[] = {{"stream", 32 * BLOCK, 32 * 512, 4096, 32, 256, {0}}};
    int code = run_all(r, copy, sizeof copy / sizeof *copy, points, add_copy);
    return code ? code : run_all(r, stream, 1, points, add_stream);
}

/* ---- batches ---- */

static int add_batch(const struct figure_runs *r, const struct probe *p, int64_t run,
                     struct paper_points *points)
{
    double v[4];
    int code = ask(r, run,
                   "SELECT batch_us, m.faults, m.batches, (SELECT sum(value) FROM counters c WHERE c.run = "
                   "m.run AND c.component_kind = 'uvm' AND c.metric = 'blocks') FROM managed_memory m "
                   "WHERE m.run = :run",
                   v);
    const bool one = v[1] == p->pages && v[2] == 1 && v[3] == p->blocks;
    if (!code)
        add(points, run, "batch", one ? v[0] : (double)NAN, "%" PRIu32 " faults in %" PRIu32, p->pages,
            p->blocks);
    return code;
}

/* The server waits until all faults are there, which takes more than an interrupt. */
int uvm_batch(const struct figure_runs *r, struct paper_points *points)
{
#define BATCH(faults, blocks)                                                                                \
    {                                                                                                        \
        "batch", 64 * BLOCK, faults, 4096, blocks, faults,                                                   \
        {                                                                                                    \
            "uvm.prefetch=none", "uvm.cost_interrupt=100000"                                                 \
        }                                                                                                    \
    }
    static const struct probe probe[] = {BATCH(64, 1),  BATCH(128, 1),  BATCH(256, 1),
                                         BATCH(64, 8),  BATCH(128, 8),  BATCH(256, 8),
                                         BATCH(64, 64), BATCH(128, 64), BATCH(256, 64)};
#undef BATCH
    return run_all(r, probe, sizeof probe / sizeof *probe, points, add_batch);
}
