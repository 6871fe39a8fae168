/* SPDX-License-Identifier: Apache-2.0 */
/* Work-groups go round the SMs in turn, each to the next one that has room. */
#include "sm/app.h"

struct state {
    uint32_t next; /* the SM whose turn it is, counted from the partition's first */
};

/* NULL: no SM has room. */
static struct mp_sm *find_room(struct mp_app *app, const struct gwt_cta *cta)
{
    struct state *s = app->state;
    for (uint32_t i = 0; i < app->p.own_sms; i++) {
        uint32_t k = (s->next + i) % app->p.own_sms;
        struct mp_sm *sm = app->p.sm[app->p.first_sm + k];
        if (mp_sm_has_room(sm, cta->nwarps, app->kernel->local_bytes)) {
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

static void ended(struct mp_app *app, struct mp_sm *sm, void *cta)
{
    (void)sm;
    mp_app_release(app, cta);
}

static uint32_t next(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    const struct gwt_cta *cta = work;
    (void)app;
    return gwt_warp_steps(cta->warp[warp], step, room);
}

const struct mp_dispatch_policy mp_dispatch_breadth_first = {
    .design = {.name = "breadth_first", .title = "round the SMs, to the next with room"},
    .bytes = sizeof(struct state),
    .place = place,
    .ended = ended,
    .next = next,
};
