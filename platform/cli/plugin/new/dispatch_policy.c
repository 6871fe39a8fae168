/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch policy @NAME@: work-groups go round the SMs in turn, at most `groups` of them at once. Without
 * a limit it is the policy breadth_first. sm/dispatch/dispatch.h says what each function has to do. */
#include "engine/plugin.h"
#include "sm/app.h"

enum { GROUPS };
static const struct mp_design_param params[] = {
    [GROUPS] = {"groups", "work-groups", NULL, 65536, 1, 65536, "@NAME@", "of an application at once", 0},
    {0},
};

struct state {
    uint32_t next; /* the SM whose turn it is, counted from the application's first */
};

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
        struct mp_sm *sm = app->running < app->p.values.v[GROUPS] ? find_room(app, cta) : NULL;
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

static const struct mp_dispatch_policy policy = {
    .design = {.name = "@NAME@", .title = "round the SMs, and few work-groups at once", .params = params},
    .bytes = sizeof(struct state),
    .place = place,
    .ended = ended,
    .next = next,
};

static const struct mp_plugin_design designs[] = {{"dispatch_policy", &policy}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
