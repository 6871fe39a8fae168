/* SPDX-License-Identifier: Apache-2.0 */
/* Work-groups on an SM: room for them, their beginning, and the news of their end. */
#include <stddef.h>

#include "sm/parts.h"

/* Owners in another group of blocks do not see that warps of a work-group have ended before the others. */
static uint32_t warps_used(const struct mp_sm *sm)
{
    return sm->apart.owners ? sm->room.warps_used : (uint32_t)__builtin_popcountll(sm->used);
}

bool mp_sm_has_room(const struct mp_sm *sm, uint32_t warps, uint32_t local_bytes)
{
    return sm->p.warps - warps_used(sm) >= warps && sm->p.local_bytes - sm->room.local_used >= local_bytes &&
           sm->room.free_ctas;
}

bool mp_sm_could_hold(const struct mp_sm *sm, uint32_t warps, uint32_t local_bytes)
{
    return warps <= sm->p.warps && local_bytes <= sm->p.local_bytes;
}

static void begin(struct mp_sm *sm, uint32_t place)
{
    struct mp_sm_cta *cta = &sm->cta[place];
    sm->mixed = sm->used && (sm->mixed || cta->stats != sm->newest);
    sm->newest = cta->stats;
    for (uint32_t i = 0; i < cta->size; i++) {
        uint32_t slot = (uint32_t)__builtin_ctzll(~sm->used);
        struct mp_sm_warp *w = &sm->warp[slot];
        sm->used |= 1ull << slot;
        cta->warps |= 1ull << slot;
        sm->age[slot] = sm->next_age++;
        w->cta = (uint8_t)place;
        w->index = i;
        w->outstanding = 0;
        mp_sm_more_steps(sm, slot);
        w->remaining = mp_sm_step_of(sm, slot)->gap;
        mp_sm_make_ready(sm, slot);
    }
}

void mp_sm_start_cta(struct mp_sm *sm, const struct mp_sm_owner *owner, void *work, uint32_t warps,
                     uint32_t local_bytes)
{
    uint32_t place = (uint32_t)__builtin_ctzll(sm->room.free_ctas);
    sm->room.free_ctas &= sm->room.free_ctas - 1;
    sm->room.local_used += local_bytes;
    sm->room.warps_used += warps;
    sm->cta[place] = (struct mp_sm_cta){.owner = owner,
                                        .work = work,
                                        .stats = &sm->stats[owner->tenant],
                                        .local_bytes = local_bytes,
                                        .size = warps};
    if (sm->apart.owners)
        mp_send(&sm->apart.start, sm->apart.owners->now, &sm->cta[place]);
    else
        begin(sm, place);
}

static void hand_back(void *self, void *ended)
{
    struct mp_sm *sm = self;
    struct mp_sm_cta *cta = ended;
    const struct mp_sm_owner *owner = cta->owner;
    sm->room.free_ctas |= 1ull << (cta - sm->cta);
    sm->room.local_used -= cta->local_bytes;
    sm->room.warps_used -= cta->size;
    owner->cta_done(owner->self, sm, cta->work);
}

void mp_sm_cta_ended(struct mp_sm *sm, struct mp_sm_cta *cta)
{
    cta->stats->ctas++;
    if (sm->apart.owners)
        mp_send(&sm->apart.done, sm->wheel->now + sm->p.dispatch_latency, cta);
    else if (sm->p.dispatch_latency)
        mp_at(sm->wheel, sm->p.dispatch_latency, hand_back, sm, cta);
    else
        hand_back(sm, cta);
}

/* --- owners in another group of blocks ------------------------------------------------------------- */

static struct mp_sm *sm_of(struct mp_sender *sender, size_t member)
{
    return (struct mp_sm *)((char *)sender - offsetof(struct mp_sm, apart) - member);
}

static void start_arrives(struct mp_sender *sender, void *cta)
{
    struct mp_sm *sm = sm_of(sender, offsetof(struct mp_sm_apart, start));
    begin(sm, (uint32_t)((struct mp_sm_cta *)cta - sm->cta));
}

static void end_arrives(struct mp_sender *sender, void *cta)
{
    hand_back(sm_of(sender, offsetof(struct mp_sm_apart, done)), cta);
}

static void fault_arrives(struct mp_sender *sender, void *owner)
{
    struct mp_sm *sm = sm_of(sender, offsetof(struct mp_sm_apart, failed));
    const struct mp_sm_owner *o = owner;
    o->fault(o->self, sm, &sm->apart.fault);
}

void mp_sm_report_fault(struct mp_sm *sm, const struct mp_sm_owner *owner, const struct mp_req *page)
{
    if (sm->apart.has_failed)
        return;
    sm->apart.has_failed = true;
    sm->apart.fault = *page;
    mp_send(&sm->apart.failed, sm->wheel->now + sm->p.dispatch_latency, (void *)owner);
}

static struct mp_sender sender(uint32_t order, struct mp_box *box,
                               void (*arrive)(struct mp_sender *sender, void *argument))
{
    return (struct mp_sender){.order = order, .box = box, .arrive = arrive};
}

void mp_sm_set_apart(struct mp_sm *sm, const struct mp_groups *groups, uint32_t owners, uint32_t own,
                     uint32_t order, bool keeps)
{
    sm->apart.keeps = keeps;
    sm->apart.start = sender(order, mp_groups_box(groups, owners, own), start_arrives);
    sm->apart.done = sender(order + 1, mp_groups_box(groups, own, owners), end_arrives);
    sm->apart.failed = sender(order + 2, mp_groups_box(groups, own, owners), fault_arrives);
    sm->apart.owners = mp_groups_wheel(groups, owners);
}
