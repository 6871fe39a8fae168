/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/out.h"
#include "cli/progress.h"
#include "cli/revision.h"
#include "cli/rtl/rtl.h"
#include "cli/spawn.h"

struct values {
    const char *rtl, *keep; /* folders; keep NULL: a temporary one */
    const char *pictures;   /* folder, or NULL */
    bool full, update, list, cells;
    struct rtl_library library;
    bool chosen[RTL_MAX_DESIGNS], any_chosen;
};

struct outcome {
    struct rtl_job jobs[RTL_MAX_DESIGNS];
    char folder[RTL_MAX_DESIGNS][PATH_MAX + 32];
    unsigned count;
    const char *technology;
    bool bounded; /* compared with bounds */
    struct rtl_bounds bounds;
    double seconds;
    char *tools;
    enum mp_db_rtl_status status;
    struct mp_db_rtl_figure figure[RTL_MAX_DESIGNS * (RTL_FIGURES + 4)];
    unsigned nfigures;
};

/* ---- options ---- */

enum {
    KEY_PICTURES = 'o',
    KEY_RTL = 0x100,
    KEY_KEEP,
    KEY_FULL,
    KEY_UPDATE,
    KEY_SWEEP,
    KEY_LIST,
    KEY_LIBERTY,
    KEY_CELLS
};

static const struct argp_option options[] = {
    {"full", KEY_FULL, NULL, 0,
     "also map the arbiter to an FPGA, simulate its netlist, and lay out a small instance; takes minutes", 0},
    {"update", KEY_UPDATE, NULL, 0, "write the measured figures as the new bounds", 0},
    {"sweep", KEY_SWEEP, NULL, 0, "measure all sizes of directories, and the L1 TLB; takes long", 0},
    {"output", KEY_PICTURES, "FOLDER", 0,
     "draw area and period of the directories there, those that are not measured "
     "from their bounds (needs gnuplot)",
     0},
    {"liberty", KEY_LIBERTY, "FILE", 0,
     "measure in your cell library; nothing is compared with the bounds, which are those of the usual one",
     0},
    {"cells", KEY_CELLS, "SETTINGS", 0,
     "names of that library: driver=CELL, a buffer that drives the inputs; "
     "nand2=CELL, in whose area designs are counted; load=PF, of each output (default 0.05)",
     0},
    {"list", KEY_LIST, NULL, 0, "measure nothing; list the designs that would be measured", 0},
    {"keep", KEY_KEEP, "FOLDER", 0, "leave netlists, reports and the tools' logs there", 0},
    {"rtl", KEY_RTL, "FOLDER", 0, "use another copy of rtl/, including synth/ and its bounds", 0},
    {0},
};

static int choose(struct values *v, const char *name, struct mp_error *err)
{
    const char *names[RTL_MAX_DESIGNS + 1] = {0};
    for (unsigned d = 0; d < rtl_ndesigns; d++) {
        names[d] = rtl_designs[d].name;
        if (!strcmp(name, names[d])) {
            v->chosen[d] = v->any_chosen = true;
            return 0;
        }
    }
    return cli_unknown(err, name, names, "mempath rtl --help lists them", "rtl: no design '%s'", name);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_RTL:
        v->rtl = arg;
        return 0;
    case KEY_KEEP:
        v->keep = arg;
        return 0;
    case KEY_SWEEP:
        v->any_chosen = true;
        for (unsigned d = 0; d < rtl_ndesigns; d++)
            v->chosen[d] |= !strcmp(rtl_designs[d].name, RTL_L1_TLB) || rtl_designs[d].tag_bits;
        return 0;
    case KEY_PICTURES:
        v->pictures = arg;
        return 0;
    case KEY_FULL:
        v->full = true;
        return 0;
    case KEY_UPDATE:
        v->update = true;
        return 0;
    case KEY_LIST:
        v->list = true;
        return 0;
    case KEY_LIBERTY:
        v->library.file = arg;
        v->library.own = true;
        return 0;
    case KEY_CELLS:
        v->cells = true;
        return rtl_library_cells(arg, &v->library, err);
    default:
        return choose(v, arg, err);
    }
}

