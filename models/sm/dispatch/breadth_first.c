/* SPDX-License-Identifier: Apache-2.0 */
/* Work-groups go round the SMs in turn, each to the next one that has room. breadth_first starts all that
 * have room at once. round_robin starts one in a cycle, as MGPUSim's dispatcher does
 * (timing/cp/internal/dispatching). */
#include "sm/app.h"

struct state {
    uint32_t next; /* the SM whose turn it is, counted from the partition's first */
    /* round_robin: cycle in which the next work-group may start, and in which place_one() is called again. */
    uint64_t free_at, planned_at;
};

/* NULL: no SM has room. */
static struct mp_sm *find_room(struct mp_app *app, const struct gwt_cta *cta)
{
    struct state *s = app->state;
    for (uint32_t i = 0; i < app->p.own_sms; i++) {
        uint32_t k = (s->next + i) % app->p.own_sms;
        struct mp_sm *sm = app->p.sm[app->p.first_sm + k];
        if (mp_app_has_room(app, sm, cta->nwarps, app->kernel->local_bytes)) {
            s->next = (k + 1) % app->p.own_sms;
            return sm;
        }
    }
    return NULL;
}

static bool place(struct mp_app *app)
{
    struct gwt_cta *cta;
    while ((cta = mp_app_peek(app))) {
        struct mp_sm *sm = find_room(app, cta);
        if (!sm)
            return false;
        mp_app_run_on(app, sm, mp_app_take(app), cta->nwarps, app->kernel->local_bytes);
    }
    return true;
}

static void wait_until_free(struct mp_app *app)
{
    struct state *s = app->state;
    if (s->planned_at == s->free_at)
        return;
    s->planned_at = s->free_at;
    mp_at(app->wheel, s->free_at - app->wheel->now, mp_app_place, app, NULL);
}

static bool place_one(struct mp_app *app)
{
    struct state *s = app->state;
    struct gwt_cta *cta = mp_app_peek(app);
    if (cta && s->free_at <= app->wheel->now) {
        struct mp_sm *sm = find_room(app, cta);
        if (!sm)
            return false; /* until a work-group ends */
        mp_app_run_on(app, sm, mp_app_take(app), cta->nwarps, app->kernel->local_bytes);
        s->free_at = app->wheel->now + 1;
        cta = mp_app_peek(app);
    }
    if (cta)
        wait_until_free(app);
    return !cta;
}

const struct mp_dispatch_policy mp_dispatch_breadth_first = {
    .design = {.name = "breadth_first", .title = "round the SMs, to the next with room"},
    .bytes = sizeof(struct state),
    .place = place,
    .ended = mp_app_end_group,
    .next = mp_app_next_of_group,
};

const struct mp_dispatch_policy mp_dispatch_round_robin = {
    .design = {.name = "round_robin", .title = "the same, one work-group in a cycle"},
    .bytes = sizeof(struct state),
    .place = place_one,
    .ended = mp_app_end_group,
    .next = mp_app_next_of_group,
};
