/* SPDX-License-Identifier: Apache-2.0 */
/* A co-simulation: sessions of random transactions, each with its own configuration, or the stimuli of a
 * file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cosim/cosim.h"
#include "cli/progress.h"
#include "cli/replay/replay.h"
#include "db/db.h"

#define WAVES_BEFORE 100u /* transactions before a difference that waves show */
#define MOST_DESIGNS 8u
#define MOST_CORNERS 32u

/* ---- sessions ---- */

/* splitmix64: number `n` of the seed's sequence. */
static uint64_t mixed(uint64_t seed, uint64_t number)
{
    uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A corner of a block with sizes either has one, or is for the size that an option gives. */
static bool fits_size(const struct cosim_job *job, const struct cosim_corner *c)
{
    const struct cosim_setup *s = &job->setup;
    if (!(job->block->choices & COSIM_SIZE))
        return true;
    if (job->fixed & COSIM_SIZE)
        return !c->walkers || (c->walkers == s->walkers && c->depth == s->depth && c->tenants == s->tenants);
    return c->walkers && !(job->fixed & COSIM_TENANTS && c->tenants != s->tenants);
}

static bool fits(const struct cosim_job *job, const struct cosim_corner *c)
{
    const struct cosim_setup *s = &job->setup;
    return !(job->fixed & COSIM_MODE && c->mode != s->mode) &&
           !(job->fixed & COSIM_STRIDE && job->block->modes[c->mode].strides && c->stride != s->stride) &&
           fits_size(job, c);
}

static void name_group(const struct cosim_job *job, const struct cosim_setup *setup, char text[COSIM_GROUP])
{
    if (job->block->group)
        job->block->group(setup, text);
    else
        snprintf(text, COSIM_GROUP, "%s", job->block->modes[setup->mode].name);
}

static void configure(const struct cosim_job *job, const struct cosim_corner *corner, uint64_t random,
                      struct cosim_setup *setup)
{
    *setup = job->setup;
    setup->mode = corner->mode;
    setup->stride = corner->stride;
    if (corner->walkers) {
        setup->walkers = corner->walkers;
        setup->depth = corner->depth;
        setup->tenants = corner->tenants;
    }
    setup->seed = random;
    if (job->block->draw)
        job->block->draw(setup, corner, job->fixed, random);
}

/* Whether all points of the group were met that sessions have had so far. */
static bool group_met(const struct cosim_points *points, const char *group)
{
    const size_t length = strlen(group);
    for (unsigned i = 0; i < points->count; i++) {
        const struct cosim_named *p = &points->point[i];
        if (!p->point.taken && !strncmp(p->name, group, length) && p->name[length] == ':')
            return false;
    }
    return true;
}

/* Draws one of the corners that have points which were not met, the first of each group; `usual` if there is
 * none. */
static const struct cosim_corner *open_corner(const struct cosim_job *job, const struct cosim_points *points,
                                              const struct cosim_corner *const fit[], unsigned n,
                                              uint64_t random, const struct cosim_corner *usual)
{
    const struct cosim_corner *open[MOST_CORNERS];
    char group[MOST_CORNERS][COSIM_GROUP];
    unsigned nopen = 0;
    for (unsigned i = 0; i < n; i++) {
        struct cosim_setup setup;
        unsigned first = 0;
        configure(job, fit[i], random, &setup);
        name_group(job, &setup, group[i]);
        while (strcmp(group[first], group[i]) != 0)
            first++;
        if (first == i && !group_met(points, group[i]))
            open[nopen++] = fit[i];
    }
    return nopen ? open[(random >> 32) % nopen] : usual;
}

/* Each corner comes once in a round, starting with one that depends on the seed; sessions get longer from
 * round to round. */
const struct cosim_corner *cosim_session(const struct cosim_job *job, uint64_t number,
                                         const struct cosim_points *points, struct cosim_setup *setup,
                                         uint64_t *transactions)
{
    const struct cosim_corner *fit[MOST_CORNERS], *corner;
    unsigned n = 0;
    for (const struct cosim_corner *c = job->block->corners; c->name; c++)
        if (fits(job, c))
            fit[n++] = c;
    if (!n) /* no corner fits the options: they decide */
        fit[n++] = job->block->corners;
    uint64_t random = mixed(job->seed, number), round = number / n;
    bool steered = points && round > 1; /* every other session, and all corners come in turn in the others */
    corner = fit[((steered ? number / 2 : number) + job->seed) % n];
    if (steered && number % 2)
        corner = open_corner(job, points, fit, n, random, corner);
    *transactions =
        (job->block->session << 2 * (round < 3 ? round : 3)) / (corner->slower ? corner->slower : 1);
    configure(job, corner, random, setup);
    return corner;
}

/* ---- libraries ---- */

/* The block's libraries, by design. */
struct libraries {
    struct {
        unsigned design;
        const struct cosim_rtl *rtl;
    } of[MOST_DESIGNS];
};

unsigned cosim_design(const struct cosim_block *block, const struct cosim_setup *setup)
{
    return block->design ? block->design(setup) : setup->mode;
}

void cosim_describe(const struct cosim_block *block, const struct cosim_setup *setup,
                    char text[COSIM_DESCRIPTION])
{
    if (block->describe)
        block->describe(setup, text);
    else
        snprintf(text, COSIM_DESCRIPTION, "--mode %s", block->modes[setup->mode].name);
}

static const struct cosim_rtl *library(struct libraries *l, const struct cosim_job *job,
                                       const struct cosim_setup *setup, struct mp_error *err)
{
    const struct cosim_library which = {.block = job->block->name,
                                        .design = setup->design,
                                        .waves = job->setup.waves.file,
                                        .unusual = job->block->built && !job->block->built(setup),
                                        .chosen = job->file || job->fixed & job->block->designs,
                                        .top = job->top};
    unsigned i = 0;
    while (l->of[i].rtl && l->of[i].design != setup->design)
        i++;
    if (!l->of[i].rtl)
        l->of[i].rtl = cosim_load(job->block->symbol, &which, err);
    l->of[i].design = setup->design;
    return l->of[i].rtl;
}

/* ---- what comes of a session ---- */

/* The place of the name in the table, or where it belongs. */
static unsigned *place_of(const struct cosim_points *p, const char *name)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (const char *at = name; *at; at++)
        sum = (sum ^ (unsigned char)*at) * 0x100000001b3u;
    unsigned i = (unsigned)(sum % (2 * p->room));
    while (p->place[i] && strcmp(p->point[p->place[i] - 1].name, name) != 0)
        i = i + 1 < 2 * p->room ? i + 1 : 0;
    return &p->place[i];
}