/* ---- folders ---- */

/* The tools run in another folder, so both paths are absolute. */
static int find_folders(struct values *v, char rtl[PATH_MAX], char work[PATH_MAX], struct mp_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/synth/synth.tcl", v->rtl);
    if (access(path, R_OK) || !realpath(v->rtl, rtl))
        return mp_fail(err, "--rtl: no scripts in '%s' (%s); a folder like rtl/", v->rtl, path);
    if (v->keep) {
        if ((mkdir(v->keep, 0777) && errno != EEXIST) || !realpath(v->keep, work))
            return mp_fail(err, "--keep: %s: %s; a folder, or a name for a new one", v->keep,
                           strerror(errno));
        return 0;
    }
    return folder_temporary(work, PATH_MAX, "rtl", err);
}

/* ---- the cell library ---- */

static int check_library(const struct values *v, struct mp_error *err)
{
    if (!v->library.own)
        return v->cells ? mp_fail(err, "--cells: those of the usual library are known; add --liberty FILE")
                        : 0;
    if (v->update)
        return mp_fail(err, "--update: bounds are those of the usual library; omit --liberty");
    if (v->full)
        return mp_fail(err, "--full: needs the usual library's layouts and models; omit --liberty");
    if (!*v->library.driver || !*v->library.nand2)
        return mp_fail(err, "--liberty: names of cells are needed; --cells driver=CELL,nand2=CELL");
    return 0;
}

/* The tools run in another folder, so the path is absolute. */
static int find_library(struct rtl_library *l, char file[PATH_MAX], struct mp_error *err)
{
    if (!l->own)
        *l = rtl_library_usual;
    if (!(l->load > 0))
        l->load = rtl_library_usual.load;
    if (rtl_library_read(l, err))
        return -1;
    if (!realpath(l->file, file))
        return mp_fail(err, "--liberty: %s: %s; a cell library in Liberty is needed", l->file,
                       strerror(errno));
    l->file = file;
    return 0;
}

/* The technology that the figures refer to, in a line. The caller frees it. */
static char *technology_of(const struct rtl_library *l)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    if (l->own)
        fprintf(f, "library %s, inputs from %s, %g pF at outputs, ideal wires", l->name, l->driver, l->load);
    else
        fputs(rtl_technology, f);
    fclose(f);
    return text;
}

/* ---- bounds ---- */

/* Sets the bounds to the measured figures. */
static void update(struct outcome *o)
{
    for (unsigned i = 0; i < o->count; i++)
        for (unsigned f = 0; f < RTL_FIGURES; f++)
            if (rtl_figures[f].bounded && o->jobs[i].values.has[f]) {
                struct rtl_values *b = &o->bounds.of[o->jobs[i].design - rtl_designs];
                b->has[f] = true;
                b->value[f] = o->jobs[i].values.value[f];
            }
}

/* Prints a line on stderr for every figure outside its bounds; returns their number. */
static unsigned check(const struct outcome *o, const char *path)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < o->count; i++)
        for (unsigned f = 0; f < RTL_FIGURES; f++) {
            const struct rtl_job *j = &o->jobs[i];
            const struct rtl_values *b = &o->bounds.of[j->design - rtl_designs];
            if (!rtl_figures[f].bounded || !j->values.has[f])
                continue;
            enum mp_db_rtl_verdict verdict =
                b->has[f] ? rtl_verdict(f, j->values.value[f], b->value[f]) : MP_DB_IN_BOUNDS;
            if (!b->has[f])
                cli_fail(CLI_FAILED, "%s: no %s of %s, which is %.10g; --update adds it", path,
                         rtl_figures[f].name, j->design->name, j->values.value[f]);
            else if (verdict != MP_DB_IN_BOUNDS)
                cli_fail(CLI_FAILED, "%s: %s of %s %s from %.10g to %.10g %s; %s", path, rtl_figures[f].name,
                         j->design->name, mp_db_rtl_verdict_names[verdict], b->value[f], j->values.value[f],
                         rtl_figures[f].unit, rtl_figures[f].exact ? "equal" : "2 % either way");
            wrong += !b->has[f] || verdict != MP_DB_IN_BOUNDS;
        }
    return wrong;
}

