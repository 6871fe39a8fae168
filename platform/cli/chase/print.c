/* SPDX-License-Identifier: Apache-2.0 */
/* Curves as tables, JSON, pictures and rows of the database. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chase/chase.h"
#include "cli/out.h"
#include "cli/plot/plot.h"
#include "cli/revision.h"
#include "db/db.h"

/* "24 KiB", "1.25 MiB" */
static const char *bytes(uint64_t n, char text[32])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB"};
    unsigned u = 0;
    double v = (double)n;
    for (; u < 3 && v >= 1024; u++)
        v /= 1024;
    snprintf(text, 32, "%.4g %s", v, unit[u]);
    return text;
}

static void title(const struct chase_curve *curve, char text[120])
{
    char stride[32], page[32];
    snprintf(text, 120, "stride %s, pages of %s, SM %u", bytes(curve->stride, stride),
             bytes(curve->page_bytes, page), curve->sm);
}

/* The knee of a level: the nearest one within half an octave of its reach. */
static const struct chase_knee *knee_of(const struct chase_knee *knee, unsigned knees, uint64_t reach)
{
    const struct chase_knee *best = NULL;
    double least = 0.5;
    for (unsigned i = 0; i < knees; i++) {
        const double off = fabs(log2((double)knee[i].footprint / (double)reach));
        if (off <= least) {
            least = off;
            best = &knee[i];
        }
    }
    return best;
}

static double ns(const struct chase *c, double cycles)
{
    return cycles * 1000 / c->clock_mhz;
}

static void print_points(const struct chase *c, const struct chase_curve *curve, bool measured)
{
    static const char *const heads[] = {"footprint", "cycles", "ns", "measured", "off %"};
    struct out_table *t = out_table_new(measured ? 5 : 3, heads);
    for (uint32_t i = 0; i < curve->n; i++) {
        const struct chase_point *p = &curve->point[i];
        char text[32];
        out_cell(t, "%s", bytes(p->footprint, text));
        out_cell(t, "%.1f", p->cycles);
        out_cell(t, "%.1f", ns(c, p->cycles));
        if (!measured)
            continue;
        out_cell(t, "%.1f", p->measured);
        out_cell(t, "%+.1f", 100 * (p->cycles - p->measured) / p->measured);
    }
    out_table_print(t, stdout);
}

/* A level whose reach no footprint exceeds has no knee. */
static void print_knees(const struct chase *c, const struct chase_curve *curve)
{
    static const char *const heads[] = {"level", "holds", "knee at", "cycles before", "after"};
    struct chase_knee knee[CHASE_LEVELS];
    const unsigned knees = chase_knees(curve, knee);
    struct out_table *t = out_table_new(5, heads);
    for (unsigned i = 0; i < c->levels; i++) {
        if (!chase_shows(curve, &c->level[i]))
            continue;
        const uint64_t reach = chase_reach(c, curve, &c->level[i]);
        const struct chase_knee *k = knee_of(knee, knees, reach);
        char holds[32], at[32] = "none";
        if (reach < curve->point[0].footprint || reach >= curve->point[curve->n - 1].footprint)
            snprintf(at, sizeof at, "not measured");
        out_cell(t, "%s", c->level[i].name);
        out_cell(t, "%s", bytes(reach, holds));
        out_cell(t, "%s", k ? bytes(k->footprint, at) : at);
        out_cell(t, k ? "%.1f" : "", k ? k->before : 0);
        out_cell(t, k ? "%.1f" : "", k ? k->after : 0);
    }
    out_table_print(t, stdout);
}

