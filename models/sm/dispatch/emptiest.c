/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit on SMs in place of a partition: the application has work-groups on at most as many SMs at a time as
 * its share of resident warps fills (mp_app_params.most_warps), and takes the emptiest SM as a further one.
 * So does the limit of active threads of NVIDIA's MPS, as its guide is quoted: it concentrates the work of
 * clients on disjoint sets of SMs, but reserves nothing.
 */
#include <stdlib.h>

#include "sm/app.h"

struct state {
    uint32_t *blocks; /* of the application, by SM */
    uint32_t sms;     /* that have some */
};

static void begin(struct mp_app *app)
{
    struct state *s = app->state;
    if (!s->blocks && !(s->blocks = calloc(app->p.sms, sizeof *s->blocks)))
        mp_app_fail(app, "out of memory");
}

static void clear(struct mp_app *app)
{
    struct state *s = app->state;
    free(s->blocks);
}

static uint32_t most_sms(const struct mp_app *app)
{
    const uint32_t warps = app->p.sm[0]->p.warps;
    return app->p.most_warps ? (app->p.most_warps + warps - 1) / warps : app->p.own_sms;
}

/* The lowest of equally empty SMs; the number of SMs if none has room. */
static uint32_t find_room(const struct mp_app *app, const struct gwt_cta *cta)
{
    const struct state *s = app->state;
    const bool may_spread = s->sms < most_sms(app);
    uint32_t best = app->p.sms, least = UINT32_MAX;
    for (uint32_t k = app->p.first_sm; k < app->p.first_sm + app->p.own_sms; k++) {
        const struct mp_sm *sm = app->p.sm[k];
        if ((s->blocks[k] || may_spread) && sm->room.warps_used < least &&
            mp_app_has_room(app, sm, cta->nwarps, app->kernel->local_bytes)) {
            best = k;
            least = sm->room.warps_used;
        }
    }
    return best;
}

static bool place(struct mp_app *app)
{
    struct state *s = app->state;
    struct gwt_cta *cta;
    while ((cta = mp_app_peek(app))) {
        uint32_t k = find_room(app, cta);
        if (k == app->p.sms)
            return false;
        s->sms += !s->blocks[k]++;
        mp_app_run_on(app, app->p.sm[k], mp_app_take(app), cta->nwarps, app->kernel->local_bytes);
    }
    return true;
}

static uint32_t ended(struct mp_app *app, struct mp_sm *sm, void *work)
{
    struct state *s = app->state;
    uint32_t k = 0;
    while (app->p.sm[k] != sm)
        k++;
    s->sms -= !--s->blocks[k];
    return mp_app_end_group(app, sm, work);
}

const struct mp_dispatch_policy mp_dispatch_emptiest = {
    .design = {.name = "emptiest",
               .title = "the emptiest SM, on at most as many as the share of warps fills"},
    .bytes = sizeof(struct state),
    .begin = begin,
    .place = place,
    .ended = ended,
    .clear = clear,
    .next = mp_app_next_of_group,
};
