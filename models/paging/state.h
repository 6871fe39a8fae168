/* SPDX-License-Identifier: Apache-2.0 */
/* What only the files of this folder see. */
#ifndef MP_PAGING_STATE_H
#define MP_PAGING_STATE_H

#include "host/host.h"
#include "paging/paging.h"

struct mp_paging_frame { /* of a unit */
    uint64_t pa;
    uint64_t free_at; /* cycle from which its next user may write to it */
    uint64_t delay;   /* of copies out by then */
    uint64_t out;     /* number of the last copy out of it (host/copy.h) */
};

struct mp_paging_block {        /* what a range has in an aligned 2 MB */
    struct mp_uvm_mask left;    /* pages that have been evicted */
    struct mp_uvm_mask brought; /* prefetched pages that no walk has found yet */
    uint64_t ready;             /* cycle in which the entries of all its services are valid */
    uint32_t resident;          /* pages with valid entries, if the server is watched */
    uint32_t pending;           /* services whose entries are not valid yet */
    struct mp_uvm_mask leaving; /* pages that are mapped to the host's memory when their copies out end */
    uint64_t left_at;           /* cycle in which the last of them is */
    struct mp_uvm_mask pinned;  /* pages that thrash and have one place for a time */
    struct mp_uvm_mask shared;  /* pages of the GPU that the host maps */
    uint64_t
        unpinned_at; /* cycle in which pages have lost their entries; 0: their invalidation is confirmed */
};

struct mp_paging_range {
    struct mp_paging_range *next; /* that is closed */
    struct mp_space *space;
    uint64_t va, end;
    uint32_t blocks;
    uint32_t host; /* number of its first 2 MB in the host's memory */
    bool closed;
    uint32_t *frame; /* by unit of the blocks: its number plus 1; 0: it has none */
    struct mp_paging_block block[];
};

/* An access of the host that is served, or waits for others. */
struct mp_paging_hosted {
    struct mp_paging_hosted *next;
    struct mp_paging_host_access of;
    uint64_t at, since; /* the address that is next; the cycle in which it began */
    uint64_t wakes;     /* the cycle until which it waits, for a page that is held or for lines */
};

/* A victim, or the service of a block. */
struct mp_paging_step {
    bool evicts; /* pages leave the GPU: of a victim, or */
    bool hosts;  /* because the host has accessed them */
    struct mp_paging_range *range;
    uint32_t block, faulted;        /* faulted: pages */
    bool noticed;                   /* a notice is served, and no fault */
    struct mp_uvm_mask copy, other; /* copied; zeroed, or dropped */
    struct mp_uvm_mask remote;      /* mapped to the host's memory */
    struct mp_uvm_mask done;        /* were mapped */
    struct mp_uvm_mask writable;    /* of all these: stores do not fault */
    uint64_t delay;                 /* of the link's direction when its copies were launched */
    uint64_t copied[MP_COPY_KINDS]; /* numbers of its last copies (host/copy.h); 0: it has none */
    struct mp_copy_wait wait;       /* for one of these */
};

struct mp_paging_waiting { /* the accesses of an SM */
    struct mp_sm *sm;
    struct mp_req_queue pages;
};

struct mp_paging {
    struct mp_wheel *wheel;
    struct mp_paging_params p;
    struct mp_uvm *uvm;
    void *memory; /* of uvm */
    uint32_t page_shift, unit_pages, per_block;
    uint64_t *transfer; /* cycles of a copy over the link, by pages */

    struct mp_paging_frame *frame;
    uint32_t *spare; /* a ring of numbers of frames */
    uint32_t frames, spares, oldest;

    struct mp_paging_range **range; /* in the order of space and address */
    uint32_t ranges;
    struct mp_paging_range **host; /* by 2 MB of the host's memory: who has it; NULL: a range that ended */
    uint32_t hosts, host_room;
    bool maps_host;                 /* an entry has led there, or may by a pin */
    struct mp_paging_range *closed; /* that ended while a batch was served, whose steps may name them */

    struct mp_paging_waiting *waiting;    /* by SM */
    struct mp_paging_hosted *host_access; /* in the order in which they came */
    struct mp_req_queue held;             /* faults for which the buffer has no room */
    uint32_t entries;                     /* in the buffer */
    uint32_t notices;                     /* of access counters, that wait */
    struct {
        uint64_t count, sum; /* of faults that wait, and of the cycles in which they occurred */
    } since[MP_ASIDS];

    bool busy;        /* an interrupt is on its way, or a batch is served */
    uint32_t batches; /* of this service */
    uint32_t holds;   /* of these, with a page that is held */
    struct mp_uvm_batch batch;
    bool noticed;                     /* it is one of notices */
    bool ahead;                       /* it is none, but evicts ahead of need */
    struct mp_paging_hosted *hosting; /* it is none, but the turn of an access of the host */
    bool holds_page;                  /* a page of it is held */
    bool clears;                      /* the next is such a one, if nothing waits for the server then */
    bool last, replays;               /* the batch ends the service; a replay follows it */
    uint32_t served;                  /* spaces of the batch, a bit each */
    struct mp_paging_step *step;
    uint32_t steps, room, at;                            /* at: the one that is carried out */
    uint64_t spent[MP_PAGING_PARTS];                     /* cycles of the server in this batch */
    uint64_t fetched, since_invalidation, since_service; /* cycles */
    struct mp_host_link *link;
    uint64_t zero_free; /* cycle in which the engine that zeroes is free */
    uint64_t finish;    /* of all copies of the batch */
    uint32_t pending;   /* services whose entries are not valid yet */

