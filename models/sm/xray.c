/* SPDX-License-Identifier: Apache-2.0 */
/* An SM's part of an X-ray: warps, and accesses that wait for lines. */
#include "sm/parts.h"

static struct mp_xray_wait wait_of(const struct mp_sm *sm, const struct mp_access *a)
{
    const struct mp_sm_owner *owner = mp_sm_cta_of(sm, a)->owner;
    return (struct mp_xray_wait){.where = "access of warp",
                                 .number = a->warp,
                                 .out = MP_XRAY_ANY,
                                 .asks = MP_XRAY_UNKNOWN,
                                 .since = a->issued,
                                 .va = MP_XRAY_UNKNOWN,
                                 .pa = MP_XRAY_UNKNOWN,
                                 .from = true,
                                 .sm = (uint16_t)sm->p.id,
                                 .warp = (uint8_t)a->warp,
                                 .asid = (uint8_t)owner->asid,
                                 .tenant = owner->tenant,
                                 .op = UINT8_MAX};
}

static void show_warps(const struct mp_sm *sm, const struct mp_xray *x)
{
    static const struct {
        enum mp_warp_state state;
        const char *name;
    } states[] = {{MP_WARP_READY, "warps that may issue"},
                  {MP_WARP_LIMIT, "warps at their limit of accesses"},
                  {MP_WARP_LSU, "warps that wait for the load-store queue"},
                  {MP_WARP_DRAIN, "warps that wait for their last accesses"},
                  {MP_WARP_BARRIER, "warps at barriers"}};
    mp_xray_room(x, "warps", (unsigned)__builtin_popcountll(sm->used), sm->p.warps);
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++) {
        uint64_t n = 0;
        for (uint64_t rest = sm->used; rest; rest &= rest - 1)
            n += sm->warp[__builtin_ctzll(rest)].state == states[i].state;
        mp_xray_room(x, states[i].name, n, 0);
    }
}

void mp_sm_xray(const void *model, const struct mp_xray *x)
{
    const struct mp_sm *sm = model;
    show_warps(sm, x);
    mp_xray_room(x, "load-store queue", sm->lsu_count, sm->p.lsu_queue);
    mp_xray_room(x, "translated lines", sm->ready_lines.length, 0);
    mp_xray_room(x, "pages to be translated again", sm->retries.length, 0);
    for (uint32_t i = 0; i < sm->lsu_count; i++) {
        const struct mp_lsu_slot *slot = &sm->lsu[(sm->lsu_head + i) % sm->p.lsu_queue];
        struct mp_xray_wait wait = wait_of(sm, slot->access);
        wait.where = "load-store queue, warp";
        wait.out = MP_XRAY_HERE;
        wait.outside = true;
        if (!slot->access->lines) /* none of its pages has been requested */
            x->wait(x->self, &wait);
    }
    for (uint32_t i = 0; i < sm->p.warps * sm->p.outstanding; i++) {
        struct mp_xray_wait wait;
        if (!sm->access[i].lines)
            continue;
        wait = wait_of(sm, &sm->access[i]);
        if (sm->access[i].lines == sm->access[i].faulted) { /* the owner has all that it waits for */
            wait.where = "page fault of warp";
            wait.out = MP_XRAY_HERE;
        }
        x->wait(x->self, &wait);
    }
}

bool mp_sm_may_issue(const struct mp_sm *sm, uint8_t tenant)
{
    for (uint64_t rest = sm->ready; rest; rest &= rest - 1)
        if (sm->cta[sm->warp[__builtin_ctzll(rest)].cta].owner->tenant == tenant)
            return true;
    return false;
}
