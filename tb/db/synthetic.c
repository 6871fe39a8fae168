/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "synthetic.h"

void db_remove(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[512];
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

struct mp_db_run_info db_info(unsigned ntenants, const struct mp_db_tenant *tenant)
{
    return (struct mp_db_run_info){.experiment = "synthetic",
                                   .command_line = "mempath run synthetic",
                                   .config_text = "seed: 7\n",
                                   .machine_text = "tlb: {}\n",
                                   .revision = "0123456789abcdef",
                                   .build_type = "Release",
                                   .compiler = "gcc 12.2.0",
                                   .seed = 7,
                                   .ntenants = ntenants,
                                   .tenant = tenant};
}

double db_number(struct mp_db *db, const char *sql)
{
    char *text = db_text(db, sql, MP_DB_CSV), *second = strchr(text, '\n');
    if (!second || !second[1]) {
        fprintf(stderr, "no row: %s\n", sql);
        abort();
    }
    double v = strtod(second + 1, NULL);
    free(text);
    return v;
}

char *db_text_with(struct mp_db *db, const char *sql, unsigned nparameters,
                   const struct mp_db_parameter *parameter, enum mp_db_format format)
{
    struct mp_error err;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    CHECK(mp_db_query(db, sql, nparameters, parameter, format, f, &err));
    fclose(f);
    return text;
}

char *db_text(struct mp_db *db, const char *sql, enum mp_db_format format)
{
    return db_text_with(db, sql, 0, NULL, format);
}

/* One counter of one component kind, with its values for ATAX and FIR. */
static const struct counter {
    const char *kind, *name, *unit, *description;
    uint64_t value[2];
} counters[] = {
    {"tenant", "cycles", "cycles", "until the first complete run ended", {0, 0}}, /* as in results */
    {"l1_tlb", "lookups", "lookups", "requests looked up", {1000, 500}},
    {"l1_tlb", "hits", "lookups", "found", {600, 450}},
    {"l1_tlb", "misses", "lookups", "not found", {400, 50}},
    {"l1_tlb", "mshr_merges", "lookups", "misses joined to one in flight", {80, 10}},
    {"l1_tlb", "stalls", "lookups", "held back, no MSHR free", {20, 0}},
    {"l2_tlb", "lookups", "lookups", "requests looked up", {320, 40}},
    {"l2_tlb", "hits", "lookups", "found", {160, 30}},
    {"l2_tlb", "misses", "lookups", "not found", {160, 10}},
    {"l2_tlb", "mshr_merges", "lookups", "misses joined to one in flight", {40, 0}},
    {"l2_tlb", "stalls", "lookups", "held back, no MSHR free", {8, 0}},
    {"l2_tlb", "fills", "translations", "written", {120, 10}},
    {"l2_tlb", "evictions", "translations", "lost", {64, 4}},
    {"l3_tlb", "lookups", "lookups", "requests looked up", {120, 10}},
    {"l3_tlb", "hits", "lookups", "found", {90, 8}},
    {"l3_tlb", "misses", "lookups", "not found", {30, 2}},
    {"l3_tlb", "mshr_merges", "lookups", "misses joined to one in flight", {0, 0}},
    {"l3_tlb", "stalls", "lookups", "held back, no MSHR free", {0, 0}},
    {"walk", "walks", "walks", "done", {30, 2}},
    {"walk", "queue_cycles", "cycles", "waited for a walker", {3000, 0}},
    {"walk", "walk_cycles", "cycles", "walked", {9000, 500}},
    {"walk", "pwc_lookups", "lookups", "of the page walk cache", {90, 6}},
    {"walk", "pwc_hits", "lookups", "found in the page walk cache", {81, 3}},
    {"walk", "levels_read", "entries", "page table entries read", {90, 6}},
    {"l1d", "lookups", "lines", "looked up", {2000, 800}},
    {"l1d", "hits", "lines", "found", {500, 600}},
    {"l1d", "misses", "lines", "not found", {1500, 200}},
    {"l1d", "mshr_merges", "lines", "misses joined to one in flight", {100, 0}},
    {"l1d", "stalls", "lines", "held back, no MSHR free", {40, 0}},
    {"l1d", "writebacks", "lines", "written back", {0, 0}},
    {"l2d", "lookups", "lines", "looked up", {1400, 200}},
    {"l2d", "hits", "lines", "found", {700, 100}},
    {"l2d", "misses", "lines", "not found", {700, 100}},
    {"l2d", "mshr_merges", "lines", "misses joined to one in flight", {0, 0}},
    {"l2d", "stalls", "lines", "held back, no MSHR free", {0, 0}},
    {"l2d", "writebacks", "lines", "written back", {70, 0}},
    {"dram", "reads", "lines", "read", {700, 100}},
    {"dram", "writes", "lines", "written", {70, 0}},
    {"dram", "row_hits", "accesses", "to the open row", {616, 90}},
    {"dram", "row_misses", "accesses", "to another row", {154, 10}},
    {"dram", "busy_cycles", "cycles", "of the data bus", {3850, 500}},
    {"dram", "channels", "channels", "that the tenant has", {2, 2}},
    {"sm", "issued", "instructions", "warp instructions issued", {8000, 3000}},
    {"sm", "accesses", "instructions", "memory instructions done", {3000, 500}},
    {"sm", "access_cycles", "cycles", "they took, summed", {1200000, 100000}},
    {"sm", "lsu_stalls", "cycles", "an access was ready and the LSU was not", {900, 100}},
    {"neidty", "local", "requests", "answered from the TLB's own array", {600, 80}},
    {"neidty", "left", "requests", "answered by the left neighbour", {100, 4}},
    {"neidty", "right", "requests", "answered by the right neighbour", {50, 6}},
    {"neidty", "below", "requests", "answered by a TLB of a level below", {200, 8}},
    {"neidty", "walked", "requests", "answered by a page walk", {50, 2}},
    {"neidty", "latency", "cycles", "from arrival to answer", {12000, 900}},
    {"neidty", "probes", "probes", "sent to other TLBs", {120, 10}},
    {"neidty", "in_vain", "probes", "to TLBs without the page", {6, 0}},
    {"neidty", "loads", "translations", "stored that another TLB has answered", {90, 10}},
};

static const struct distribution {
    const char *kind, *name, *unit, *description;
    enum mp_db_metric_kind scale;
    unsigned nbins;
    uint64_t words[2][161];
} distributions[] = {
    {"l3_tlb",
     "sub_entries_at_eviction",
     "sub-entries",
     "in use when the entry was evicted",
     MP_DB_HISTOGRAM_LINEAR,
     17,
     {{[1] = 6, [2] = 3, [16] = 3}, {[16] = 2}}},
    {"l3_tlb",
     "reuse_distance",
     "pages",
     "distinct pages since the last use",
     MP_DB_HISTOGRAM_LOG2,
     16,
     {{[1] = 10, [3] = 20, [10] = 60}, {[0] = 8}}},
    {"walk",
     "walk_latency",
     "cycles",
     "from arrival to fill",
     MP_DB_HISTOGRAM_LOG_LINEAR,
     160,
     /* 10 of 200 cycles and 20 of 500; 2 of 250 */
     {{[0] = 500, [1 + 32 * 2 + (200 >> 2)] = 10, [1 + 32 * 3 + (500 >> 3)] = 20},
      {[0] = 250, [1 + 32 * 2 + (250 >> 2)] = 2}}},
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* Other kinds have no levels. */
static const struct kind {
    const char *name, *kind;
    unsigned level;
} kinds[] = {{"l1_tlb", "tlb", 1}, {"l2_tlb", "tlb", 2}, {"l3_tlb", "tlb", 3},
             {"l1d", "cache", 1},  {"l2d", "cache", 2},  {"neidty", "neighbours", 0}};

/* Two components of a kind have half of a value each, so that views have something to add up. */
static void record(struct mp_db *db, unsigned ntenants, const unsigned *program, uint64_t factor)
{
    struct mp_error err;
    char path[64];
    for (size_t i = 0; i < LENGTH(kinds); i++)
        CHECK(mp_db_component_kind(db, kinds[i].name, kinds[i].kind, kinds[i].level, &err));
    for (size_t i = 0; i < LENGTH(counters); i++) {
        const struct counter *c = &counters[i];
        int metric = mp_db_metric(db, c->kind, c->name, c->unit, c->description, MP_DB_COUNTER, &err);
        for (unsigned part = 0; part < 2; part++) {
            snprintf(path, sizeof path, "gpu.gpc%u.%s", part, c->kind);
            int component = mp_db_component(db, path, c->kind, &err);
            for (unsigned t = 0; t < ntenants; t++) {
                uint64_t v = factor * c->value[program[t]], half = v / 2;
                CHECK(mp_db_value(db, component, (int)t, metric, part ? v - half : half, &err));
            }
        }
    }
    for (size_t i = 0; i < LENGTH(distributions); i++) {
        const struct distribution *d = &distributions[i];
        int metric = mp_db_metric(db, d->kind, d->name, d->unit, d->description, d->scale, &err);
        snprintf(path, sizeof path, "gpu.gpc0.%s", d->kind);
        int component = mp_db_component(db, path, d->kind, &err);
        for (unsigned t = 0; t < ntenants; t++)
            CHECK(mp_db_histogram(db, component, (int)t, metric, d->nbins, d->words[program[t]], &err));
    }
    int metric = mp_db_metric(db, "l3_tlb", "misses", "lookups", "not found", MP_DB_COUNTER, &err);
    int component = mp_db_component(db, "gpu.gpc0.l3_tlb", "l3_tlb", &err);
    for (unsigned epoch = 1; epoch <= 3; epoch++)
        CHECK(mp_db_epoch(db, epoch * 1000, component, 0, metric, epoch * epoch, &err));
}

/* Two walkers; one is stolen. */
static void record_window(struct mp_db *db)
{
    struct mp_error err;
    const struct mp_db_walk walks[] = {
        {.page = 0x10000, .arrived = 900, .started = 900, .ended = 1200, .levels = 3, .owner = 0},
        {.page = 0x20000,
         .arrived = 1000,
         .started = 1000,
         .ended = 1100,
         .walker = 1,
         .levels = 1,
         .owner = 1},
        {.page = 0x30000,
         .arrived = 1050,
         .started = 1100,
         .ended = 1400,
         .walker = 1,
         .levels = 3,
         .owner = 1},
        {.page = 0x10000,
         .arrived = 1150,
         .started = 1200,
         .ended = 1450,
         .levels = 2,
         .tenant = 1,
         .asid = 1},
    };
    const struct mp_db_walk_change waiting[] = {{1000, 0, 0}, {1000, 1, 0}, {1050, 0, 1},
                                                {1100, 0, 0}, {1150, 1, 1}, {1200, 1, 0}};
    const struct mp_db_walk_change owners[] = {{1000, 0, 0}, {1000, 1, 1}};
    const struct mp_db_walk_window window = {.component = mp_db_component(db, "gpu.gpc0.walk", "walk", &err),
                                             .first = 1000,
                                             .last = 2000,
                                             .walkers = 2,
                                             .nwalks = LENGTH(walks),
                                             .nwaiting = LENGTH(waiting),
                                             .nowners = LENGTH(owners),
                                             .walk = walks,
                                             .waiting = waiting,
                                             .owner = owners};
    CHECK(mp_db_walk_window(db, &window, &err));
}

static const struct mp_db_tenant programs[2] = {
    {"ATAX", "small", 4, "atax.gwt", {0x1111, 0xaaaa}, 4096},
    {"FIR", "small", 3, "fir.gwt", {0x2222, 0xbbbb}, 1024},
};
static const struct mp_db_tenant_result results[2] = {
    {.cycles = 10000,
     .instructions = 8000,
     .thread_instructions = 256000,
     .accesses = 400,
     .translations = 1000,
     .completions = 1},
    {.cycles = 4000,
     .instructions = 3000,
     .thread_instructions = 96000,
     .accesses = 250,
     .translations = 500,
     .completions = 2},
};

static void record_launches(struct mp_db *db)
{
    struct mp_error err;
    int metric[3];
    CHECK(metric[0] = mp_db_metric(db, "sm", "issued", "instructions", "warp instructions issued",
                                   MP_DB_COUNTER, &err));
    CHECK(metric[1] = mp_db_metric(db, "dram", "reads", "lines", "lines read", MP_DB_COUNTER, &err));
    CHECK(metric[2] = mp_db_metric(db, "dram", "writes", "lines", "lines written", MP_DB_COUNTER, &err));
    const uint64_t first[] = {3000, 40, 10}, second[] = {5000, 20, 0};
    const struct mp_db_launch launch[] = {{0, 1, "atax_rows", 0, 9000, 3, metric, first},
                                          {0, 2, "atax_columns", 10000, 20000, 3, metric, second}};
    CHECK(mp_db_launches(db, launch, 2, &err));
}

/* Tenant 0 takes `slower` times its cycles alone. */
static void one_run(struct mp_db *db, const char *name, unsigned ntenants, const unsigned *program,
                    uint64_t slower)
{
    struct mp_error err;
    struct mp_db_tenant tenant[2];
    struct mp_db_tenant_result result[2];
    struct mp_db_totals totals = {.seconds = 0.5, .digest = {1, 2}, .tenant = result, .events = 12000};
    for (unsigned t = 0; t < ntenants; t++) {
        tenant[t] = programs[program[t]];
        result[t] = results[program[t]];
        result[t].cycles *= t == 0 ? slower : 1;
        totals.cycles = result[t].cycles > totals.cycles ? result[t].cycles : totals.cycles;
        totals.instructions += result[t].instructions;
        totals.accesses += result[t].accesses;
        totals.translations += result[t].translations;
    }
    const struct mp_setting setting[] = {{"seed", NULL, NULL, 7},
                                         {"machine.sharing", NULL, "mig", 0},
                                         {"l1_tlb.entries", "entries", NULL, 32},
                                         {"l1_tlb.policy", NULL, "subentry", 0},
                                         {"l1_tlb.sub_entries", "sub-entries", NULL, 1},
                                         {"l1_tlb.ways", "ways", NULL, 32},
                                         {"l3_tlb.entries", "entries", NULL, ntenants > 1 ? 2048 : 1024},
                                         {"l3_tlb.latency", "cycles", NULL, 40},
                                         {"l3_tlb.policy", NULL, "star", 0},
                                         {"l3_tlb.sub_entries", "sub-entries", NULL, 16},
                                         {"l3_tlb.ways", "ways", NULL, 8},
                                         {"machine.clock_mhz", NULL, NULL, 1000},
                                         {"machine.line_bytes", "B", NULL, 128},
                                         {"walk.memory", NULL, "fixed", 0},
                                         {"walk.pwc_entries", "entries", NULL, 128},
                                         {"walk.pwc_ways", "ways", NULL, 8}};
    struct mp_db_run_info info = db_info(ntenants, tenant);
    info.nsettings = LENGTH(setting);
    info.setting = setting;
    info.experiment = name;
    info.config_text = name;
    info.changes = ntenants > 1 ? "l3_tlb.entries=2048" : NULL;
    int64_t run;
    CHECK(run = mp_db_run_begin(db, &info, &err));
    record(db, ntenants, program, 1);
    if (ntenants > 1)
        record_window(db);
    if (ntenants > 1)
        record_launches(db);
    const struct mp_db_function function = {"bank", 0, "10 12 16", true};
    const struct mp_db_reveal reveal = {.machine = "gtx1080", .nfunctions = 1, .function = &function};
    if (ntenants > 1)
        CHECK(mp_db_reveal(db, &reveal, &err));
    const struct mp_db_chase_point point[] = {{128, 65536, 4096, 0, 30, NAN}, {128, 65536, 8192, 0, 31, 33}};
    if (ntenants > 1)
        CHECK(mp_db_chase(db, point, 2, &err));
    CHECK(mp_db_run_end(db, MP_DB_DONE, &totals, &err));
    const struct mp_db_host_count count = {
        run, 6000000, 150000, 30000, "48 KiB L1 data, 1 MiB L2", "valgrind-3.19.0"};
    if (ntenants > 1)
        CHECK(mp_db_host_count(db, &count, &err));
}

/* A sweep of one machine that differs in the applications, whose third point has no run. */
static void one_study(struct mp_db *db)
{
    struct mp_error err;
    const struct mp_db_axis axis[] = {{0, "experiment", false}, {1, "workload", true}};
    const char *const label[] = {"atax", "both", "fir twice"};
    const char *const value[] = {"example", "atax", "example", "both", "example", "fir twice"};
    const struct mp_db_study study = {"shared", "what sharing costs", 2, 3, axis, label, value};
    struct mp_db_at at = {.number = 1};
    CHECK(at.study = mp_db_study(db, &study, &err));
    CHECK(mp_db_point_run(db, &at, 1, &err));
    at.number = 2;
    CHECK(mp_db_point_run(db, &at, 3, &err));
}

static void one_cosim(struct mp_db *db)
{
    struct mp_error err;
    const struct mp_db_cosim_point points[] = {{"vacant: none to alone", 1000},
                                               {"revert: stride to alone", 0}};
    const struct mp_db_cosim_line lines[] = {{"mp_least.sv", 30, 5000, "best = a;", NULL},
                                             {"mp_least.sv", 31, 0, "else best = b;", NULL}};
    const struct mp_db_cosim cosim = {.block = "star",
                                      .mode = "star",
                                      .options = "stride=1",
                                      .seed = 1,
                                      .seeded = true,
                                      .status = MP_DB_EQUAL,
                                      .transactions = 100000,
                                      .clocks = 500000,
                                      .seconds = 0.5,
                                      .replay =
                                          "mempath cosim star --mode star --seed 1 --transactions 100000",
                                      .tools = "verilator 5.006",
                                      .revision = "0123456789ab",
                                      .npoints = 2,
                                      .point = points,
                                      .nlines = 2,
                                      .line = lines};
    CHECK(mp_db_cosim(db, &cosim, &err));
}

static void two_registers(struct mp_db *db)
{
    struct mp_error err;
    const struct mp_db_register reg[] = {{"UART", "LCR", 0x10000003, 1, 0, 1, "RW", 0, 0, "", "line control"},
                                         {"CLINT", "MTIMECMP", 0x2004000, 1, 0, 8, "RW", UINT64_MAX, 0,
                                          "clears the interrupt", "when it comes"}};
    const struct mp_db_register_field field[] = {{"UART", "LCR", "DLAB", 7, 1, "divisor latch access"}};
    CHECK(mp_db_registers(db, 2, reg, 1, field, &err));
}

static void one_rtl(struct mp_db *db)
{
    struct mp_error err;
    const struct mp_db_rtl_figure figures[] = {
        {"star", "entry_bits", "bits", 914, 914, MP_DB_IN_BOUNDS, true, 914},
        {"star", "cells", "cells", 2100, 2000, MP_DB_GREW, false, 0},
        {"star", "tlb_overhead_70", "", 0.064, 0, MP_DB_UNBOUNDED, true, 0.014},
    };
    const struct mp_db_rtl rtl = {.status = MP_DB_RTL_OUTSIDE,
                                  .technology = "180 nm",
                                  .tools = "yosys 0.23, sta 2.0.17",
                                  .revision = "0123456789ab",
                                  .seconds = 12.5,
                                  .nfigures = 3,
                                  .figure = figures};
    CHECK(mp_db_rtl(db, &rtl, &err));
}

static void one_mutation(struct mp_db *db)
{
    struct mp_error err;
    const struct mp_db_mutant mutants[] = {
        {1, MP_DB_KILLED, "inv", "add", "Y", "mp_star_tlb_set.sv:620", 6, "star", 2, 35, "state of set 3"},
        {2, MP_DB_SURVIVED, "const1", "and", "B", "mp_least.sv:38", 0, NULL, 0, 0, ""},
        {3, MP_DB_EQUIVALENT, "const0", "u_choice", "any_o", "mp_dws_arbiter.sv:232", 0, NULL, 0, 0, ""},
    };
    const struct mp_db_mutation mutation = {.block = "star",
                                            .mode = "star",
                                            .seed = 1,
                                            .transactions = 2000,
                                            .seconds = 0.5,
                                            .tools = "verilator 5.006",
                                            .revision = "0123456789ab",
                                            .n = 3,
                                            .mutant = mutants};
    CHECK(mp_db_mutation(db, &mutation, &err));
}

static void fix_hosts(const char *path)
{
    sqlite3 *s;
    if (sqlite3_open(path, &s) != SQLITE_OK ||
        sqlite3_exec(s,
                     "UPDATE run SET uuid = printf('00000000-0000-4000-8000-%012d', id), host = 'example',"
                     " cpu = 'Example CPU', cores = 2, boot = 'example', pid = 1, pid_started = 1,"
                     " started = printf('2026-01-31T12:00:0%d.000Z', id),"
                     " ended = printf('2026-01-31T12:00:0%d.500Z', id), peak_memory = 25165824;"
                     "UPDATE measured_point SET measured = '2026-01-31T12:01:00.000Z';"
                     "UPDATE cosim SET host = 'example', started = '2026-01-31T12:02:00.000Z';"
                     "UPDATE rtl SET host = 'example', started = '2026-01-31T12:03:00.000Z';"
                     "UPDATE mutation SET host = 'example', started = '2026-01-31T12:04:00.000Z';",
                     NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(s));
        abort();
    }
    sqlite3_close(s);
}

void db_synthetic(const char *path)
{
    struct mp_error err;
    struct mp_db *db;
    db_remove(path);
    CHECK(mp_db_open(&db, path, MP_DB_WRITE, &err));
    one_run(db, "atax-alone", 1, (const unsigned[]){0}, 1);
    one_run(db, "fir-alone", 1, (const unsigned[]){1}, 1);
    one_run(db, "both", 2, (const unsigned[]){0, 1}, 2);
    const struct mp_db_point points[] = {
        {"example", "fig1", "both", "ATAX", 0.6, true, "of alone", "", false},
        {"example", "fig1", "both", "FIR", 0, false, "of alone", "drawn, not printed", false},
    };
    struct mp_db_point measured = points[0];
    measured.value = 0.5;
    CHECK(mp_db_paper_point(db, &points[0], &err));
    CHECK(mp_db_paper_point(db, &points[1], &err));
    CHECK(mp_db_measured_point(db, &measured, "0123456789abcdef", 2, (const int64_t[]){3, 1}, &err));
    one_study(db);
    one_cosim(db);
    two_registers(db);
    one_rtl(db);
    one_mutation(db);
    mp_db_close(db);
    fix_hosts(path);
}