/* ---- results ---- */

static void add_figure(struct outcome *o, const struct rtl_job *j, const char *name, const char *unit,
                       double value, double paper)
{
    o->figure[o->nfigures++] = (struct mp_db_rtl_figure){.design = j->design->name,
                                                         .name = name,
                                                         .unit = unit,
                                                         .value = value,
                                                         .has_paper = paper > 0,
                                                         .paper = paper};
}

static double paper_of(const struct rtl_design *d, enum rtl_figure f)
{
    return f == (d->baseline ? RTL_ENTRY_BITS : RTL_FLOPS) ? d->bits : 0;
}

/* Compared with the committed bounds. */
static void collect(struct outcome *o)
{
    for (unsigned i = 0; i < o->count; i++) {
        const struct rtl_job *j = &o->jobs[i];
        const struct rtl_values *b = &o->bounds.of[j->design - rtl_designs];
        for (unsigned f = 0; f < RTL_FIGURES; f++) {
            if (!j->values.has[f])
                continue;
            add_figure(o, j, rtl_figures[f].name, rtl_figures[f].unit, j->values.value[f],
                       paper_of(j->design, f));
            if (b->has[f]) {
                o->figure[o->nfigures - 1].bound = b->value[f];
                o->figure[o->nfigures - 1].verdict = rtl_verdict(f, j->values.value[f], b->value[f]);
            }
        }
        if (j->values.has[RTL_AREA])
            add_figure(o, j, "nand2_equivalents", "gates", j->values.value[RTL_AREA] / j->library->nand2_area,
                       0);
        const struct rtl_job *baseline = rtl_baseline_job(o->jobs, o->count, j->design);
        if (!baseline || j->failed)
            continue;
        add_figure(o, j, "bits_overhead", "", rtl_bits_overhead(&j->values, &baseline->values),
                   j->design->paper_overhead);
        if (j->library->own) /* an SRAM is known at the node of the usual library only */
            continue;
        add_figure(o, j, "tlb_overhead_70", "",
                   rtl_overhead(&j->values, &baseline->values, j->design->tlb_entries, rtl_efficiency[0]),
                   j->design->paper_overhead);
        add_figure(o, j, "tlb_overhead_50", "",
                   rtl_overhead(&j->values, &baseline->values, j->design->tlb_entries, rtl_efficiency[1]),
                   j->design->paper_overhead);
    }
}

static int64_t store(const struct cli *cli, const struct outcome *o, const char *error, struct mp_error *err)
{
    struct mp_db *db;
    const struct mp_db_rtl row = {.status = o->status,
                                  .technology = o->technology,
                                  .tools = o->tools,
                                  .revision = MEMPATH_REVISION,
                                  .seconds = o->seconds,
                                  .error = error,
                                  .nfigures = o->nfigures,
                                  .figure = o->figure};
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, err))
        return -1;
    int64_t id = mp_db_rtl(db, &row, err);
    mp_db_close(db);
    return id;
}

/* The database has no name for "without bounds": its figures have none, and mempath query rtl_runs says so.
 */
static const char *status_of(const struct outcome *o)
{
    return o->status == MP_DB_RTL_HELD && !o->bounded ? "measured" : mp_db_rtl_status_names[o->status];
}

