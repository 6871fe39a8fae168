/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chase/chase.h"
#include "cli/embedded.h"
#include "cli/progress.h"
#include "cli/table_file.h"
#include "vm/page_format.h"

static const char doc[] =
    "Measures how long loads take on a machine, as one measures a GPU: one thread follows a chain of "
    "pointers "
    "over footprints that grow. Its addresses are a stride apart and in random order. Where a footprint "
    "exceeds "
    "what a TLB or a cache holds, the latency rises: the curve has a knee.\v"
    "Without --stride, there are two curves: one with a stride of a line, for the data caches, and one with "
    "a "
    "stride of a page, for the TLBs. In the latter, each address is in another line of its page. A point is "
    "the "
    "mean of a second round, of 32768 loads at most.\n"
    "\n"
    "The tables list the footprint that each level holds by the machine's parameters, and the knee next to "
    "it. "
    "--cuda writes a program that measures a GPU in the same way and prints the same columns. --beside "
    "compares "
    "with such a file at its points. --fit searches values of parameters that no source gives: it changes "
    "one or "
    "two at a time as long as the residual falls.\n"
    "\n"
    "Examples:\n"
    "  mempath chase                                     the A100's curves\n"
    "  mempath chase star-a100-mig -o curves.svg         another machine, and a picture\n"
    "  mempath chase a100-80g --stride 2MiB --footprint 8MiB:64GiB   its TLBs alone\n"
    "  mempath chase a100-80g --page 64KiB --page 2MiB   with pages of two sizes\n"
    "  mempath chase h100-sxm --set l2d.latency=300      with other parameters\n"
    "  mempath chase --cuda chase.cu                     a program for a GPU, which prints such a file\n"
    "  mempath chase a100-80g --beside a100.csv          the machine and an A100 that was measured\n"
    "  mempath chase a100-80g --beside a100.csv --fit l2d.latency=200:240\n"
    "  mempath chase h100-sxm --bandwidth                what its DRAM sends to SMs that all load\n"
    "  mempath query chase                               the points again, from the database";

enum {
    KEY_STRIDE = 0x100,
    KEY_PAGE,
    KEY_SM,
    KEY_FOOTPRINT,
    KEY_CSV,
    KEY_CUDA,
    KEY_BESIDE,
    KEY_FIT,
    KEY_BANDWIDTH
};

static const struct argp_option options[] = {
    {"set", 's', "PATH=VALUE", 0, "change a parameter (see mempath params)", 0},
    {"stride", KEY_STRIDE, "B", 0, "distance of addresses, as 128 or 64KiB; several times: several curves",
     0},
    {"page", KEY_PAGE, "B", 0, "size of pages, as 64KiB; several times (default: machine.page_bytes)", 0},
    {"sm", KEY_SM, "N", 0, "the SM of the thread; several times (default: 0)", 0},
    {"footprint", KEY_FOOTPRINT, "B:B", 0,
     "from the first to the last one, as 1MiB:4GiB (default: to twice what the last level holds)", 0},
    {"output", 'o', "FILE", 0, "also draw the curves: a folder, or FILE.svg, .png or .pdf", 0},
    {"csv", KEY_CSV, "FILE", 0, "also write the points: " CHASE_COLUMNS, 0},
    {"cuda", KEY_CUDA, "FILE", 0, "only write the CUDA program", 0},
    {"beside", KEY_BESIDE, "FILE", 0,
     "measure at the points of a file of measurements, or of a100.csv or h100.csv, which are included", 0},
    {"fit", KEY_FIT, "PATH=A:B", 0, "with --beside: search a value of a parameter from A to B; several times",
     0},
    {"bandwidth", KEY_BANDWIDTH, 0, 0,
     "only measure the bandwidth of the DRAM while all SMs load: a stream, and random lines", 0},
    {0},
};

struct values {
    struct chase chase;
    uint64_t stride[CHASE_CURVES], page[CHASE_CURVES], sm[CHASE_CURVES];
    unsigned strides, pages, sms;
    const char *output, *csv, *cuda, *beside;
    bool bandwidth;
    char path[CHASE_FITS][100];
};

static int size(const char *option, const char *arg, uint64_t least, uint64_t *value, struct mp_error *err)
{
    const char *wrong = mp_read_number(arg, true, least, UINT64_C(1) << 40, value);
    return wrong ? mp_fail(err, "%s: '%s' %s; %ju B to 1024 GiB, as 64KiB", option, arg, wrong,
                           (uintmax_t)least)
                 : 0;
}

