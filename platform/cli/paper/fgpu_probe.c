/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/fgpu_probe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reveal/reveal.h"
#include "gpu/configure.h"
#include "map/gf2.h"

#define MB UINT64_C(0x100000)

/* ---- times of pairs of loads ---- */

enum { STEP = 1024, TYPICAL_LEAST = 495, TYPICAL_MOST = 520, BIN = 5 };

static bool is_slow(const struct mp_gf2 *hash, uint64_t difference)
{
    return difference >> hash->row_shift && !mp_gf2_number(hash->bank, hash->banks, difference);
}

/* The paper keeps the first address and clears the cache before each pair. Here each pair is another one with
 * the same difference, whose lines were not read before: whether two addresses conflict depends on their
 * difference alone. Both are in one of the block's parts of 128 MB, which the differences do not leave. */
static uint64_t pair_address(const struct assembled *a, uint32_t i)
{
    const uint64_t part = 128 * MB, parts = (a->gpu.base + a->gpu.bytes) / part - 1;
    const uint64_t line = (uint64_t)i * 2654435761u % (part / 128); /* odd: each line once */
    return (1 + i % parts) * part + line * 128;
}

/* The cycles of n pairs, and how many of them must be slow. NULL if memory is used up. */
static uint32_t *time_pairs(struct assembled *a, uint32_t n, uint32_t *slow)
{
    const struct mp_gf2 *hash = mp_probe_hash(&a->probe);
    uint32_t *cycles = calloc(n, sizeof *cycles);
    *slow = 0;
    for (uint32_t i = 1; cycles && i <= n; i++) {
        const uint64_t difference = a->gpu.base ^ (a->gpu.base + (uint64_t)i * STEP);
        const uint64_t one = pair_address(a, i), other = one ^ difference;
        const uint64_t pages[] = {one ^ MB, other ^ MB}; /* translations, by other lines */
        a->gpu.chase(a, pages, 2, NULL);
        cycles[i - 1] = (uint32_t)a->gpu.pair(a, one, other);
        *slow += is_slow(hash, difference);
    }
    return cycles;
}

/* Adds the histogram, in bins of 5 cycles up to 700, and what the text says of it. */
static void add_times(struct paper_points *points, const uint32_t *cycles, uint32_t n, uint32_t slow)
{
    uint64_t sum = 0;
    uint32_t least = UINT32_MAX, typical = 0, above = 0, bin[700 / BIN] = {0};
    for (uint32_t i = 0; i < n; i++) {
        sum += cycles[i];
        least = cycles[i] < least ? cycles[i] : least;
        typical += cycles[i] >= TYPICAL_LEAST && cycles[i] <= TYPICAL_MOST;
        bin[cycles[i] < 700 ? cycles[i] / BIN : 700 / BIN - 1]++;
    }
    const double limit = 1.1 * (double)sum / n;
    for (uint32_t i = 0; i < n; i++)
        above += cycles[i] > limit;
    for (uint32_t b = 0; b < 700 / BIN; b++)
        if (bin[b])
            paper_add(points, "pairs", bin[b], "%u", b * BIN);
    paper_add(points, "times", least, "least")->drawn = false;
    paper_add(points, "times", limit, "limit")->drawn = false;
    paper_add(points, "times", (double)typical / n, "495 to 520")->drawn = false;
    paper_add(points, "slow", above, "by time")->drawn = false;
    paper_add(points, "slow", slow, "by the functions")->drawn = false;
}

/* Loads go past the L1 data cache, as those of the paper's programs do. */
static int load_machine(const struct figure_runs *r, struct mp_config *config)
{
    const char *const set[] = {"l1d.loads=bypassed", r->f->set};
    return figure_config(config, r->c, r->f->machine, &r->e->variant[0], r->f->set ? 2 : 1, set);
}

static int pairs(const struct figure_runs *r, struct paper_points *points, uint32_t n)
{
    static struct assembled gpu; /* large, and models point into it */
    struct mp_config config;
    struct mp_error err;
    uint32_t slow;
    int code = load_machine(r, &config);
    if (code)
        return code;
    if (assembled_init(&gpu, &config, 0, NULL, &err)) {
        code = cli_fail(CLI_FAILED, "%s", err.text);
    } else {
        uint32_t *cycles = cli_have(time_pairs(&gpu, n, &slow));
        add_times(points, cycles, n, slow);
        free(cycles);
        assembled_free(&gpu);
    }
    mp_config_free(&config);
    return code;
}

int fgpu_pairs_3000(const struct figure_runs *r, struct paper_points *points)
{
    return pairs(r, points, 3000);
}

int fgpu_pairs_100000(const struct figure_runs *r, struct paper_points *points)
{
    return pairs(r, points, 100000);
}

/* ---- what the software finds ---- */

struct finding {
    struct reveal_result result;
    int64_t row;
    struct mp_config config;
};

static int find_with(const struct cli *cli, const struct reveal_values *v, struct finding *f)
{
    struct mp_error err;
    int code = reveal_run(cli, v, &f->result, &f->row);
    if (!code && reveal_config(v, &f->config, &err))
        code = cli_fail(CLI_USAGE, "%s", err.text);
    return code;
}