static struct cosim_named *find_point(const struct cosim_points *p, const char *name)
{
    unsigned place = p->place ? *place_of(p, name) : 0;
    return place ? &p->point[place - 1] : NULL;
}

static void make_room(struct cosim_points *p)
{
    p->room = 2 * p->room + 256;
    p->point = cli_have(realloc(p->point, p->room * sizeof *p->point));
    free(p->place);
    p->place = cli_alloc(2 * p->room, sizeof *p->place);
    for (unsigned i = 0; i < p->count; i++)
        *place_of(p, p->point[i].name) = i + 1;
}

static void name_point(struct cosim_named *point, const char *group, const char *name)
{
    snprintf(point->name, sizeof point->name, "%s: %s", group, name);
}

/* Adds what a session met. Transactions before it: `before`. */
static void add_point(struct cosim_points *p, const char *group, const char *name, struct mp_rtl_point met,
                      uint64_t before)
{
    struct cosim_named point = {.point = met}, *known;
    if (met.taken)
        point.point.first += before;
    name_point(&point, group, name);
    known = find_point(p, point.name);
    if (known) {
        if (!known->point.taken)
            known->point.first = point.point.first;
        known->point.taken += met.taken;
        return;
    }
    if (!p->place || !p->point || p->count == p->room)
        make_room(p);
    *place_of(p, point.name) = p->count + 1;
    p->point[p->count++] = point;
}

