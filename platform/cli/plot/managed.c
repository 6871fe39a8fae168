/* SPDX-License-Identifier: Apache-2.0 */
/* What servers of page faults did, and which pages were resident, from the window that `run --trace-window`
 * stores of a run with managed memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot/plot.h"
#include "cli/run/managed.h"

static int load(struct mp_db *db, int64_t run, struct managed *m)
{
    struct mp_error err;
    if (managed_load(db, run, m, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    return m->n ? CLI_DONE
                : cli_fail(
                      CLI_USAGE,
                      "plot: run %" PRId64
                      " has no window of managed memory; mempath run %s --trace-window FIRST:LAST, with a "
                      "tenant that is managed",
                      m->run, m->config.name);
}

/* ---- the time line ---- */

struct picture {
    size_t slices, steps;
    struct plot_slice *slice;
    struct plot_step *step;
};

static struct picture make_room(const struct managed *m)
{
    struct picture p = {0};
    size_t actions = 1;
    for (unsigned i = 0; i < m->n; i++)
        actions += m->server[i].nactions;
    p.slice = cli_alloc(actions, sizeof *p.slice);
    p.step = cli_alloc(actions * MP_TENANTS, sizeof *p.step);
    return p;
}

/* Faults wait until the next replay. */
static void add_server(struct picture *p, const struct managed *m, const struct managed_server *s,
                       unsigned row)
{
    uint64_t waiting[MP_TENANTS] = {0};
    for (size_t i = 0; i < s->nactions; i++) {
        const struct managed_action *a = &s->action[i];
        if (a->kind < MANAGED_LANES)
            p->slice[p->slices++] = (struct plot_slice){.row = row + (unsigned)a->kind,
                                                        .kind = a->tenant,
                                                        .from = a->began > s->first ? a->began : s->first,
                                                        .to = a->ended < s->last ? a->ended : s->last};
        else if (a->kind == MANAGED_FAULT)
            p->step[p->steps++] = (struct plot_step){a->tenant, a->began, ++waiting[a->tenant]};
        for (unsigned t = 0; a->kind == MANAGED_REPLAY && t < m->config.ntenants; t++)
            if (waiting[t])
                p->step[p->steps++] = (struct plot_step){t, a->began, waiting[t] = 0};
    }
}

static int draw_actions(const struct cli *cli, const struct managed *m, const char *output)
{
    struct picture p = make_room(m);
    const unsigned rows = m->n * (MANAGED_LANES + 1) - 1;
    const char *kind[MP_TENANTS], **row = cli_alloc(rows, sizeof *row);
    char title[160], file[48];
    for (unsigned i = 0; i < rows; i++)
        row[i] = i % (MANAGED_LANES + 1) < MANAGED_LANES ? managed_kinds[i % (MANAGED_LANES + 1)] : "";
    for (unsigned i = 0; i < m->n; i++)
        add_server(&p, m, &m->server[i], i * (MANAGED_LANES + 1));
    for (unsigned t = 0; t < m->config.ntenants; t++)
        kind[t] = m->name[t];
    snprintf(title, sizeof title, "What the server of page faults does (run %" PRId64 ", %s)", m->run,
             m->config.name);
    snprintf(file, sizeof file, "faults-run%" PRId64, m->run);
    const struct plot_rows all = {.title = title,
                                  .x_axis = "cycle",
                                  .rows_axis = "",
                                  .steps_axis = "faults waiting",
                                  .marked_name = "",
                                  .kind = kind,
                                  .nkinds = m->config.ntenants,
                                  .nrows = rows,
                                  .row = row,
                                  .first = m->server->first,
                                  .last = m->server->last,
                                  .nslices = p.slices,
                                  .nsteps = p.steps,
                                  .slice = p.slice,
                                  .step = p.step};
    int code = plot_rows(cli, output, file, &all);
    if (!code && cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_count(&j, "run", (uint64_t)m->run);
        json_count(&j, "slices", p.slices);
        plot_json(&j, output, file);
        json_end_object(&j);
    }
    free(p.slice);
    free(p.step);
    free(row);
    return code;
}

int plot_faults(const struct cli *cli, struct mp_db *db, int64_t run, const char *output)
{
    struct managed m;
    int code = load(db, run, &m);
    if (!code)
        code = draw_actions(cli, &m, output);
    managed_free(&m);
    return code;
}

/* ---- the heat map ---- */

#define COLUMNS 120u

struct block {
    unsigned server, tenant;
    uint64_t va;
    uint64_t pages, since; /* resident now, and from which cycle on */
    double share[COLUMNS]; /* of the block, mean of each column's cycles */
};

struct heat {
    const struct managed *m;
    uint64_t first, last;
    unsigned n;
    struct block *block; /* in the order of servers, tenants and addresses */
    const char *title;
};

static int compare(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->server != y->server)
        return x->server < y->server ? -1 : 1;
    if (x->tenant != y->tenant)
        return x->tenant < y->tenant ? -1 : 1;
    return x->va < y->va ? -1 : x->va > y->va;
}

