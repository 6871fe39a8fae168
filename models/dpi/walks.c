/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "dpi/dpi.h"
#include "dpi/mempath_models.h"
#include "walk/scheduler/dws_state.h"

#define MOST_WALKERS 4096u
#define MOST_QUEUE   1048576u

struct walk {
    struct mp_req req; /* must be the first member, so that a request can be converted to its walk */
    uint64_t id;
};

struct walks {
    struct dpi_model model;
    const struct mp_walk_scheduler *scheduler;
    struct mp_walk_geometry g;
    void *state;
    struct walk *pool;
    struct mp_req_queue spare; /* free walks of the pool */
    struct walk **serves;      /* by walker; NULL if it is idle */
};

static void print(const struct dpi_model *model, FILE *out);

static void discard(struct dpi_model *model)
{
    struct walks *w = (struct walks *)model;
    free(w->state);
    free(w->pool);
    free(w->serves);
    free(w);
}

static const struct dpi_kind kind = {"a walk scheduler", print, discard};

static struct walks *find(void *handle, const char *where)
{
    return (struct walks *)dpi_find(handle, &kind, where);
}

/* ---- making one ---- */

enum { WALKERS, QUEUE, TENANTS };

static const struct dpi_parameter parameters[DPI_PARAMETERS + 1] = {
    [WALKERS] = {"walkers", DPI_NUMBER, 16, 1, MOST_WALKERS, NULL},
    [QUEUE] = {"queue", DPI_NUMBER, 192, 0, MOST_QUEUE, NULL},
    [TENANTS] = {"tenants", DPI_NUMBER, 2, 1, MP_TENANTS, NULL},
};

static const char *policy_name(unsigned number)
{
    return mp_walk_schedulers[number] ? mp_walk_schedulers[number]->design.name : NULL;
}

static struct walks *allocate(const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g)
{
    struct walks *w = calloc(1, sizeof *w);
    size_t most = (size_t)g->walkers + g->queue +
                  1; /* those in service, those that wait, and one for which there may be no room */
    if (!w)
        return NULL;
    *w = (struct walks){.model = {.kind = &kind},
                        .scheduler = s,
                        .g = *g,
                        .state = calloc(1, s->bytes(g)),
                        .pool = calloc(most, sizeof *w->pool),
                        .serves = calloc(g->walkers, sizeof *w->serves)};
    if (!w->state || !w->pool || !w->serves) {
        discard(&w->model);
        return NULL;
    }
    for (size_t i = 0; i < most; i++)
        mp_queue_push(&w->spare, &w->pool[i].req);
    return w;
}

void *mempath_walks_new(const char *policy, const char *text)
{
    const struct mp_walk_scheduler *s = policy ? mp_walk_scheduler_find(policy) : NULL;
    struct dpi_values v;
    if (!s) {
        dpi_no_policy(policy, policy_name, dpi_error());
        return NULL;
    }
    if (dpi_parse(text, parameters, &s->design, &v, dpi_error()))
        return NULL;
    const struct mp_walk_geometry g = {.walkers = (uint32_t)v.value[WALKERS],
                                       .queue = (uint32_t)v.value[QUEUE],
                                       .tenants = (uint32_t)v.value[TENANTS]};
    const struct mp_walk_rules r = mp_walk_rules_of(s, &v.own);
    if (mp_walk_check(s, &g, &r, dpi_error()))
        return NULL;
    struct walks *w = allocate(s, &g);
    if (!w) {
        mp_fail(dpi_error(), "mempath_walks_new: out of memory; fewer walkers or a shorter queue are needed");
        return NULL;
    }
    s->init(w->state, &g, &r);
    return dpi_open(&w->model);
}

/* ---- events ---- */

/* Name of scheduler `number` among those with tables; NULL after the last. */
static const char *name_with_tables(unsigned number)
{
    unsigned i = 0;
    while (mp_walk_schedulers[i] && (!mp_walk_schedulers[i]->owner || number--))
        i++;
    return policy_name(i);
}

static const struct mp_dws_state *tables(const struct walks *w, const char *where)
{
    if (w->scheduler->owner)
        return mp_dws_state(w->state);
    char names[256];
    dpi_names(names, sizeof names, name_with_tables);
    mp_fail(dpi_error(), "%s: %s has no such tables; %s", where, w->scheduler->design.name, names);
    return NULL;
}

