/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of how the pages of applications lie in memory. Nothing runs for them: buffers are mapped in memory
 * with each of several histories. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/paper/mapping.h"
#include "cli/paper/parts.h"
#include "cli/trace/cache.h"

bool figure_is_mapping(const struct figure *f)
{
    return f->metric == METRIC_COVERAGE || f->metric == METRIC_REGIONS;
}

static void add(struct parts *p, const char *name, double value)
{
    struct part *part = &p->part[p->n++];
    *part = (struct part){.value = value};
    snprintf(part->name, sizeof part->name, "%.23s", name);
}

static double share(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : (double)NAN;
}

/* "1-256", and the last one "over 1024". */
static const char *bin_name(unsigned bin)
{
    static char name[24];
    if (bin + 1 < MAPPING_BINS)
        snprintf(name, sizeof name, "%u-%u", bin * MAPPING_BIN_PAGES + 1, (bin + 1) * MAPPING_BIN_PAGES);
    else
        snprintf(name, sizeof name, "over %u", bin * MAPPING_BIN_PAGES);
    return name;
}

/* The share of the regions in each bin, and of the pages in regions up to its end. */
static void add_regions(struct parts *p, const struct mapping *m)
{
    uint64_t regions = 0, pages = 0;
    char name[24];
    for (unsigned i = 0; i < MAPPING_BINS; i++)
        regions += m->bin[i].regions;
    for (unsigned i = 0; i < MAPPING_BINS; i++)
        add(p, bin_name(i), share(m->bin[i].regions, regions));
    for (unsigned i = 0; i + 1 < MAPPING_BINS; i++) {
        pages += m->bin[i].pages;
        snprintf(name, sizeof name, "pages to %u", (i + 1) * MAPPING_BIN_PAGES);
        add(p, name, share(pages, m->pages));
    }
}

/* Adds up the mappings of a variant, one for each history. A signal ends it with a line on stderr. */
static int measure(struct mapping *sum, const struct figure_runs *r, const struct figure_workload *w,
                   unsigned variant, const struct mapping_buffers *buffers, struct mp_error *err)
{
    unsigned histories = r->f->histories ? r->f->histories : 1, divisor = r->e->variant[variant].divisor;
    *sum = (struct mapping){0};
    for (unsigned seed = 1; seed <= histories; seed++) {
        struct mapping m;
        struct mp_config config;
        if (cli_stop)
            return cli_fail(CLI_FAILED, "%s: interrupted", w->name);
        if (figure_mapping_config(&config, r, w, variant, seed))
            return mp_fail(err, "%s: this mapping has no configuration", w->name);
        int failed = mapping_measure(&m, &config, buffers, divisor ? divisor : 1, err);
        mp_config_free(&config);
        if (failed)
            return -1;
        sum->pages += m.pages;
        sum->contiguous += m.contiguous;
        for (unsigned i = 0; i < MAPPING_BINS; i++) {
            sum->bin[i].regions += m.bin[i].regions;
            sum->bin[i].pages += m.bin[i].pages;
        }
    }
    return 0;
}

static int read_buffers(struct mapping_buffers *b, const struct figure_runs *r,
                        const struct figure_workload *w, struct mp_error *err)
{
    struct mp_config config;
    const struct mp_config *of[] = {&config};
    char *trace[MP_TENANTS] = {NULL}, checked[CACHE_FOLDER];
    *b = (struct mapping_buffers){0};
    if (figure_mapping_config(&config, r, w, r->f->variant[0], 1))
        return mp_fail(err, "%s: this mapping has no configuration", w->name);
    int failed = cache_traces(r->c->cli, 1, of, r->c->parallel, trace);
    if (failed)
        mp_fail(err, "%s: there is no trace of it", w->name);
    else
        failed = mapping_read(b, trace[0], cache_folder(checked, "checked", err) ? NULL : checked, err);
    for (unsigned t = 0; t < MP_TENANTS; t++)
        free(trace[t]);
    mp_config_free(&config);
    return failed;
}

int figure_mapping_parts(const struct figure_runs *r, const struct figure_workload *w,
                         struct parts of[FIGURE_VARIANTS], struct mp_error *err)
{
    struct mapping_buffers buffers;
    int failed = read_buffers(&buffers, r, w, err);
    for (unsigned v = 0; !failed && v < r->f->nvariants; v++) {
        struct mapping m;
        failed = measure(&m, r, w, r->f->variant[v], &buffers, err);
        of[v].n = 0;
        if (r->f->metric == METRIC_COVERAGE)
            add(&of[v], "covered", share(m.contiguous, m.pages));
        else
            add_regions(&of[v], &m);
    }
    mapping_free(&buffers);
    return failed;
}
