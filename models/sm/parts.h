/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the files of the SM share. */
#ifndef MP_SM_PARTS_H
#define MP_SM_PARTS_H

#include "sm/sm.h"

/* Schedules the stage's next step for cycle `when`, which is not in the past, or for the cycle in which the
 * stage is free again. */
static inline void mp_sm_schedule(struct mp_sm *sm, struct mp_sm_stage *stage, uint64_t when,
                                  mp_event_fn *step)
{
    if (stage->scheduled || stage->stopped || stage->out.held)
        return;
    if (when < stage->free_at)
        when = stage->free_at;
    stage->scheduled = true;
    mp_at(sm->wheel, when - sm->wheel->now, step, sm, NULL);
}

/* issue.c */
void mp_sm_make_ready(struct mp_sm *sm, uint32_t slot);
void mp_sm_access_done(void *sm, void *access); /* an event */

static inline struct gwt_step *mp_sm_step_of(const struct mp_sm *sm, uint32_t slot)
{
    return &sm->step[slot * MP_SM_STEPS + sm->warp[slot].at];
}

/* issue.c */
void mp_sm_more_steps(struct mp_sm *sm, uint32_t slot);

static inline void mp_sm_next_step(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_warp *w = &sm->warp[slot];
    if (++w->at == w->steps)
        mp_sm_more_steps(sm, slot);
    w->remaining = mp_sm_step_of(sm, slot)->gap;
}

static inline struct mp_sm_cta *mp_sm_cta_of(const struct mp_sm *sm, const struct mp_access *a)
{
    return &sm->cta[sm->warp[a->warp].cta];
}

/* ctas.c */
void mp_sm_cta_ended(struct mp_sm *sm, struct mp_sm_cta *cta);
void mp_sm_report_fault(struct mp_sm *sm, const struct mp_sm_owner *owner, const struct mp_req *page);

/* lsu.c */
void mp_sm_step_translate(void *sm, void *unused); /* an event */
/* Queues the lines of a translated page for the data stage, which may send them from cycle `when` on. */
void mp_sm_send_lines(struct mp_sm *sm, struct mp_req *page, uint64_t when);
/* Answers a page in the call with its virtual address, in the place of a TLB. */
enum mp_answer mp_sm_leave_virtual(void *sm, unsigned port, struct mp_req *page, uint32_t *delay);
void mp_sm_line_done(struct mp_sm *sm, struct mp_req *line, uint64_t when);

typedef void mp_sm_response(void *sm, struct mp_req *req);

static inline mp_sm_response *mp_sm_response_of_data(const struct mp_sm *sm)
{
    return sm->p.sends_virtual ? mp_sm_loaded_virtual : mp_sm_loaded;
}

/* faults.c. For a page that faulted, or is read-only, or was translated after a replay: whether the owner
 * keeps it. If not, its lines go on. */
__attribute__((cold)) bool mp_sm_keep_fault(struct mp_sm *sm, struct mp_req *page);

#endif
