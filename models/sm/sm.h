/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A streaming multiprocessor as far as memory sees it: resident warps that issue the instructions between two
 * memory accesses, warp schedulers, the coalescer, and a load-store unit that translates one page and
 * requests one line in a cycle, in order. A warp waits while it has `outstanding` accesses in flight, at
 * barriers, and for its last access before a barrier or its end. With a scoreboard it also waits, before the
 * instructions that precede an access, for the loads that the access needs (trace/gwt.h).
 *
 * If the data cache is looked up before translation (cache/virtual.h), the SM sends lines with virtual
 * addresses. A line may then be answered with a fault, and each line that faults is a page to its owner.
 */
#ifndef MP_SM_SM_H
#define MP_SM_SM_H

#include "engine/block.h"
#include "engine/groups.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "engine/scope.h"
#include "engine/tenant.h"
#include "map/colours.h"
#include "sm/coalesce.h"
#include "sm/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SM_MAX_WARPS 64u
#define MP_SM_STEPS     16u /* of a warp, decoded at once */

struct mp_sm_stats {
    uint64_t issued, accesses, pages, lines, access_cycles, lsu_stalls, ctas;
};

extern const struct mp_metric_table mp_sm_metrics;
extern const struct mp_block_kind mp_sm_kind;

struct mp_sm_params {
    uint32_t id;
    uint32_t warps, ctas; /* resident; 1 to MP_SM_MAX_WARPS, since each is a bit of a mask */
    uint32_t local_bytes, schedulers, outstanding, lsu_queue;
    uint32_t dispatch_latency; /* cycles from a work-group's end until its owner knows of it */
    const struct mp_warp_scheduler *scheduler;
    struct mp_coalescer *coalescer; /* scratch memory that SMs may share */
    bool parts;         /* owners have parts of frames, of the size that are the coalescer's pages */
    bool sends_virtual; /* lines, which the data cache has translated; the link to the TLB is not used */
    bool scoreboard;    /* there is one */
    uint32_t tenants;
};

enum mp_warp_state {
    MP_WARP_NONE,  /* the slot is free */
    MP_WARP_READY, /* may issue */
    MP_WARP_LIMIT, /* has `outstanding` accesses in flight, or one that the next step needs */
    MP_WARP_LSU,   /* waits for room in the load-store queue */
    MP_WARP_DRAIN, /* waits for its accesses before a barrier or its end */
    MP_WARP_BARRIER
};

struct mp_sm;

struct mp_access { /* a memory instruction in flight */
    struct mp_access *next;
    uint64_t issued, done; /* done: cycle of the last answer until now */
    uint16_t warp;         /* slot */
    uint16_t instruction;  /* number in the warp, whose low bits requests have */
    uint16_t lines;        /* that have no answer yet */
    uint16_t faulted;      /* of these, those of pages that the owner keeps */
};

struct mp_sm_scheduler {
    struct mp_sm *sm;
    uint64_t slots; /* its warp slots */
    uint32_t last;  /* slot that issued last, and the age of its warp then */
    uint64_t last_age;
    bool busy; /* issues, or plans what issues next */
    /* If it takes turns: the cycle up to which issued instructions are counted, and the cycle of the next
     * turn that is more than an instruction, or MP_NEVER. */
    uint64_t since, wake;
    uint64_t sweep;     /* of the turn of `last`; turns go round the slots in sweeps */
    uint64_t *due;      /* of its ready warps: the sweep in which the next step is due */
    uint32_t due_shift; /* slot >> due_shift is the slot's place in `due` */
    uint32_t first;     /* the ready slot that is due first, unless none is ready */
};

/*
 * The owner of work-groups: the address space and the tenant of their requests, where their instructions come
 * from, and what it wants to know. An SM may hold work-groups of several owners at once. `work` is the
 * owner's name for a work-group.
 */