static const char configuration[] = "configuration";

/* Adds all corners and ranges that no option excludes, whether they will be met or not. */
static void list_configurations(const struct cosim_job *job, struct cosim_outcome *o)
{
    const struct cosim_block *b = job->block;
    const struct mp_rtl_point never = {0};
    for (const struct cosim_corner *c = b->corners; c->name; c++)
        if (c->walkers || !(b->choices & COSIM_SIZE) || job->fixed & COSIM_SIZE)
            add_point(&o->points, configuration, c->name, never, 0);
    for (const struct cosim_range *r = b->ranges; r && r->name; r++)
        add_point(&o->points, configuration, r->name, never, 0);
}

/* Lets the session aim at the points that no earlier one has met. Returns what it is given, for free(). */
static bool *steer(const struct cosim_job *job, const struct cosim_setup *setup, const struct cosim_rtl *rtl,
                   void *cosim, const struct cosim_outcome *o)
{
    struct cosim_named point;
    char name[MP_RTL_POINT_NAME], group[COSIM_GROUP];
    unsigned n = 0;
    while (rtl->view.point(cosim, n, name, &point.point))
        n++;
    bool *met = cli_alloc(n + 1, sizeof *met);
    name_group(job, setup, group);
    for (unsigned i = 0; i < n; i++) {
        rtl->view.point(cosim, i, name, &point.point);
        name_point(&point, group, name);
        const struct cosim_named *known = find_point(&o->points, point.name);
        met[i] = known && known->point.taken;
    }
    rtl->steer(cosim, met);
    return met;
}

static void take(const struct cosim_job *job, const struct cosim_setup *setup,
                 const struct cosim_corner *corner, const struct cosim_rtl *rtl, const void *cosim,
                 struct cosim_outcome *o)
{
    const struct cosim_block *b = job->block;
    char name[MP_RTL_POINT_NAME], group[COSIM_GROUP];
    const uint64_t transactions = rtl->view.transactions(cosim), before = o->transactions;
    const struct mp_rtl_point all = {transactions, transactions != 0};
    struct mp_rtl_point point;
    o->transactions += transactions;
    o->clocks += rtl->view.clocks(cosim);
    o->resets += rtl->view.resets(cosim);
    o->tools = rtl->tools;
    if (corner)
        add_point(&o->points, configuration, corner->name, all, before);
    for (const struct cosim_range *r = b->ranges; r && r->name; r++)
        if (r->met(setup, r->low, r->high))
            add_point(&o->points, configuration, r->name, all, before);
    name_group(job, setup, group);
    for (unsigned i = 0; rtl->view.point(cosim, i, name, &point); i++)
        add_point(&o->points, group, name, point, before);
    if (job->coverage)
        cosim_lines_take(&o->lines, rtl, cosim);
}

static void take_difference(const struct cosim_job *job, const struct cosim_setup *setup,
                            const struct cosim_rtl *rtl, const void *cosim, struct cosim_outcome *o)
{
    size_t size;
    snprintf(o->difference, sizeof o->difference, "%s", rtl->view.difference(cosim));
    o->end = rtl->view.broken(cosim) ? COSIM_BROKEN : COSIM_DIFFERENT;
    cosim_describe(job->block, setup, o->configuration);
    FILE *f = cli_have(open_memstream(&o->report, &size));
    rtl->view.report(cosim, f, job->full);
    fprintf(f, "configuration: %s\n", o->configuration);
    fclose(f);
}

/* ---- driving ---- */