static int list(const char *option, uint64_t *to, unsigned *n, uint64_t value, struct mp_error *err)
{
    for (unsigned i = 0; i < *n; i++)
        if (to[i] == value)
            return mp_fail(err, "%s: %ju twice; each value once", option, (uintmax_t)value);
    if (*n == CHASE_CURVES)
        return mp_fail(err, "%s: more than %u; at most %u", option, CHASE_CURVES, CHASE_CURVES);
    to[(*n)++] = value;
    return 0;
}

static int page(struct values *v, const char *arg, struct mp_error *err)
{
    uint64_t bytes;
    if (size("--page", arg, 4096, &bytes, err))
        return -1;
    if (!mp_page_format(bytes))
        return mp_fail(err, "--page %s: 4KiB, 64KiB or 2MiB", arg);
    return list("--page", v->page, &v->pages, bytes, err);
}

static int footprints(struct chase *c, const char *arg, struct mp_error *err)
{
    char first[40];
    const char *colon = strchr(arg, ':');
    if (!colon || colon - arg >= (ptrdiff_t)sizeof first)
        return mp_fail(err, "--footprint: '%s' has no ':'; FIRST:LAST, as 1MiB:4GiB", arg);
    snprintf(first, sizeof first, "%.*s", (int)(colon - arg), arg);
    if (size("--footprint", first, 4, &c->first, err) || size("--footprint", colon + 1, 4, &c->last, err))
        return -1;
    return c->first <= c->last ? 0 : mp_fail(err, "--footprint %s: the first is larger; FIRST:LAST", arg);
}

static int fit(struct values *v, const char *arg, struct mp_error *err)
{
    struct chase *c = &v->chase;
    const char *equal = strchr(arg, '=');
    if (!equal || equal - arg >= (ptrdiff_t)sizeof v->path[0])
        return mp_fail(err, "--fit: '%s' has no '='; PATH=LEAST:MOST, as l2d.latency=100:400", arg);
    if (c->fits == CHASE_FITS)
        return mp_fail(err, "--fit: more than %u parameters; at most %u", CHASE_FITS, CHASE_FITS);
    struct chase_fit *f = &c->fit[c->fits];
    if (cli_span("--fit", equal + 1, "values, as in l2d.latency=100:400", &f->least, &f->most, err))
        return -1;
    snprintf(v->path[c->fits], sizeof v->path[0], "%.*s", (int)(equal - arg), arg);
    f->path = v->path[c->fits++];
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    uint64_t n;
    switch (key) {
    case 's':
        if (!strchr(arg, '='))
            return mp_fail(err, "--set: '%s' has no value; path=value, as in l2d.latency=250", arg);
        if (v->chase.sets == CHASE_SETS)
            return mp_fail(err, "chase: more than %u --set; at most %u", CHASE_SETS, CHASE_SETS);
        v->chase.set[v->chase.sets++] = arg;
        return 0;
    case KEY_STRIDE:
        return size("--stride", arg, 4, &n, err) ? -1 : list("--stride", v->stride, &v->strides, n, err);
    case KEY_PAGE:
        return page(v, arg, err);
    case KEY_SM:
        return cli_number("--sm", arg, 0, 1000, &n, err) ? -1 : list("--sm", v->sm, &v->sms, n, err);
    case KEY_FOOTPRINT:
        return footprints(&v->chase, arg, err);
    case 'o':
        v->output = arg;
        return 0;
    case KEY_CSV:
        v->csv = arg;
        return 0;
    case KEY_CUDA:
        v->cuda = arg;
        return 0;
    case KEY_BESIDE:
        v->beside = arg;
        return 0;
    case KEY_FIT:
        return fit(v, arg, err);
    case KEY_BANDWIDTH:
        v->bandwidth = true;
        return 0;
    default:
        if (v->chase.machine)
            return mp_fail(err, "chase: '%s' is unexpected; one machine", arg);
        v->chase.machine = arg;
        return 0;
    }
}

/* ---- files that are included ---- */

static void program(const void *self, FILE *f)
{
    (void)self;
    fputs(cli_file_text(chase_files, "chase.cu"), f);
}

/* ---- the work ---- */

static int plan_curves(struct values *v, struct mp_error *err)
{
    struct chase *c = &v->chase;
    if (!v->pages)
        v->page[v->pages++] = c->page_bytes;
    if (!v->sms)
        v->sms = 1;
    const unsigned strides = v->strides ? v->strides : 2;
    if (strides * v->pages * v->sms > CHASE_CURVES)
        return mp_fail(err, "chase: %u curves of %u strides, %u sizes of pages and %u SMs; at most %u",
                       strides * v->pages * v->sms, strides, v->pages, v->sms, CHASE_CURVES);
    for (unsigned s = 0; s < strides; s++)
        for (unsigned p = 0; p < v->pages; p++)
            for (unsigned m = 0; m < v->sms; m++) {
                struct chase_curve *curve = &c->curve[c->curves++];
                const uint64_t usual = s ? v->page[p] : c->line_bytes;
                curve->stride = v->strides ? v->stride[s] : usual;
                curve->page_bytes = v->page[p];
                curve->sm = (uint32_t)v->sm[m];
                if (chase_footprints(c, curve, err))
                    return -1;
            }
    return 0;
}