struct mp_sm_owner {
    void *self;
    uint16_t asid;
    uint8_t tenant;                     /* below mp_sm_params.tenants */
    const struct mp_colours_part *part; /* of frames, with mp_sm_params.parts */
    /* Writes the next steps of a warp, which is counted from 0 in its work-group: at least 1, at most `room`.
     * Returns their number. GWT_EXIT is the last one. An owner that decides late writes one at a time: it is
     * called in the cycle in which the warp has finished the step before. */
    uint32_t (*next)(void *self, void *work, uint32_t warp, struct gwt_step *step, uint32_t room);
    /* An access of the warp has its last answer. issued: cycle in which it entered the load-store queue.
     * NULL: the owner does not want to know. */
    void (*access_done)(void *self, void *work, uint32_t warp, uint64_t issued);
    /* All warps have ended, and the SM has room for others. */
    void (*cta_done)(void *self, struct mp_sm *sm, void *work);
    /* A page has no translation. True: the owner keeps the request, and may use its `next`, until mp_sm_retry
     * or mp_sm_give_up. False: the page's lines are requested as if it had one. */
    bool (*fault)(void *self, struct mp_sm *sm, struct mp_req *page);
};

/* Why a stage begins nothing new although its link is free, as bits. */
enum { MP_SM_RETRIES = 1, MP_SM_STALLED = 2 };

enum mp_sm_link { MP_SM_TRANSLATE, MP_SM_DATA };

struct mp_sm { /* what every cycle touches comes first */
    struct mp_wheel *wheel;
    uint64_t ready, used, lsu_waiting; /* masks: a bit per warp slot */
    struct mp_sm_stage {               /* a pipeline stage that sends one request in a cycle */
        struct mp_out out;
        uint64_t free_at;
        bool scheduled;
        uint8_t stopped; /* MP_SM_* */
    } translate, data;
    struct mp_req_queue ready_lines; /* translated; a line may be sent from cycle `sent` on */
    struct mp_req_pool pool;
    void (*walked)(void *self, const struct mp_req *page); /* mp_sm_watch_walks */
    void *walked_by;
    struct mp_sm_stats *stats; /* one per tenant */
    struct mp_sm_params p;
    struct mp_sm_scheduler *schedulers;
    uint64_t *due; /* of all schedulers */
    struct mp_access *access, *spare_access;
    struct mp_lsu_slot {
        struct mp_access *access;
        struct gwt_step step;
    } * lsu;
    struct mp_sm_stats *newest; /* of the work-group that started last */
    bool mixed; /* it holds work-groups of several tenants, or has held them since it was empty */
    uint32_t lsu_head, lsu_count;
    uint32_t lsu_last;        /* the warp slot that last waited and got room */
    uint32_t page_of_head;    /* the oldest access's next page to translate */
    struct mp_sm_warp {       /* 16 bytes: the schedulers read four in a cache line */
        uint32_t remaining;   /* instructions before the step */
        uint32_t index;       /* in the work-group */
        uint16_t outstanding; /* accesses in flight */
        uint8_t cta;          /* slot */
        uint8_t scheduler;
        uint8_t state;     /* enum mp_warp_state */
        uint8_t at, steps; /* the current one of the warp's decoded steps, and their number */
        uint8_t accesses;  /* memory instructions that it has issued, modulo 256 */
    } * warp;
    struct gwt_step *step; /* MP_SM_STEPS for each warp slot, then the scoreboard (mp_sm_in_flight) */
    struct mp_sm_cta {
        const struct mp_sm_owner *owner;
        void *work;
        struct mp_sm_stats *stats; /* the tenant's */
        uint64_t warps;            /* that have not ended, a bit per slot */
        uint32_t at_barrier, local_bytes;
        uint32_t size; /* in warps */
    } * cta;
    struct mp_sm_room {     /* as owners see it, who learn of a work-group's end later */
        uint64_t free_ctas; /* a bit per slot of cta */
        uint32_t local_used, warps_used;
    } room;
    struct mp_sm_apart { /* owners in another group of blocks: what goes to the SM, and what comes from it */
        struct mp_sender start, done, failed;
        const struct mp_wheel *owners; /* NULL: owners are in the SM's group */
        struct mp_req fault;           /* the first page that failed */
        bool keeps, has_failed;
    } apart;
    uint64_t next_age;
    uint64_t age[MP_SM_MAX_WARPS];
    struct mp_coalesced lines_of_head; /* the oldest access, once its first page has been requested */
    struct mp_req req_of_head;         /* what the requests for these lines have in common */
    struct mp_req_queue retries;       /* pages that owners gave back, to be translated again */
    bool retry_scheduled;
    /* By tenant: pages that got a translation after they had faulted, modulo 2^32. */
    uint32_t returned[MP_TENANTS];
};