static void print_json(const struct outcome *o, int64_t id)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_count(&j, "id", (uint64_t)id);
    json_text(&j, "status", status_of(o));
    json_text(&j, "technology", o->technology);
    json_text(&j, "assumptions", o->bounded ? rtl_assumptions : NULL);
    json_text(&j, "tools", o->tools);
    json_real(&j, "seconds", o->seconds);
    json_array(&j, "designs");
    for (unsigned i = 0; i < o->count; i++) {
        json_object(&j, NULL);
        json_text(&j, "name", o->jobs[i].design->name);
        json_text(&j, "top", o->jobs[i].design->top);
        json_text(&j, "parameters", o->jobs[i].design->parameters);
        json_flag(&j, "equivalent", !o->jobs[i].failed);
        json_text(&j, "error", o->jobs[i].failed ? o->jobs[i].error.text : NULL);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_array(&j, "figures");
    for (unsigned i = 0; i < o->nfigures; i++) {
        const struct mp_db_rtl_figure *f = &o->figure[i];
        json_object(&j, NULL);
        json_text(&j, "design", f->design);
        json_text(&j, "name", f->name);
        json_text(&j, "unit", f->unit);
        json_real(&j, "value", f->value);
        json_real(&j, "bound", f->verdict ? f->bound : NAN);
        json_text(&j, "verdict", mp_db_rtl_verdict_names[f->verdict]);
        json_real(&j, "paper", f->has_paper ? f->paper : NAN);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static int report(const struct cli *cli, const struct values *v, struct outcome *o, bool good,
                  const char *bounds)
{
    struct mp_error err;
    const char *error = NULL;
    unsigned wrong = 0;
    for (unsigned i = 0; i < o->count; i++)
        if (o->jobs[i].failed) {
            error = o->jobs[i].error.text;
            cli_fail(CLI_FAILED, "%s", error);
        }
    collect(o);
    if (good && v->update)
        update(o);
    else if (good && o->bounded)
        wrong = check(o, bounds);
    o->status = !good       ? MP_DB_RTL_FAILED
                : v->update ? MP_DB_RTL_UPDATED
                : wrong     ? MP_DB_RTL_OUTSIDE
                            : MP_DB_RTL_HELD;
    if (o->status == MP_DB_RTL_UPDATED && rtl_bounds_write(bounds, &o->bounds, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int64_t id = store(cli, o, error, &err);
    if (id < 0)
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (cli->json) {
        print_json(o, id);
    } else {
        rtl_print(stdout, o->jobs, o->count, &o->bounds, o->technology);
        if (o->bounded || !good)
            printf("rtl %" PRId64 ": bounds %s; %s\n", id, status_of(o), o->tools);
        else
            printf("rtl %" PRId64 ": not compared with the bounds, which are of another library; %s\n", id,
                   o->tools);
    }
    int drawn = v->pictures ? rtl_draw(cli, v->pictures, o->jobs, o->count, &o->bounds) : CLI_DONE;
    return o->status == MP_DB_RTL_FAILED || o->status == MP_DB_RTL_OUTSIDE ? CLI_FAILED : drawn;
}

/* A variant of the TLB needs the baseline for comparison. Without a choice, all designs that are not for
 * --sweep.
 */
static void complete_choice(struct values *v)
{
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        if (v->chosen[d] && rtl_designs[d].baseline)
            v->chosen[rtl_baseline_of(&rtl_designs[d]) - rtl_designs] = true;
    for (unsigned d = 0; d < rtl_ndesigns && !v->any_chosen; d++)
        v->chosen[d] = !rtl_designs[d].sweep;
}

static int list(const struct cli *cli, const struct values *v)
{
    struct out_entry entries[RTL_MAX_DESIGNS];
    unsigned n = 0;
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        if (v->chosen[d])
            entries[n++] = (struct out_entry){rtl_designs[d].name, rtl_designs[d].title};
    out_list(cli->json, "design", entries, n);
    return CLI_DONE;
}

static int measure(struct cli *cli, struct values *v, const char *rtl, const char *work)
{
    char *technology = technology_of(&v->library);
    struct outcome o = {.technology = technology, .bounded = !v->library.own};
    struct mp_error err;
    char bounds[PATH_MAX + 32];
    snprintf(bounds, sizeof bounds, "%s/synth/bounds.csv", rtl);
    if (o.bounded && rtl_bounds_read(bounds, &o.bounds, &err)) {
        free(technology);
        return cli_fail(CLI_USAGE, "%s", err.text);
    }
    for (unsigned d = 0; d < rtl_ndesigns; d++) {
        if (!v->chosen[d])
            continue;
        snprintf(o.folder[o.count], sizeof o.folder[0], "%s/%s", work, rtl_designs[d].name);
        o.jobs[o.count] = (struct rtl_job){.design = &rtl_designs[d],
                                           .rtl = rtl,
                                           .folder = o.folder[o.count],
                                           .full = v->full,
                                           .library = &v->library};
        o.count++;
    }
    cli_catch_signals();
    double start = progress_now();
    bool good = rtl_measure(cli, o.jobs, o.count);
    o.seconds = progress_now() - start;
    o.tools = rtl_tools_versions(v->full);
    int code = report(cli, v, &o, good, bounds);
    free(o.tools);
    free(technology);
    return code;
}

/* ---- the command ---- */

static char *help(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    fputs("Measures the cost of the RTL. Each design is synthesized into cells of a library, its smallest "
          "period is found, its netlist is proven to do the same as the RTL (and not the same once gates are "
          "exchanged), and all of it is compared with the bounds in rtl/synth/bounds.csv: flops and bits are "
          "exact, cells, area and period may differ by 2 % either way. The exit code is 1 if a check fails. "
          "The figures go to the database. With a variant of the TLB the baseline is measured, too: figures "
          "are most useful as ratios to it; do not compare them with figures of other methods.\vDesigns "
          "(default: those without an x):\n",
          f);
    for (unsigned d = 0; d < rtl_ndesigns; d++)
        fprintf(f, "  %-14s %s\n", rtl_designs[d].name, rtl_designs[d].title);
    fputs("\n"
          "Examples:\n"
          "  mempath rtl\n"
          "  mempath rtl dws --keep netlists        netlists, reports and logs stay in netlists/dws\n"
          "  mempath rtl dws --update               after a change that is meant to change the figures\n"
          "  mempath rtl --full --json\n"
          "  mempath rtl dws --liberty mine.lib --cells driver=BUF_X4,nand2=NAND2_X1\n"
          "  mempath rtl neidty -o pictures         a table of directories, and a picture\n"
          "  mempath query rtl                      the figures; rtl=3 for those of run 3\n"
          "  mempath query rtl_runs                 the runs and their tools",
          f);
    fclose(f);
    return text;
}

static const char *design_name(unsigned i)
{
    return i < rtl_ndesigns ? rtl_designs[i].name : NULL;
}

int cmd_rtl(struct cli *cli, int argc, char **argv)
{
    char *doc = help();
    const struct cli_usage usage = {.command = "mempath rtl",
                                    .args = "[DESIGN...]",
                                    .word = design_name,
                                    .doc = doc,
                                    .options = options,
                                    .option = option};
    char *own = spawn_beside("rtl");
    struct values v = {.rtl = own};
    struct mp_error err;
    char rtl[PATH_MAX], work[PATH_MAX], library[PATH_MAX];
    int code;
    bool goes_on = cli_parse(cli, &usage, argc, argv, &v, &code);
    if (goes_on)
        complete_choice(&v);
    bool wrong = goes_on && !v.list &&
                 (check_library(&v, &err) || rtl_tools_check(v.full, v.library.own, &err) ||
                  find_library(&v.library, library, &err) || find_folders(&v, rtl, work, &err));
    free(doc);
    free(own);
    if (!goes_on)
        return code;
    if (wrong) {
        free(v.library.flops);
        return cli_fail(CLI_USAGE, "%s", err.text);
    }
    if (v.list)
        return list(cli, &v);
    code = measure(cli, &v, rtl, work);
    if (!v.keep)
        folder_remove(work);
    free(v.library.flops);
    return code;
}
