/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/replay/colours.h"
#include "cli/reveal/reveal.h"
#include "map/gf2.h"
#include "vm/page_format.h"

static const char doc[] =
    "Finds how a GPU maps addresses to DRAM banks, L2 sets and memory modules, by the times of loads "
    "alone (Fractional GPUs, Algorithms 1 and 2). The software (sw/reverse) measures single loads, "
    "pairs and chains of loads on the assembled machine, from one lane of its first SM, through TLBs, "
    "L2 cache and DRAM. Afterwards, what it found is compared with the machine.\v"
    "Each line of the result is a fact: a function as the address bits whose XOR it is, a size in bytes, "
    "the number of colours that pages of a size can have, the number of readings, simulated cycles. "
    "The functions are a basis of what was found in reduced form: the lowest bit of each leads it, "
    "and is in no other one. Exit code 0: they span what the machine's functions span.\n"
    "\n"
    "Examples:\n"
    "  mempath reveal                                 the GTX 1080\n"
    "  mempath reveal --machine v100 --jitter 16      readings are up to 16 cycles late\n"
    "  mempath reveal --hidden-seed 7 --json          functions that nothing documents\n"
    "  mempath reveal --page-size 4096                loads translate more often, and walks disturb the L2\n"
    "  mempath reveal --neighbours 4                  next to four threads that load at random\n"
    "  mempath query reveal                           the functions again, from the database\n"
    "  mempath plot pairs                             times of pairs of loads, and the limit of a conflict";

enum { KEY_MACHINE = 'm', KEY_JITTER = 'j', KEY_SEED = 0x100, KEY_PAGE_SIZE, KEY_NEIGHBOURS, KEY_GAP };

static const struct argp_option options[] = {
    {"machine", KEY_MACHINE, "M", 0, "gtx1080 or v100 (default: gtx1080)", 0},
    {"hidden-seed", KEY_SEED, "N", 0, "the machine's geometry with functions that follow from a 64-bit seed",
     0},
    {"jitter", KEY_JITTER, "J", 0, "each reading is 0 to J cycles late, by a seeded sequence (default: 0)",
     0},
    {"neighbours", KEY_NEIGHBOURS, "N", 0,
     "N other SMs have a thread each that loads from random addresses all the time (default: 0)", 0},
    {"gap", KEY_GAP, "CYCLES", 0,
     "each neighbour waits for 1 to CYCLES cycles between loads (default: 100000)", 0},
    {"page-size", KEY_PAGE_SIZE, "B", 0,
     "pages of the block that the software reads: 4096, 65536 or 2097152 (default: 2097152)", 0},
    {0},
};

static int page_size(const char *arg, uint64_t *bytes, struct mp_error *err)
{
    if (cli_number("--page-size", arg, 1, UINT64_MAX, bytes, err))
        return -1;
    if (mp_page_format(*bytes))
        return 0;
    return mp_fail(err, "--page-size %s: 4096, 65536 or 2097152", arg);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct reveal_values *v = values;
    switch (key) {
    case KEY_MACHINE:
        return replay_colours_machine(&v->machine, arg, err);
    case KEY_SEED:
        v->hidden = true;
        return cli_number("--hidden-seed", arg, 0, UINT64_MAX, &v->seed, err);
    case KEY_JITTER:
        return cli_number("--jitter", arg, 0, 1000, &v->jitter, err);
    case KEY_NEIGHBOURS:
        return cli_number("--neighbours", arg, 0, 1000, &v->neighbours, err);
    case KEY_GAP:
        return cli_number("--gap", arg, 1, 1000000000, &v->gap, err);
    case KEY_PAGE_SIZE:
        return page_size(arg, &v->page_bytes, err);
    default:
        return mp_fail(err, "reveal: '%s' is unexpected; options only", arg);
    }
}

/* Loads go past the L1 data cache, as those of the paper's programs do. */
int reveal_config(const struct reveal_values *v, struct mp_config *config, struct mp_error *err)
{
    char name[32], seed[64], page[64];
    const char *override[4] = {"l1d.loads=bypassed"};
    unsigned n = 1;
    snprintf(name, sizeof name, "fgpu-%s", v->machine->name);
    snprintf(seed, sizeof seed, "machine.functions_seed=%" PRIu64, v->seed);
    snprintf(page, sizeof page, "machine.page_bytes=%" PRIu64, v->page_bytes);
    if (v->page_bytes)
        override[n++] = page;
    if (v->hidden) {
        override[n++] = "machine.functions=hidden";
        override[n++] = seed;
    }
    return mp_config_load(config, name, n, override, err);
}