static int check_tenant(const struct walks *w, unsigned tenant)
{
    return tenant < w->g.tenants ? 0 : dpi_fail("tenant: there is no %u; 0 to %u", tenant, w->g.tenants - 1);
}

static int check_walker(const struct walks *w, unsigned walker)
{
    return walker < w->g.walkers ? 0 : dpi_fail("walker: there is no %u; 0 to %u", walker, w->g.walkers - 1);
}

/* Returns 1 and the id of the walk that a walker starts, or 0 if it starts none. */
static int start(struct walks *w, unsigned walker, struct mp_req *req, unsigned long long *id)
{
    struct walk *walk = (struct walk *)req;
    w->serves[walker] = walk;
    DPI_OUTPUT(id, walk ? walk->id : 0);
    return walk != NULL;
}

int mempath_walks_arrive(void *walks, unsigned tenant, unsigned long long id)
{
    struct walks *w = find(walks, __func__);
    if (!w || check_tenant(w, tenant))
        return MEMPATH_ERROR;
    struct walk *walk = (struct walk *)mp_queue_pop(&w->spare);
    *walk = (struct walk){.req = {.tenant = (uint8_t)tenant}, .id = id};
    int walker = w->scheduler->arrive(w->state, &walk->req);
    if (walker == MP_WALK_QUEUED)
        return MEMPATH_QUEUED;
    if (walker == MP_WALK_NO_ROOM) {
        mp_queue_push(&w->spare, &walk->req);
        return MEMPATH_NO_ROOM;
    }
    w->serves[walker] = walk;
    return walker;
}

int mempath_walks_room(void *walks, unsigned tenant)
{
    const struct walks *w = find(walks, __func__);
    if (!w || check_tenant(w, tenant))
        return MEMPATH_ERROR;
    return w->scheduler->room(w->state, (uint8_t)tenant);
}

int mempath_walks_complete(void *walks, unsigned walker, unsigned long long *id)
{
    struct walks *w = find(walks, __func__);
    if (!w || check_walker(w, walker))
        return MEMPATH_ERROR;
    if (!w->serves[walker])
        return dpi_fail("walker: %u is idle; name a working one", walker);
    mp_queue_push(&w->spare, &w->serves[walker]->req);
    return start(w, walker, w->scheduler->complete(w->state, walker), id);
}

int mempath_walks_set_tenants(void *walks, unsigned tenants)
{
    struct walks *w = find(walks, __func__);
    if (!w)
        return MEMPATH_ERROR;
    if (!tenants || tenants >> w->g.tenants)
        return dpi_fail("tenants: 0x%x; 0x1 to 0x%x, a bit each", tenants, (1u << w->g.tenants) - 1);
    if (w->scheduler->set_tenants)
        w->scheduler->set_tenants(w->state, tenants);
    return 0;
}

int mempath_walks_set_owner(void *walks, unsigned walker, unsigned tenant)
{
    struct walks *w = find(walks, __func__);
    if (!w || check_walker(w, walker))
        return MEMPATH_ERROR;
    if (tenant > w->g.tenants)
        return dpi_fail("tenant: there is no %u; 0 to %u, or %u for none", tenant, w->g.tenants - 1,
                        w->g.tenants);
    if (!tables(w, __func__))
        return MEMPATH_ERROR;
    mp_dws_own(w->state, walker, (uint8_t)tenant);
    return 0;
}

int mempath_walks_wake(void *walks, unsigned walker, unsigned long long *id)
{
    struct walks *w = find(walks, __func__);
    if (!w || check_walker(w, walker))
        return MEMPATH_ERROR;
    if (w->serves[walker])
        return dpi_fail("walker: %u is working; name an idle one", walker);
    return start(w, walker, w->scheduler->wake ? w->scheduler->wake(w->state, walker) : NULL, id);
}

/* ---- state ---- */