static void find_blocks(struct heat *h)
{
    size_t changes = 1;
    for (unsigned i = 0; i < h->m->n; i++)
        changes += h->m->server[i].nchanges;
    h->block = cli_alloc(changes, sizeof *h->block);
    for (unsigned i = 0; i < h->m->n; i++)
        for (size_t k = 0; k < h->m->server[i].nchanges; k++) {
            const struct managed_change *c = &h->m->server[i].change[k];
            const struct block wanted = {.server = i, .tenant = c->tenant, .va = c->block};
            unsigned at = 0;
            while (at < h->n && compare(&h->block[at], &wanted))
                at++;
            if (at == h->n)
                h->block[h->n++] = wanted;
        }
    qsort(h->block, h->n, sizeof *h->block, compare);
}

/* Adds what was resident from b->since to `end`. */
static void extend(const struct heat *h, struct block *b, uint64_t end)
{
    const double width = (double)(h->last - h->first) / COLUMNS;
    const double whole = (double)(2u << 20) / (double)h->m->server[b->server].page_bytes;
    const double from = (double)(b->since - h->first) / width, to = (double)(end - h->first) / width;
    for (unsigned c = (unsigned)from; b->pages && c < COLUMNS && c < to; c++) {
        const double begin = from > c ? from : c, stop = to < c + 1 ? to : c + 1;
        b->share[c] += (stop - begin) * (double)b->pages / whole;
    }
    b->since = end;
}

static void fill(struct heat *h)
{
    for (unsigned i = 0; i < h->n; i++)
        h->block[i].since = h->first;
    for (unsigned i = 0; i < h->m->n; i++)
        for (size_t k = 0; k < h->m->server[i].nchanges; k++) {
            const struct managed_change *c = &h->m->server[i].change[k];
            const struct block key = {.server = i, .tenant = c->tenant, .va = c->block};
            struct block *b = bsearch(&key, h->block, h->n, sizeof *h->block, compare);
            extend(h, b, c->cycle);
            b->pages = c->pages;
        }
    for (unsigned i = 0; i < h->n; i++)
        extend(h, &h->block[i], h->last);
}

static void heat_script(FILE *f, const void *what)
{
    const struct heat *h = what;
    const double width = (double)(h->last - h->first) / COLUMNS;
    const unsigned every = h->n / 24 + 1;
    fputs("$heat << END\n", f);
    for (unsigned y = 0; y < h->n; y++)
        for (unsigned x = 0; x < COLUMNS; x++)
            fprintf(f, "%.9g %u %.5g\n", (double)h->first + (x + 0.5) * width, y, 100 * h->block[y].share[x]);
    fputs("END\nset title ", f);
    plot_quote(f, h->title);
    fputs(" noenhanced\nset border 3\nset tics out nomirror\nunset key\nset xlabel 'cycle'\nset ylabel "
          "'tenant: 2 MB at'\nset cblabel 'resident (%)'\nset cbrange [0:100]\nset format x '%.0f'\n"
          "set palette defined (0 '#f7fbff', 0.5 '#6baed6', 1 '#08306b')\nset ytics (",
          f);
    for (unsigned y = 0; y < h->n; y += every)
        fprintf(f, "%s'%u: 0x%" PRIx64 "' %u", y ? ", " : "", h->block[y].tenant, h->block[y].va, y);
    fprintf(f,
            ") font ',9'\nset xrange [%" PRIu64 ":%" PRIu64 "]\nset yrange [-0.5:%.1f]\n"
            "plot $heat using 1:2:($1-%.9g):($1+%.9g):($2-0.5):($2+0.5):3 with boxxyerror lc palette fs "
            "solid 1 notitle\n",
            h->first, h->last, h->n - 0.5, width / 2, width / 2);
}

static int draw_heat(const struct cli *cli, const struct managed *m, const char *output)
{
    struct heat h = {.m = m, .first = m->server->first, .last = m->server->last};
    char title[160], file[48];
    double sum = 0;
    find_blocks(&h);
    if (!h.n) {
        free(h.block);
        return cli_fail(
            CLI_USAGE, "plot: no page was resident in the window of run %" PRId64 "; a longer --trace-window",
            m->run);
    }
    fill(&h);
    snprintf(title, sizeof title, "Resident pages of managed memory (run %" PRId64 ", %s)", m->run,
             m->config.name);
    snprintf(file, sizeof file, "residency-run%" PRId64, m->run);
    h.title = title;
    int code = plot_pictures(cli, output, file, 240 + (h.n < 24 ? 20 * h.n : 480), heat_script, &h);
    for (unsigned i = 0; i < h.n; i++)
        for (unsigned c = 0; c < COLUMNS; c++)
            sum += h.block[i].share[c] / COLUMNS;
    if (!code && cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_count(&j, "run", (uint64_t)m->run);
        json_count(&j, "blocks", h.n);
        json_real(&j, "resident_mb", 2.097152 * sum); /* mean over the window */
        plot_json(&j, output, file);
        json_end_object(&j);
    }
    free(h.block);
    return code;
}

int plot_residency(const struct cli *cli, struct mp_db *db, int64_t run, const char *output)
{
    struct managed m;
    int code = load(db, run, &m);
    if (!code)
        code = draw_heat(cli, &m, output);
    managed_free(&m);
    return code;
}