/* Returns 0, or -1 with err if the file cannot be used; *equal is false if RTL and model differ. */
static int run_file(const struct cosim_job *job, const struct cosim_setup *setup, const struct cosim_rtl *rtl,
                    void *cosim, bool *equal, struct mp_error *err)
{
    struct replay_input in;
    const char *line;
    size_t length;
    int more = 0, found = 0;
    _Alignas(max_align_t) char stimulus[COSIM_STIMULUS_BYTES] = {0};
    struct mp_error why;
    if (replay_open(&in, job->file, err))
        return -1;
    *equal = true;
    while (*equal && !cli_stop && (more = replay_line(&in, stdout, &line, &length, err)) > 0) {
        found = job->block->parse(setup, line, length, stimulus, &why);
        if (found < 0) {
            mp_fail(err, "%s:%" PRIu64 ": %s", in.name, in.line, why.text);
            break;
        }
        *equal = !found || rtl->step(cosim, stimulus);
    }
    replay_close(&in);
    if (*equal && !cli_stop && found >= 0 && more == 0 && rtl->finish)
        *equal = rtl->finish(cosim);
    return found < 0 || more < 0 ? -1 : 0;
}

static int drive(const struct cosim_job *job, const struct cosim_setup *setup, const struct cosim_rtl *rtl,
                 void *cosim, uint64_t transactions, bool *equal, struct mp_error *err)
{
    if (job->file)
        return run_file(job, setup, rtl, cosim, equal, err);
    *equal = rtl->random(cosim, setup->seed, transactions, &cli_stop);
    return 0;
}

/* Runs the same session again up to the difference, with waves of the transactions before it. */
static int write_waves(const struct cosim_job *job, const struct cosim_setup *setup,
                       const struct cosim_rtl *rtl, const bool *met, uint64_t transactions, uint64_t until,
                       struct mp_error *err)
{
    struct cosim_setup again = *setup;
    bool equal;
    again.waves = job->setup.waves;
    again.waves.first = until > WAVES_BEFORE ? until - WAVES_BEFORE + 1 : 1;
    again.waves.last = until + 1;
    void *cosim = cli_have(rtl->open(&again));
    rtl->steer(cosim, met);
    int status = drive(job, &again, rtl, cosim, transactions, &equal, err);
    rtl->view.close(cosim);
    return status;
}

static int run_session(const struct cosim_job *job, struct libraries *l, const struct cosim_corner *corner,
                       struct cosim_setup *setup, uint64_t transactions, struct cosim_outcome *o,
                       struct mp_error *err)
{
    bool equal = true;
    setup->first = o->transactions;
    /* Without a window the first run only searches for a difference. A window ends with the session in which
     * it begins, because a file contains one design. */
    if (!job->window_given || o->transactions >= job->setup.waves.first)
        setup->waves.file = NULL;
    setup->design = cosim_design(job->block, setup);
    *job->setup.pulse = 0; /* building a library takes long */
    const struct cosim_rtl *rtl = library(l, job, setup, err);
    *job->setup.pulse = o->transactions + 1;
    if (!rtl)
        return -1;
    void *cosim = cli_have(rtl->open(setup));
    bool *met = steer(job, setup, rtl, cosim, o);
    int failed = drive(job, setup, rtl, cosim, transactions, &equal, err);
    if (!failed) {
        take(job, setup, corner, rtl, cosim, o);
        if (!equal)
            take_difference(job, setup, rtl, cosim, o);
    }
    rtl->view.close(cosim);
    if (!failed && !equal && job->setup.waves.file && !job->window_given)
        failed = write_waves(job, setup, rtl, met, transactions, o->transactions, err);
    free(met);
    *job->setup.pulse = 0;
    return failed;
}