/* With a scoreboard, by warp slot: bit n is the warp's access n that is in flight, 0 is the newest. A pointer
 * of its own would make the SM a cache line longer, and SMs then meet in the sets of the host's cache. */
static inline uint64_t *mp_sm_in_flight(const struct mp_sm *sm)
{
    return (uint64_t *)(void *)(sm->step + (size_t)sm->p.warps * MP_SM_STEPS);
}

/* Returns -1 if memory runs out. */
int mp_sm_init(struct mp_sm *sm, struct mp_wheel *wheel, const struct mp_sm_params *params);
void mp_sm_free(struct mp_sm *sm);
/* Joins one of the SM's two links to a target. */
void mp_sm_join(struct mp_sm *sm, enum mp_sm_link link, struct mp_target target);

/* Whether a work-group of this size has room now, or when the SM is empty. */
bool mp_sm_has_room(const struct mp_sm *sm, uint32_t warps, uint32_t local_bytes);
bool mp_sm_could_hold(const struct mp_sm *sm, uint32_t warps, uint32_t local_bytes);
/* Owners of work-groups are in group `owners`, the SM is in group `own`, which runs in a later stage. They
 * get cta_done by message; next() is called in the SM's group. keeps: fault() is called at once, which needs
 * windows of one cycle; otherwise owners get a copy of the page by message, and cannot keep it. order, + 1
 * and + 2 are the numbers of the senders. */
void mp_sm_set_apart(struct mp_sm *sm, const struct mp_groups *groups, uint32_t owners, uint32_t own,
                     uint32_t order, bool keeps);

/* Starts the work-group's warps in this cycle. There must be room. *owner must stay until cta_done. */
void mp_sm_start_cta(struct mp_sm *sm, const struct mp_sm_owner *owner, void *work, uint32_t warps,
                     uint32_t local_bytes);

/* Ends an owner's hold of a page: its translation is requested again, before those of newer accesses; or the
 * access goes on without the page's lines. */
void mp_sm_retry(struct mp_sm *sm, struct mp_req *page);
void mp_sm_give_up(struct mp_sm *sm, struct mp_req *page);
/* A stalled SM begins no translations except retries, for all owners of work-groups. */
void mp_sm_stall(struct mp_sm *sm, bool stalled);
/* The owner's warps issue nothing more, and end when their accesses in flight are done. */
void mp_sm_abort(struct mp_sm *sm, const struct mp_sm_owner *owner);
/* From now on, walked() is called for each page whose translation a walk has found. */
void mp_sm_watch_walks(struct mp_sm *sm, void (*walked)(void *self, const struct mp_req *page), void *self);
/* Whether a page of the scope's address spaces is still in use that was translated for an access issued
 * before `cycle`. */
bool mp_sm_uses_translations_of(const struct mp_sm *sm, const struct mp_scope *scope, uint64_t cycle);

void mp_sm_xray(const void *sm, const struct mp_xray *x); /* mp_block_kind.xray */
/* Whether a warp of the tenant has instructions to issue before it waits for anything. */
bool mp_sm_may_issue(const struct mp_sm *sm, uint8_t tenant);

/* The initiator's ends of the SM's two links. */
void mp_sm_translated(void *sm, struct mp_req *req);
void mp_sm_translate_resume(void *sm, unsigned link);
void mp_sm_loaded(void *sm, struct mp_req *req);
void mp_sm_loaded_virtual(void *sm, struct mp_req *req); /* of an SM that sends virtual addresses */
void mp_sm_data_resume(void *sm, unsigned link);

#ifdef __cplusplus
}
#endif
#endif