static int find(const struct cli *cli, const struct mp_gf2 *machine, struct finding *f)
{
    return find_with(cli, &(struct reveal_values){.machine = machine}, f);
}

static void add_found(struct paper_points *points, const struct finding *f, const char *series, double value,
                      const char *x)
{
    paper_add_run(paper_add(points, series, value, "%s", x), f->row);
}

static void add_functions(struct paper_points *points, const struct finding *f, const char *series)
{
    const struct reverse_found *found = &f->result.found;
    const bool *equal = f->result.equal;
    const double hz = 1e6 * (double)f->config.machine.clock_mhz;
    add_found(points, f, series, found->bank.n, "bank bits");
    add_found(points, f, series, found->set.n, "set bits");
    add_found(points, f, series, found->module.n, "module bits");
    add_found(points, f, series, exp2(found->bank.n), "banks");
    add_found(points, f, series, exp2(found->set.n), "sets");
    add_found(points, f, series, exp2(found->module.n), "modules");
    add_found(points, f, series, reverse_colours(&found->module, 4096), "colours of 4 KB pages");
    add_found(points, f, series, equal[REVEAL_BANK] + equal[REVEAL_SET] + equal[REVEAL_MODULE],
              "spans as published");
    add_found(points, f, series, (double)f->result.cycles / hz, "seconds of the GPU");
}

int fgpu_functions(const struct figure_runs *r, struct paper_points *points)
{
    static const struct mp_gf2 *const machines[] = {&mp_gf2_gtx1080, &mp_gf2_v100};
    static const char *const names[] = {"GTX 1080", "V100"};
    for (unsigned i = 0; i < 2; i++) {
        struct finding f;
        int code = find(r->c->cli, machines[i], &f);
        if (code)
            return code;
        add_functions(points, &f, names[i]);
        mp_config_free(&f.config);
    }
    return CLI_DONE;
}

/* Next to threads that load at random. */
int fgpu_noise(const struct figure_runs *r, struct paper_points *points)
{
    static const struct {
        uint32_t neighbours, gap;
    } noise[] = {{0, 100000},  {1, 100000},  {4, 100000}, {8, 100000},
                 {12, 100000}, {19, 100000}, {1, 10000},  {2, 10000}};
    for (unsigned i = 0; i < sizeof noise / sizeof *noise; i++) {
        const struct reveal_values v = {
            .machine = &mp_gf2_gtx1080, .neighbours = noise[i].neighbours, .gap = noise[i].gap};
        struct finding f;
        char series[48];
        int code = find_with(r->c->cli, &v, &f);
        if (code)
            return code;
        const bool *equal = f.result.equal;
        snprintf(series, sizeof series, "%u, gap %u", noise[i].neighbours, noise[i].gap);
        add_found(points, &f, series, equal[REVEAL_BANK] + equal[REVEAL_SET] + equal[REVEAL_MODULE],
                  "spans as published");
        add_found(points, &f, series, (double)f.result.found.readings, "readings");
        add_found(points, &f, series, (double)f.result.cycles / (1e6 * (double)f.config.machine.clock_mhz),
                  "seconds of the GPU");
        mp_config_free(&f.config);
    }
    return CLI_DONE;
}

int fgpu_properties(const struct figure_runs *r, struct paper_points *points)
{
    enum { BUS_BITS = 256 }; /* the paper's reference 4 */
    struct finding f;
    int code = find(r->c->cli, &mp_gf2_gtx1080, &f);
    if (code)
        return code;
    const struct reverse_found *found = &f.result.found;
    add_found(points, &f, "L2", found->line_bytes, "bytes of a line");
    add_found(points, &f, "L2", found->ways, "ways");
    add_found(points, &f, "L2", found->ways + 1, "lines that evict one");
    add_found(points, &f, "DRAM", found->row_bytes, "bytes of a row");
    add_found(points, &f, "DRAM", BUS_BITS / exp2(found->module.n), "bits of a module's bus");
    mp_config_free(&f.config);
    return CLI_DONE;
}

/* ---- interference ---- */

enum {
    THREADS = 50,
    LINES = 17, /* of a thread: ways + 1 */
    ROUNDS = 100,
    SMS = 20,
    MODULES = 8,
    SETS = 128, /* of a module */
    BANKS = 16  /* of a module */
};

static const char *const cases[] = {"SCSB", "DCSB", "SCDB", "DCDB", "DM"};
enum { SCSB, DCSB, SCDB, DCDB, DM, CASES };

/* Lines of a thread are equal in all three. */
struct class
{
    uint32_t module, set, bank;
};

static struct class class_of(const struct mp_gf2 *hash, uint64_t pa)
{
    return (struct class){mp_gf2_number(hash->module, hash->modules, pa),
                          mp_gf2_number(hash->set, hash->sets, pa) / MODULES,
                          mp_gf2_number(hash->bank, hash->banks, pa) / MODULES};
}

