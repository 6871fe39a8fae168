/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/dws/lockstep/dws_state.h"

#include <inttypes.h>
#include <string.h>

uint16_t dws_state_walks(uint32_t percent, uint32_t walks)
{
    return percent == MP_WALK_NEVER || percent >= 100 ? UINT16_MAX : (uint16_t)(percent * walks / 100);
}

void dws_state_of_model(struct dws_state *s, const struct mp_partition *model,
                        const struct mp_walk_scheduler *scheduler)
{
    s->t = model->t;
    s->diff_thres = dws_state_walks(model->t.diff_thres, model->g.queue);
    s->room = 0;
    for (uint8_t t = 0; t < model->g.tenants; t++)
        s->room |= (uint32_t)scheduler->room(model, t) << t;
}

bool dws_state_equal(const struct mp_walk_geometry *g, const struct dws_state *a, const struct dws_state *b)
{
    uint64_t differ = (a->t.fwa_is_stolen ^ b->t.fwa_is_stolen) | (a->t.idle ^ b->t.idle) |
                      (uint64_t)(a->t.epoch ^ b->t.epoch) | (uint64_t)(a->diff_thres ^ b->diff_thres) |
                      (a->room ^ b->room);
    for (uint32_t w = 0; w < g->walkers; w++)
        differ |= (uint64_t)(a->t.fwa_free[w] ^ b->t.fwa_free[w]) |
                  (uint64_t)(a->t.wtm_tenant[w] ^ b->t.wtm_tenant[w]);
    for (uint32_t t = 0; t < g->tenants; t++)
        differ |= (a->t.twm_walkers[t] ^ b->t.twm_walkers[t]) |
                  (uint64_t)(a->t.twm_pend_walks[t] ^ b->t.twm_pend_walks[t]) |
                  (uint64_t)(a->t.twm_enq_epoch[t] ^ b->t.twm_enq_epoch[t]);
    return !differ;
}

/* The arguments of the printing functions. */
struct print {
    FILE *out;
    bool all;
};

static void field(const struct print *p, const char *name, int number, uint64_t before, uint64_t model,
                  uint64_t rtl)
{
    char text[40];
    if (model == rtl && !p->all)
        return;
    snprintf(text, sizeof text, number < 0 ? "%s" : "%s[%d]", name, number);
    fprintf(p->out, "%c %-24s %16" PRIx64 " %16" PRIx64 " %16" PRIx64 "\n", model == rtl ? ' ' : '*', text,
            before, model, rtl);
}

void dws_state_print(FILE *out, const struct mp_walk_geometry *g, const struct dws_state *before,
                     const struct dws_state *model, const struct dws_state *rtl, bool all)
{
    const struct mp_dws_state *a = &before->t, *b = &model->t, *c = &rtl->t;
    const struct print p = {out, all};
    fprintf(out, "  %-24s %16s %16s %16s   (hexadecimal)\n", "field", "before", "model", "rtl");
    for (int w = 0; w < (int)g->walkers; w++)
        field(&p, "FWA free", w, a->fwa_free[w], b->fwa_free[w], c->fwa_free[w]);
    field(&p, "FWA is_stolen", -1, a->fwa_is_stolen, b->fwa_is_stolen, c->fwa_is_stolen);
    for (int t = 0; t < (int)g->tenants; t++) {
        field(&p, "TWM walkers", t, a->twm_walkers[t], b->twm_walkers[t], c->twm_walkers[t]);
        field(&p, "TWM PEND_WALKS", t, a->twm_pend_walks[t], b->twm_pend_walks[t], c->twm_pend_walks[t]);
        field(&p, "TWM ENQ_EPOCH", t, a->twm_enq_epoch[t], b->twm_enq_epoch[t], c->twm_enq_epoch[t]);
    }
    for (int w = 0; w < (int)g->walkers; w++)
        field(&p, "WTM tenant", w, a->wtm_tenant[w], b->wtm_tenant[w], c->wtm_tenant[w]);
    field(&p, "EPOCH", -1, a->epoch, b->epoch, c->epoch);
    field(&p, "DIFF_THRES (walks)", -1, before->diff_thres, model->diff_thres, rtl->diff_thres);
    field(&p, "idle", -1, a->idle, b->idle, c->idle);
    field(&p, "room", -1, before->room, model->room, rtl->room);
}
