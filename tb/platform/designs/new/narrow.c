/* SPDX-License-Identifier: Apache-2.0 */
/* A dispatch policy for the tests of this folder: round the SMs, but an application has at most `groups`
 * work-groups on them at once. */
#include "sm/app.h"

static const struct mp_design_param params[] = {
    {"groups", "work-groups", NULL, 8, 1, 4096, "test", "of an application on its SMs at once", 0}, {0}};

struct counters {
    uint64_t full;
};

static const struct mp_metric metrics[] = {
    MP_COUNTER_OF(struct counters, full, "times", "that the next work-group had to wait for another's end")};

static const struct mp_metric_table table = {"narrow", sizeof(struct counters), 1, metrics};

struct state {
    uint32_t next; /* the SM whose turn it is */
};

static int check(const struct mp_sm_params *sm, const struct mp_design_values *own, struct mp_error *err)
{
    if (own->v[0] % sm->schedulers == 0)
        return 0;
    return mp_fail(err, "sm.schedulers: %u cannot share %u work-groups; a divisor of narrow.groups",
                   sm->schedulers, (unsigned)own->v[0]);
}

static struct mp_sm *find_room(struct mp_app *app, const struct gwt_cta *cta)
{
    struct state *s = app->state;
    for (uint32_t i = 0; i < app->p.own_sms; i++) {
        struct mp_sm *sm = app->p.sm[app->p.first_sm + s->next];
        s->next = (s->next + 1) % app->p.own_sms;
        if (mp_sm_has_room(sm, cta->nwarps, app->kernel->local_bytes))
            return sm;
    }
    return NULL;
}

static bool place(struct mp_app *app)
{
    struct counters *count = app->counters;
    struct gwt_cta *cta;
    while ((cta = mp_app_peek(app))) {
        if (app->running >= app->p.values.v[0]) {
            count->full++;
            return false;
        }
        struct mp_sm *sm = find_room(app, cta);
        if (!sm)
            return false;
        mp_app_run_on(app, sm, mp_app_take(app), cta->nwarps, app->kernel->local_bytes);
    }
    return true;
}

static uint32_t ended(struct mp_app *app, struct mp_sm *sm, void *work)
{
    struct gwt_cta *cta = work;
    uint32_t warps = cta->nwarps;
    (void)sm;
    mp_app_release(app, cta);
    return warps;
}

static uint32_t next(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    const struct gwt_cta *cta = work;
    (void)app;
    return gwt_warp_steps(cta->warp[warp], step, room);
}

const struct mp_dispatch_policy mp_dispatch_narrow = {
    .design = {.name = "narrow",
               .title = "round the SMs, and few work-groups at once",
               .params = params,
               .counters = &table},
    .check = check,
    .bytes = sizeof(struct state),
    .place = place,
    .ended = ended,
    .next = next,
};