struct display {
    struct progress progress;
    unsigned line;
};

static struct display display;

/* Banks take about as many steps as sets; an address bit is a step. */
static void show(void *context, const char *step, uint32_t done, uint32_t all)
{
    (void)context;
    uint64_t before = !strcmp(step, "banks") ? 0 : all;
    if (!strcmp(step, "ways")) /* its steps are no address bits */
        done = 0;
    display.progress.line[display.line].label = step;
    progress_update(&display.progress, display.line, before + done, 2 * (uint64_t)all);
    progress_draw(&display.progress);
}

/* Both are brought into the reduced form. */
static bool spans_equal(const struct reverse_span *found, const uint64_t *function, unsigned n)
{
    uint64_t machine[MP_GF2_SET];
    memcpy(machine, function, n * sizeof *machine);
    return found->n == mp_gf2_reduce(machine, n) &&
           !memcmp(found->function, machine, found->n * sizeof *machine);
}

static void compare(const struct assembled *a, struct reveal_result *r)
{
    const struct mp_gf2 *machine = mp_probe_hash(&a->probe);
    r->span[REVEAL_BANK] = &r->found.bank;
    r->span[REVEAL_SET] = &r->found.set;
    r->span[REVEAL_MODULE] = &r->found.module;
    r->equal[REVEAL_BANK] = spans_equal(&r->found.bank, machine->bank, machine->banks);
    r->equal[REVEAL_SET] = spans_equal(&r->found.set, machine->set, machine->sets);
    r->equal[REVEAL_MODULE] = spans_equal(&r->found.module, machine->module, machine->modules);
}

static int reveal(const struct cli *cli, struct assembled *a, struct reveal_result *r, struct mp_error *err)
{
    const char *step;
    double start = progress_now();
    progress_begin(&display.progress, cli, "bits", 1, 0);
    display.line = progress_start(&display.progress, "banks", 0);
    a->gpu.progress = show;
    int failed = reverse_run(&a->gpu, &r->found, &step);
    progress_end(&display.progress);
    r->seconds = progress_now() - start;
    r->cycles = assembled_now(a);
    if (failed)
        return mp_fail(err, "reveal: %s: not found in %" PRIu64 " readings; a --jitter of 16 at most", step,
                       r->found.readings);
    compare(a, r);
    return 0;
}

static int run(const struct cli *cli, const struct reveal_values *v, const struct mp_config *config,
               struct assembled *a, struct reveal_result *r, int64_t *row)
{
    struct mp_error err, why;
    struct mp_db *db;
    *row = reveal_record_begin(cli, config, &db, &err);
    if (*row < 0)
        return cli_fail(CLI_USAGE, "%s", err.text);
    int failed = reveal(cli, a, r, &why);
    if (reveal_record_end(db, v, r, a, failed ? why.text : NULL, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    return failed ? cli_fail(CLI_FAILED, "%s", why.text) : CLI_DONE;
}

int reveal_run(const struct cli *cli, const struct reveal_values *v, struct reveal_result *r, int64_t *row)
{
    static struct assembled gpu; /* large, and models point into it */
    struct mp_config config;
    struct mp_error err;
    int code;
    *r = (struct reveal_result){.cycles = 0};
    if (reveal_config(v, &config, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    const struct assembled_noise noise = {(uint32_t)v->neighbours, v->gap ? (uint32_t)v->gap : REVEAL_GAP};
    if (assembled_init(&gpu, &config, (uint32_t)v->jitter, &noise, &err)) {
        code = cli_fail(CLI_FAILED, "%s", err.text);
    } else {
        code = run(cli, v, &config, &gpu, r, row);
        assembled_free(&gpu);
    }
    mp_config_free(&config);
    return code;
}

int cmd_reveal(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath reveal", .doc = doc, .options = options, .option = option};
    struct reveal_values v = {.machine = &mp_gf2_gtx1080};
    struct reveal_result r;
    int64_t row = 0;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    code = reveal_run(cli, &v, &r, &row);
    if (code)
        return code;
    if (cli->json)
        reveal_print_json(row, &v, &r);
    else
        reveal_print(&v, &r);
    return r.equal[REVEAL_BANK] && r.equal[REVEAL_SET] && r.equal[REVEAL_MODULE] ? CLI_DONE : CLI_FAILED;
}