void cosim_chosen(const struct cosim_job *job, char *text, size_t size)
{
    const struct cosim_setup *s = &job->setup;
    const uint8_t *diff = s->rules.thresholds.diff;
    *text = 0; /* if no option was given, nothing is written */
    FILE *f = cli_have(fmemopen(text, size, "w"));
    if (job->fixed & COSIM_MODE || job->file)
        fprintf(f, " --mode %s", job->block->modes[s->mode].name);
    if (job->fixed & COSIM_STRIDE)
        fprintf(f, " --stride %u", s->stride);
    if (job->fixed & COSIM_SIZE)
        fprintf(f, " --size %u/%u/%u", s->walkers, s->depth, s->tenants);
    else if (job->fixed & COSIM_TENANTS)
        fprintf(f, " --tenants %u", s->tenants);
    if (job->fixed & COSIM_OWNERS)
        fprintf(f, " --owners %s", s->rules.owners == MP_WALK_BLOCKED ? "blocked" : "interleaved");
    if (job->fixed & COSIM_EPOCH)
        fprintf(f, " --epoch %" PRIu32, s->rules.epoch);
    for (unsigned i = 0; job->fixed & COSIM_THRESHOLDS && i < MP_WALK_RATIOS; i++)
        fprintf(f, diff[i] == MP_WALK_NEVER ? "%snever" : "%s%u", i ? "," : " --diff-thresholds ", diff[i]);
    if (job->fixed & COSIM_QUEUE_THRESHOLD)
        fprintf(f, " --queue-threshold %u", s->rules.thresholds.queue);
    if (job->latency_given)
        fprintf(f, " --latency %" PRIu64, s->latency);
    fclose(f);
}

char *cosim_replay(const struct cosim_job *job, uint64_t transactions)
{
    char *text = NULL, chosen[COSIM_DESCRIPTION + 64];
    size_t size;
    FILE *f = cli_have(open_memstream(&text, &size));
    cosim_chosen(job, chosen, sizeof chosen);
    fprintf(f, "mempath cosim %s%s", job->block->name, chosen);
    if (job->top)
        fprintf(f, " --rtl-top %s", job->top);
    fprintf(f, " --seed %" PRIu64, job->seed);
    if (job->file)
        fprintf(f, " %s", job->file);
    else
        fprintf(f, " --transactions %" PRIu64, transactions);
    fclose(f);
    return text;
}

int cosim_run(const struct cosim_job *job, struct cosim_outcome *o, struct mp_error *err)
{
    struct libraries l = {0};
    struct cosim_setup setup = job->setup;
    const struct cosim_corner *corner = NULL;
    double start = progress_now();
    int failed = 0;
    o->end = COSIM_EQUAL;
    if (job->file) {
        setup.seed = mixed(job->seed, 0);
        if (job->block->draw)
            job->block->draw(&setup, NULL, job->fixed, setup.seed);
        failed = run_session(job, &l, corner, &setup, 0, o, err);
    } else {
        list_configurations(job, o);
    }
    for (uint64_t number = 0;
         !job->file && !failed && o->end == COSIM_EQUAL && !cli_stop && o->transactions < job->transactions;
         number++) {
        uint64_t transactions, left = job->transactions - o->transactions;
        corner = cosim_session(job, number, &o->points, &setup, &transactions);
        failed = run_session(job, &l, corner, &setup, transactions < left ? transactions : left, o, err);
    }
    o->seconds = progress_now() - start;
    if (o->end == COSIM_EQUAL && cli_stop)
        o->end = COSIM_INTERRUPTED;
    if (!failed)
        o->replay = cosim_replay(job, o->transactions);
    return failed;
}

static char *not_met(const struct cosim_outcome *o, bool configurations)
{
    char *text = NULL;
    size_t size, prefix = sizeof configuration + 1;
    FILE *f = cli_have(open_memstream(&text, &size));
    for (unsigned i = 0, n = 0; i < o->points.count; i++) {
        const struct cosim_named *p = &o->points.point[i];
        if (!p->point.taken && !strncmp(p->name, configuration, prefix - 2) == configurations)
            fprintf(f, "%s%s", n++ ? "; " : "", p->name + (configurations ? prefix : 0));
    }
    fclose(f);
    return text;
}

char *cosim_not_run(const struct cosim_outcome *o)
{
    return not_met(o, true);
}

char *cosim_not_reached(const struct cosim_outcome *o)
{
    return not_met(o, false);
}

void cosim_outcome_free(struct cosim_outcome *o)
{
    free(o->report);
    free(o->replay);
    free(o->points.point);
    free(o->points.place);
    cosim_lines_free(&o->lines);
}