static uint32_t class_number(struct class c)
{
    return (c.module * SETS + c.set) * BANKS + c.bank;
}

/* The k-th of those that differ from `one`, ascending and over again. */
static uint32_t other(uint32_t one, uint32_t k, uint32_t all)
{
    k %= all - 1;
    return k + (k >= one);
}

/* Of secondary thread i, from 1 on. */
static struct class class_of_thread(struct class primary, unsigned which, uint32_t i)
{
    struct class c = primary;
    if (which == DM)
        return (struct class){.module = other(primary.module, i - 1, MODULES)};
    if (which == DCSB || which == DCDB)
        c.set = other(primary.set, i - 1, SETS);
    if (which == SCDB || which == DCDB)
        c.bank = other(primary.bank, i - 1, BANKS);
    return c;
}

/* Gives each thread the lowest lines of its class that no thread before it has. */
static void choose_lines(const struct mp_gf2 *hash, uint64_t first, unsigned which,
                         uint64_t line[THREADS][LINES])
{
    static uint32_t of_class[MODULES * SETS * BANKS][THREADS], threads[MODULES * SETS * BANKS];
    uint32_t have[THREADS] = {0}, missing = THREADS * LINES;
    const struct class primary = class_of(hash, first);
    memset(threads, 0, sizeof threads);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t c = class_number(i ? class_of_thread(primary, which, i) : primary);
        of_class[c][threads[c]++] = i;
    }
    for (uint64_t pa = first; missing; pa += 1u << MP_GF2_LINE_SHIFT) {
        const uint32_t c = class_number(class_of(hash, pa));
        uint32_t k = 0;
        while (k < threads[c] && have[of_class[c][k]] == LINES)
            k++;
        if (k == threads[c])
            continue;
        const uint32_t i = of_class[c][k];
        line[i][have[i]++] = pa;
        missing--;
    }
}

/* Mean cycles of the first thread's loads next to n - 1 others. The first round is not measured. */
static double measure_load(struct mp_probe *p, uint64_t line[THREADS][LINES], uint32_t n)
{
    static uint64_t address[(ROUNDS + 1) * LINES], cycles[(ROUNDS + 1) * LINES];
    struct mp_probe_other others[THREADS];
    uint64_t sum = 0;
    for (uint32_t k = 0; k < (ROUNDS + 1) * LINES; k++)
        address[k] = line[0][k % LINES];
    for (uint32_t i = 1; i < n; i++)
        others[i - 1] = (struct mp_probe_other){1 + (i - 1) % (SMS - 1), line[i], LINES};
    if (!mp_probe_chase_among(p, address, sizeof address / sizeof *address, cycles, others, n - 1))
        return (double)NAN;
    for (uint32_t k = LINES; k < (ROUNDS + 1) * LINES; k++)
        sum += cycles[k];
    return (double)sum / (ROUNDS * LINES);
}

static bool is_shown(uint32_t n)
{
    static const uint32_t shown[] = {1, 2, 4, 8, 12, 16, 17, 20, 24, 32, 40, 50};
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++)
        if (shown[i] == n)
            return true;
    return false;
}

/* Adds a case. Its knee is the largest number of threads, counted from 1 on, with at most 1.1 times the
 * cycles of one. */
static void add_case(struct paper_points *points, struct mp_probe *p, unsigned which)
{
    static uint64_t line[THREADS][LINES];
    double one = 0, last = 0;
    uint32_t knee = 0;
    choose_lines(mp_probe_hash(p), 16 * MB, which, line);
    for (uint32_t n = 1; n <= THREADS; n++) {
        last = measure_load(p, line, n);
        one = n == 1 ? last : one;
        knee += knee + 1 == n && last <= 1.1 * one;
        paper_add(points, cases[which], last, "%u", n)->drawn = is_shown(n);
    }
    paper_add(points, cases[which], knee, "knee")->drawn = false;
    paper_add(points, cases[which], last / one, "50 over 1")->drawn = false;
}

static int interference(const struct mp_config *config, struct paper_points *points)
{
    static struct mp_probe probe; /* models point into it */
    struct mp_machine machine;
    struct mp_error err;
    mp_machine_configure(&machine, config);
    const uint64_t bytes = mp_machine_memory(&machine, machine.slices) / 10 * 8 / (2 * MB) * (2 * MB);
    if (mp_probe_init(&probe, &machine, SMS, 16 * MB, bytes, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    for (unsigned which = 0; which < CASES; which++)
        add_case(points, &probe, which);
    const struct paper_measured *worst = paper_measured(points, cases[SCSB], "50");
    const double most = worst->value, least = paper_measured(points, cases[DM], "50")->value;
    paper_add(points, "all", most / least, "worst over best")->drawn = false;
    mp_probe_free(&probe);
    return CLI_DONE;
}

int fgpu_interference(const struct figure_runs *r, struct paper_points *points)
{
    struct mp_config config;
    int code = load_machine(r, &config);
    if (!code) {
        code = interference(&config, points);
        mp_config_free(&config);
    }
    return code;
}