int mempath_walks_walker(void *walks, unsigned walker, unsigned long long *id, int *owner, unsigned *free,
                         unsigned *stolen)
{
    const struct walks *w = find(walks, __func__);
    if (!w || check_walker(w, walker))
        return MEMPATH_ERROR;
    const struct mp_dws_state *t = w->scheduler->owner ? mp_dws_state(w->state) : NULL;
    DPI_OUTPUT(owner, t ? t->wtm_tenant[walker] : -1);
    DPI_OUTPUT(free, t ? t->fwa_free[walker] : w->g.queue - w->scheduler->queue(w->state, walker)->length);
    DPI_OUTPUT(stolen, t ? (unsigned)(t->fwa_is_stolen >> walker & 1) : 0);
    DPI_OUTPUT(id, w->serves[walker] ? w->serves[walker]->id : 0);
    return w->serves[walker] != NULL;
}

int mempath_walks_waiting(void *walks, unsigned walker, unsigned position, unsigned long long *id,
                          unsigned *tenant)
{
    const struct walks *w = find(walks, __func__);
    if (!w || check_walker(w, walker))
        return MEMPATH_ERROR;
    const struct mp_req *req = w->scheduler->queue(w->state, walker)->head;
    for (; req && position; position--)
        req = req->next;
    DPI_OUTPUT(id, req ? ((const struct walk *)req)->id : 0);
    DPI_OUTPUT(tenant, req ? req->tenant : 0);
    return req != NULL;
}

int mempath_walks_tenant(void *walks, unsigned tenant, unsigned long long *walkers, unsigned *pending,
                         unsigned *arrivals)
{
    const struct walks *w = find(walks, __func__);
    if (!w || check_tenant(w, tenant))
        return MEMPATH_ERROR;
    const struct mp_dws_state *t = tables(w, __func__);
    if (!t)
        return MEMPATH_ERROR;
    DPI_OUTPUT(walkers, t->twm_walkers[tenant]);
    DPI_OUTPUT(pending, t->twm_pend_walks[tenant]);
    DPI_OUTPUT(arrivals, t->twm_enq_epoch[tenant]);
    return 0;
}

int mempath_walks_epoch(void *walks, unsigned *arrivals, unsigned *diff_thres)
{
    const struct walks *w = find(walks, __func__);
    const struct mp_dws_state *t = w ? tables(w, __func__) : NULL;
    if (!t)
        return MEMPATH_ERROR;
    DPI_OUTPUT(arrivals, t->epoch);
    DPI_OUTPUT(diff_thres, t->diff_thres);
    return 0;
}

static void print_queue(const struct walks *w, uint32_t walker, FILE *out)
{
    const struct mp_req *req = w->scheduler->queue(w->state, walker)->head;
    fputs(" queue=", out);
    for (const char *comma = ""; req; req = req->next, comma = ",")
        fprintf(out, "%s%u:%" PRIu64, comma, req->tenant, ((const struct walk *)req)->id);
    fputc('\n', out);
}

static void print_tables(const struct walks *w, FILE *out)
{
    const struct mp_dws_state *t = mp_dws_state(w->state);
    fprintf(out, "epoch=%u diff_thres=%u\n", t->epoch, t->diff_thres);
    for (uint32_t i = 0; i < w->g.tenants; i++)
        fprintf(out, "tenant=%u walkers=0x%" PRIx64 " pending=%u arrivals=%u\n", i, t->twm_walkers[i],
                t->twm_pend_walks[i], t->twm_enq_epoch[i]);
}

/* Prints one line for the registers, one per tenant, and one per walker with its queue. A queue for all
 * walkers is one more line. */
static void print(const struct dpi_model *model, FILE *out)
{
    const struct walks *w = (const struct walks *)model;
    bool own = w->scheduler->owner;
    fprintf(out, "%s\n", w->scheduler->design.name);
    if (own)
        print_tables(w, out);
    for (uint32_t i = 0; i < w->g.walkers; i++) {
        fprintf(out, "walker=%u", i);
        if (w->serves[i])
            fprintf(out, " walk=%u:%" PRIu64, w->serves[i]->req.tenant, w->serves[i]->id);
        if (own) {
            const struct mp_dws_state *t = mp_dws_state(w->state);
            fprintf(out, " owner=%u free=%u stolen=%u", t->wtm_tenant[i], t->fwa_free[i],
                    (unsigned)(t->fwa_is_stolen >> i & 1));
            print_queue(w, i, out);
        } else {
            fputc('\n', out);
        }
    }
    if (!own)
        print_queue(w, 0, out);
}