struct display {
    struct progress progress;
    unsigned line;
    uint64_t all;
};

static void show(void *context, uint64_t loads)
{
    struct display *d = context;
    progress_update(&d->progress, d->line, loads < d->all ? loads : d->all, d->all);
    progress_draw(&d->progress);
}

static int measure(const struct cli *cli, struct values *v, double *before, double *after,
                   struct mp_error *err)
{
    static struct display display;
    struct chase *c = &v->chase;
    int failed = 0;
    display.all = chase_loads(c);
    c->progress = c->fits ? NULL : show; /* how many times the curves will be measured is not known */
    c->context = &display;
    cli_catch_signals();
    progress_begin(&display.progress, cli, "loads", 1, 0);
    display.line = progress_start(&display.progress, c->fits ? "fitting" : "chasing", 0);
    if (c->fits) {
        failed = chase_fit(c, before, after, err);
    } else {
        for (unsigned k = 0; k < c->curves && !failed; k++)
            failed = chase_measure(c, &c->curve[k], err);
        *after = v->beside && !failed ? chase_residual(c) : NAN;
    }
    progress_end(&display.progress);
    return failed;
}

/* The values of the machine are where the search begins. */
static int begin_fits(struct chase *c, struct mp_error *err)
{
    const unsigned fits = c->fits;
    struct mp_config config;
    if (mp_config_load(&config, c->machine, c->sets, c->set, err))
        return -1;
    int failed = 0;
    for (unsigned i = 0; i < fits && !failed; i++) {
        struct chase_fit *f = &c->fit[i];
        const unsigned n = mp_config_find(&config, f->path);
        if (n >= mp_config_nparams(&config)) {
            failed = mp_fail(err, "--fit: %s is no parameter; mempath params lists them", f->path);
            break;
        }
        f->value = mp_param_get(&config, n);
        f->value = f->value < f->least ? f->least : f->value > f->most ? f->most : f->value;
    }
    mp_config_free(&config);
    return failed;
}

static int run(struct cli *cli, struct values *v, struct mp_error *err)
{
    struct chase *c = &v->chase;
    double before = NAN, after = NAN;
    const double start = progress_now();
    c->curve = cli_alloc(CHASE_CURVES, sizeof *c->curve);
    c->machine = c->machine ? c->machine : "a100-80g";
    if ((c->fits && begin_fits(c, err)) || chase_prepare(c, err))
        return cli_fail(CLI_USAGE, "%s", err->text);
    if (v->bandwidth)
        return chase_bandwidth(cli, c, err) ? cli_fail(cli_stop ? CLI_FAILED : CLI_USAGE, "%s", err->text)
                                            : CLI_DONE;
    if (v->beside ? chase_read(c, v->beside, err) : plan_curves(v, err))
        return cli_fail(CLI_USAGE, "%s", err->text);
    if (measure(cli, v, &before, &after, err))
        return cli_fail(cli_stop ? CLI_FAILED : CLI_USAGE, "%s", err->text);
    if (v->csv && chase_write(c, v->csv, err))
        return cli_fail(CLI_USAGE, "--csv %s", err->text);
    const int64_t row = chase_record(cli, c, progress_now() - start, err);
    if (row < 0)
        return cli_fail(CLI_USAGE, "%s", err->text);
    chase_print(cli, c, row, before, after);
    return v->output ? chase_picture(cli, c, v->output) : CLI_DONE;
}

int cmd_chase(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath chase",
                                           .args = "[MACHINE]",
                                           .word = mp_config_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    static struct values v;
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.bandwidth && (v.strides || v.pages || v.sms || v.chase.last || v.beside || v.csv || v.output ||
                        v.cuda || v.chase.fits))
        return cli_fail(CLI_USAGE, "--bandwidth: has no curves; with MACHINE and --set only");
    if (v.chase.fits && !v.beside)
        return cli_fail(CLI_USAGE, "--fit: needs measurements; --beside FILE");
    if (v.beside && (v.strides || v.pages || v.sms || v.chase.last))
        return cli_fail(CLI_USAGE,
                        "--beside: its file says stride, page, SM and footprint; without --stride, "
                        "--page, --sm and --footprint");
    if (v.cuda)
        return table_write(v.cuda, program, NULL, &err) ? cli_fail(CLI_USAGE, "--cuda %s", err.text)
                                                        : CLI_DONE;
    code = run(cli, &v, &err);
    free(v.chase.curve);
    return code;
}
