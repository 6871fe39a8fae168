/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cli/replay/replay.h"
#include "walk/intake.h"

#define IDLE  SIZE_MAX
#define NEVER UINT64_MAX

struct run {
    const struct replay_walk_system *system;
    struct mp_intake intake;
    struct replay_walk *walk;
    struct mp_req *req; /* per walk */
    size_t *serves;     /* by walker: a walk, or IDLE */
    size_t arrived, done, walks;
    uint64_t now, retry; /* cycles; retry: of the next retry, if requests retry each cycle */
};

static void start(struct run *r, uint32_t walker, const struct mp_req *req)
{
    const struct mp_walk_scheduler *s = r->system->scheduler;
    size_t i = (size_t)(req - r->req);
    struct replay_walk *w = &r->walk[i];
    w->start = r->now;
    w->finish = r->now + r->system->latency;
    w->walker = walker;
    w->by = w->id;
    w->stolen = s->owner && s->owner(r->intake.state, walker) != w->tenant;
    r->serves[walker] = i;
}

/* The scheduler has chosen a walk for the walker, or none. */
static void start_chosen(struct run *r, uint32_t walker, struct mp_req *chosen)
{
    const struct mp_req *req = mp_intake_start(&r->intake, walker, chosen);
    if (req)
        start(r, walker, req);
}

/* ---- walks that others answer ---- */

static bool same_line(const struct run *r, const struct replay_walk *a, const struct replay_walk *b)
{
    return a->tenant == b->tenant && a->page / r->system->line == b->page / r->system->line;
}

static bool joins(void *run, const struct mp_req *req)
{
    const struct run *r = run;
    for (uint32_t w = 0; w < r->system->geometry.walkers; w++)
        if (r->serves[w] != IDLE && same_line(r, &r->walk[r->serves[w]], &r->walk[req - r->req]))
            return true;
    return false;
}

static bool answers(void *run, uint32_t walker, struct mp_req *req)
{
    struct run *r = run;
    struct replay_walk *w = &r->walk[req - r->req];
    const struct replay_walk *by = &r->walk[r->serves[walker]];
    if (!same_line(r, by, w))
        return false;
    w->start = w->finish = r->now;
    w->walker = walker;
    w->by = by->id;
    w->stolen = false;
    r->done++;
    return true;
}

/* ---- events ---- */

static void complete(struct run *r, uint32_t walker)
{
    struct mp_req_queue answered = {0};
    if (r->intake.sharing)
        mp_intake_answer(&r->intake, walker, &answered);
    r->serves[walker] = IDLE;
    r->done++;
    start_chosen(r, walker, r->system->scheduler->complete(r->intake.state, walker));
}

static void retry(struct run *r)
{
    struct mp_req *req;
    int walker;
    r->retry = NEVER;
    while ((req = mp_intake_retry(&r->intake, &walker))) {
        if (walker >= 0)
            start_chosen(r, (uint32_t)walker, req);
        if (r->intake.published) {
            r->retry = r->now + 1;
            return;
        }
    }
}

static void arrive(struct run *r)
{
    struct mp_req *req = &r->req[r->arrived++];
    int walker = mp_intake_arrive(&r->intake, req);
    if (walker >= 0)
        start_chosen(r, (uint32_t)walker, req);
}

static bool ends(const struct run *r, uint32_t walker, uint64_t cycle)
{
    return r->serves[walker] != IDLE && r->walk[r->serves[walker]].finish <= cycle;
}

/* The next cycle in which something happens. */
static uint64_t next(const struct run *r)
{
    uint64_t cycle = r->retry;
    if (r->arrived < r->walks && r->walk[r->arrived].arrive < cycle)
        cycle = r->walk[r->arrived].arrive;
    for (uint32_t w = 0; w < r->system->geometry.walkers; w++)
        if (ends(r, w, cycle))
            cycle = r->walk[r->serves[w]].finish;
    return cycle;
}

static void run(struct run *r)
{
    while (r->done < r->walks) {
        r->now = next(r);
        for (uint32_t w = 0; w < r->system->geometry.walkers; w++)
            if (ends(r, w, r->now))
                complete(r, w);
        retry(r);
        while (r->arrived < r->walks && r->walk[r->arrived].arrive == r->now)
            arrive(r);
    }
}

static uint32_t work(const void *run, const struct mp_req *req)
{
    const struct run *r = run;
    return r->walk[req - r->req].reads;
}

int replay_walks_run(const struct replay_walk_system *system, struct replay_walk *walk, size_t n)
{
    uint32_t walkers = system->geometry.walkers;
    struct run r = {.system = system,
                    .walk = walk,
                    .walks = n,
                    .retry = NEVER,
                    .req = calloc(n ? n : 1, sizeof *r.req),
                    .serves = malloc(walkers * sizeof *r.serves)};
    const struct mp_walk_view view = {&r, work};
    const struct mp_intake_sharing sharing = {&r, joins, answers};
    int failed = !r.req || !r.serves ||
                 mp_intake_init(&r.intake, system->scheduler, &system->geometry, &system->rules, &view);
    if (!failed) {
        for (size_t i = 0; i < n; i++)
            r.req[i] = (struct mp_req){.tenant = walk[i].tenant,
                                       .sm = walk[i].sm,
                                       .warp = walk[i].warp,
                                       .instruction = walk[i].instruction & 15};
        for (uint32_t w = 0; w < walkers; w++)
            r.serves[w] = IDLE;
        if (system->line)
            r.intake.sharing = &sharing;
        run(&r);
        mp_intake_free(&r.intake);
    }
    free(r.req);
    free(r.serves);
    return failed ? -1 : 0;
}