static void json_curve(struct out_json *j, const struct chase *c, const struct chase_curve *curve)
{
    struct chase_knee knee[CHASE_LEVELS];
    const unsigned knees = chase_knees(curve, knee);
    json_object(j, NULL);
    json_count(j, "stride", curve->stride);
    json_count(j, "page_bytes", curve->page_bytes);
    json_count(j, "sm", curve->sm);
    json_array(j, "points");
    for (uint32_t i = 0; i < curve->n; i++) {
        json_object(j, NULL);
        json_count(j, "footprint", curve->point[i].footprint);
        json_real(j, "cycles", curve->point[i].cycles);
        json_real(j, "ns", ns(c, curve->point[i].cycles));
        json_real(j, "measured", curve->point[i].measured);
        json_end_object(j);
    }
    json_end_array(j);
    json_array(j, "levels");
    for (unsigned i = 0; i < c->levels; i++) {
        if (!chase_shows(curve, &c->level[i]))
            continue;
        const uint64_t reach = chase_reach(c, curve, &c->level[i]);
        const struct chase_knee *k = knee_of(knee, knees, reach);
        json_object(j, NULL);
        json_text(j, "level", c->level[i].name);
        json_count(j, "holds", reach);
        json_real(j, "knee", k ? (double)k->footprint : NAN);
        json_real(j, "before", k ? k->before : NAN);
        json_real(j, "after", k ? k->after : NAN);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void print_json(const struct chase *c, int64_t run, double before, double after)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_count(&j, "run", (uint64_t)run);
    json_text(&j, "machine", c->machine);
    json_array(&j, "curves");
    for (unsigned k = 0; k < c->curves; k++)
        json_curve(&j, c, &c->curve[k]);
    json_end_array(&j);
    if (!isnan(after))
        json_real(&j, "residual", after);
    if (c->fits) {
        json_real(&j, "residual_before", before);
        json_object(&j, "fit");
        for (unsigned i = 0; i < c->fits; i++)
            json_count(&j, c->fit[i].path, c->fit[i].value);
        json_end_object(&j);
    }
    json_end_object(&j);
}

void chase_print(const struct cli *cli, const struct chase *c, int64_t run, double before, double after)
{
    if (cli->json) {
        print_json(c, run, before, after);
        return;
    }
    printf("%s: run %" PRId64 "\n", c->machine, run);
    for (unsigned k = 0; k < c->curves; k++) {
        char text[120];
        title(&c->curve[k], text);
        printf("\n%s\n", text);
        print_points(c, &c->curve[k], !isnan(after));
        if (isnan(after))
            print_knees(c, &c->curve[k]);
    }
    if (!isnan(after))
        printf("\nresidual %.2f %%, the root of the mean square of the differences\n", 100 * after);
    if (!c->fits)
        return;
    printf("before the fit %.2f %%; values of the least residual that was found:\n", 100 * before);
    for (unsigned i = 0; i < c->fits; i++)
        printf("  --set %s=%" PRIu64 "\n", c->fit[i].path, c->fit[i].value);
}

/* ---- picture ---- */

static struct plot_curve picture_curve(const struct chase_curve *curve, unsigned number, bool measured)
{
    char text[120], name[160];
    title(curve, text);
    snprintf(name, sizeof name, "%s%s", text, measured ? ", measured" : "");
    double(*at)[2] = cli_alloc(curve->n, sizeof *at);
    for (uint32_t i = 0; i < curve->n; i++) {
        at[i][0] = (double)curve->point[i].footprint / 1024;
        at[i][1] = measured ? curve->point[i].measured : curve->point[i].cycles;
    }
    return (struct plot_curve){.panel = "latency of a load",
                               .name = cli_have(strdup(name)),
                               .colour = number,
                               .n = curve->n,
                               .at = at};
}

int chase_picture(const struct cli *cli, const struct chase *c, const char *output)
{
    struct plot_curve list[2 * CHASE_CURVES];
    unsigned n = 0;
    char text[200];
    for (unsigned k = 0; k < c->curves; k++) {
        list[n] = picture_curve(&c->curve[k], n, false);
        n++;
        if (isnan(c->curve[k].point[0].measured))
            continue;
        list[n] = picture_curve(&c->curve[k], n, true);
        n++;
    }
    snprintf(text, sizeof text, "Pointer chases on %.100s", c->machine);
    const struct plot_curves picture = {.title = text,
                                        .x_axis = "footprint (KiB)",
                                        .axis = "cycles",
                                        .curve = list,
                                        .n = n,
                                        .logarithmic = true,
                                        .mark = NAN};
    const int code = plot_curves(cli, output, "chase", &picture);
    for (unsigned i = 0; i < n; i++) {
        free((char *)list[i].name);
        free(list[i].at);
    }
    return code;
}

/* ---- database ---- */

static int insert(struct mp_db *db, const struct chase *c, struct mp_error *err)
{
    unsigned n = 0;
    for (unsigned k = 0; k < c->curves; k++)
        n += c->curve[k].n;
    struct mp_db_chase_point *point = cli_alloc(n, sizeof *point);
    n = 0;
    for (unsigned k = 0; k < c->curves; k++)
        for (uint32_t i = 0; i < c->curve[k].n; i++)
            point[n++] = (struct mp_db_chase_point){.stride = c->curve[k].stride,
                                                    .page_bytes = c->curve[k].page_bytes,
                                                    .sm = c->curve[k].sm,
                                                    .footprint = c->curve[k].point[i].footprint,
                                                    .cycles = c->curve[k].point[i].cycles,
                                                    .measured = c->curve[k].point[i].measured};
    const int failed = mp_db_chase(db, point, n, err);
    free(point);
    return failed;
}

int64_t chase_record(const struct cli *cli, const struct chase *c, double seconds, struct mp_error *err)
{
    struct mp_config config;
    struct mp_db *db;
    unsigned nsettings = 0;
    if (chase_config(c, 0, &config, err))
        return -1;
    char *text = cli_have(mp_config_text(&config));
    struct mp_setting *setting = cli_have(mp_config_settings(&config, &nsettings));
    const struct mp_db_run_info info = {.experiment = config.name,
                                        .command_line = cli->command_line,
                                        .config_text = text,
                                        .changes = config.changes,
                                        .nsettings = nsettings,
                                        .setting = setting,
                                        .revision = MEMPATH_REVISION,
                                        .build_type = MEMPATH_BUILD_TYPE,
                                        .compiler = MEMPATH_COMPILER,
                                        .seed = config.seed};
    const struct mp_db_totals totals = {.cycles = c->simulated,
                                        .instructions = c->loads,
                                        .accesses = c->loads,
                                        .translations = c->loads,
                                        .seconds = seconds};
    int64_t row = -1;
    if (!mp_db_open(&db, cli->db, MP_DB_WRITE, err)) {
        row = mp_db_run_begin(db, &info, err);
        if (row >= 0 && (insert(db, c, err) || mp_db_run_end(db, MP_DB_DONE, &totals, err)))
            row = -1;
        mp_db_close(db);
    }
    free(text);
    free(setting);
    mp_config_free(&config);
    return row;
}