    uint64_t deadline; /* of the first pin, as it was known last, in ns; 0: there is none */
    bool alarm;        /* an event is on its way that comes by then */

    uint64_t moves; /* steps that have ended */

    void (*line)(void *self, const char *text);
    void *line_self;
    void (*action)(void *self, const struct mp_paging_action *a);
    void *action_self;
    struct mp_paging_stats stats[MP_ASIDS];
};

/* Cycles of a time in ns, rounded up. */
static inline uint64_t mp_paging_cycles(const struct mp_paging *p, uint64_t ns)
{
    return (ns * p->p.clock_mhz + 999) / 1000;
}

/* The time of decisions, in ns from 1. */
static inline uint64_t mp_paging_ns(const struct mp_paging *p)
{
    return p->wheel->now * 1000 / p->p.clock_mhz + 1;
}

/* The first cycle that is not before a time of decisions. */
static inline uint64_t mp_paging_cycle(const struct mp_paging *p, uint64_t ns)
{
    return mp_paging_cycles(p, ns - 1);
}

static inline uint64_t mp_paging_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

__attribute__((format(printf, 2, 3))) void mp_paging_say(struct mp_paging *p, const char *format, ...);

static inline void mp_paging_tell(const struct mp_paging *p, const struct mp_paging_action *a)
{
    if (p->action)
        p->action(p->action_self, a);
}

/* Adds cycles of the server to what this batch has spent on a part. */
static inline void mp_paging_spend(struct mp_paging *p, enum mp_paging_part part, uint64_t cycles)
{
    p->spent[part] += cycles;
}

/* The first space of the batch; 0 if it has none. */
static inline unsigned mp_paging_first_space(const struct mp_paging *p)
{
    return p->served ? (unsigned)__builtin_ctz(p->served) : 0;
}

/* memory.c */
struct mp_paging_range *mp_paging_find(const struct mp_paging *p, uint16_t asid, uint64_t va);
void mp_paging_forget_closed(struct mp_paging *p);
/* The address of a page in the host's memory. */
static inline uint64_t mp_paging_host_page(const struct mp_paging *p, const struct mp_paging_range *r,
                                           uint32_t block, uint32_t page)
{
    return MP_HOST_MEMORY + (uint64_t)(r->host + block) * MP_UVM_BLOCK_BYTES +
           ((uint64_t)page << p->page_shift);
}
/* The first address that the range has in its block. */
static inline uint64_t mp_paging_block_va(const struct mp_paging_range *r, uint32_t block)
{
    return mp_paging_later((r->va / MP_UVM_BLOCK_BYTES + block) * MP_UVM_BLOCK_BYTES, r->va);
}
/* How the library maps the block, now. */
static inline struct mp_uvm_mapped mp_paging_mapped(const struct mp_paging *p,
                                                    const struct mp_paging_range *r, uint32_t block)
{
    return mp_uvm_mapped(p->uvm, (uint8_t)r->space->asid, mp_paging_block_va(r, block));
}
/* The range that has this address of the host's memory, and the page's there; NULL if it has ended. */
struct mp_paging_range *mp_paging_find_host(const struct mp_paging *p, uint64_t pa, uint64_t *va);
/* Takes a frame for a unit of the range, by its number there, unless it has one. */
void mp_paging_take(struct mp_paging *p, struct mp_paging_range *r, uint32_t unit);
/* Gives the unit's frame back, to be written from cycle `from` on, when the copy out of this number has
 * ended. */
void mp_paging_give(struct mp_paging *p, struct mp_paging_range *r, uint32_t unit, uint64_t from,
                    uint64_t out);
/* These pages of a block leave the GPU, perhaps before they were used. */
void mp_paging_lose(struct mp_paging *p, struct mp_paging_range *r, uint32_t block,
                    const struct mp_uvm_mask *pages);

/* faults.c */
void mp_paging_enter_held(struct mp_paging *p);
void mp_paging_replay(struct mp_paging *p);
/* Something waits for the server. */
void mp_paging_wake(struct mp_paging *p);

/* pins.c: the time is now, and pins whose time is over end. Before decisions. */
void mp_paging_advance(struct mp_paging *p);
/* They end in time. After decisions. */
void mp_paging_await_pins(struct mp_paging *p);
/* Decisions have been taken about the block. */
void mp_paging_note_pins(struct mp_paging *p, struct mp_paging_range *r, uint32_t block);

/* host.c */
/* The access of the host that waits for the server; NULL: none does. */
struct mp_paging_hosted *mp_paging_awake(const struct mp_paging *p);
/* The next fault of the host is decided, if its access has one. */
void mp_paging_serve_host(struct mp_paging *p);
/* It has been carried out. */
void mp_paging_served_host(struct mp_paging *p);
void mp_paging_forget_host(struct mp_paging *p);

/* batch.c: the next step of the batch, of the block with these pages, of which there is one. Steps have room
 * for the largest batch until now. NULL: its range has ended, or the run has failed. */
struct mp_paging_step *mp_paging_add(struct mp_paging *p, uint8_t asid, uint64_t block,
                                     const struct mp_uvm_mask *pages);
/* An event; fetches a batch and has it carried out. */
void mp_paging_serve(void *paging, void *unused);
/* Every step has been carried out, and all entries are valid. */
void mp_paging_served(struct mp_paging *p);

/* carry.c: an event; carries the next step out. */
void mp_paging_carry(void *paging, void *unused);

#endif
