/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods select the page table entries that a walk reads, and its answer. A method is a state machine: the
 * page-walk system (walk.h), which has the walkers and the time, asks it for each step of a walk and carries
 * the step out.
 *
 *   begin() -> READ ... next(entry) -> READ ... next(entry) -> END
 *
 * A method may answer before it is done, with ANSWER_AND_READ, and read further entries while its walker
 * stays busy. The initiator gets the answer at once (MP_FROM_WALK_EARLY in mp_req.source), and at the end of
 * the walk the translation to store, with the span that the request has then. After its answer a walk has no
 * faults: a bad entry ends it with the answer's page alone.
 *
 * A walk may also answer others that wait for a walker, with what it has read: `joins` and `answers`. What it
 * has read may also spare a waiting walk its upper levels: `level` of struct mp_walk_record.
 *
 * One method is one file here and one word in the list of ../CMakeLists.txt. entry.h has what all methods
 * need.
 */
#ifndef MP_WALK_METHOD_H
#define MP_WALK_METHOD_H

#include <stdint.h>

#include "engine/design.h"
#include "engine/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_req;
struct mp_walk;
struct mp_walker;
struct mp_walk_params;

/* The next step of a walker. `at` and `delay` are members of struct mp_walker, which the method has set. */
enum mp_walk_step {
    MP_WALK_READ,            /* read the entry at `at`, then call next() with it */
    MP_WALK_READ_LATER,      /* the same, but the read begins in `delay` cycles */
    MP_WALK_WAIT,            /* call next() with the entry at `at` in `delay` cycles, at no other cost */
    MP_WALK_ANSWER_AND_READ, /* send the answer, then as MP_WALK_READ */
    MP_WALK_END              /* the walk is over: the request has its result, and the walker is free */
};

struct mp_walk_method {
    struct mp_design design; /* `counters` describes the method's counters, one structure per tenant */
    /* Log2 of the bytes, aligned, around the page on whose translations a walk depends: a change of any page
     * in them concerns the walk, and the upper entries on the way to it. 0: a walk depends on its page alone.
     */
    uint32_t reach;
    /* It reads page tables by the steps of their design (vm/tables/design.h). Otherwise it reads trees of
     * tables only. */
    bool any_table;
    /* Checks that the method can work in a page-walk system, whose memory and links are not set yet. NULL if
     * it can in all. Returns -1 and in err "NAME: ..." with what is allowed, where NAME is a parameter of
     * `walk` in configurations or one of the design's own. */
    int (*check)(const struct mp_walk_params *p, struct mp_error *err);

    /* State of the method, such as a cache: struct mp_walk.method. NULL if it has none. */
    size_t (*bytes)(const struct mp_walk_params *p);
    void (*init)(void *state, const struct mp_walk_params *p); /* zeroed */

    /* A walker starts a walk. */
    enum mp_walk_step (*begin)(struct mp_walk *w, struct mp_walker *k);
    /* The entry at `at` has come. */
    enum mp_walk_step (*next)(struct mp_walk *w, struct mp_walker *k, uint64_t entry);
    /* The walk, which has not been answered, begins again at the root: the read in flight becomes that of the
     * root's entry, and next() gets it. A walk that has been answered ends with the read in flight, without a
     * call of the method, and the initiator stores nothing (MP_FROM_NOTHING). */
    void (*again)(struct mp_walk *w, struct mp_walker *k);
    /* The number of reads that the page walk cache would leave for the walk now, as mp_walk_view.work has it;
     * asked only by schedulers that look at it. Changes nothing. NULL: the walk reads every level. */
    uint32_t (*work)(const struct mp_walk *w, const struct mp_req *walk);
    /* The state forgets what belongs to the scope; returns the number of its entries. Called for every
     * invalidation, of pages or of tables; what `reach` decides is whether walks in flight and the page walk
     * cache are concerned when only pages have changed. NULL if there is nothing to forget. */
    uint32_t (*invalidate)(struct mp_walk *w, const struct mp_scope *scope);

    /* The rest is for methods that answer several walks at once, and NULL in others. */
    /* The scheduler has chosen this walk for a walker. Returns whether it waits instead for the end of a walk
     * in flight that will answer it; the walker then takes the next. */
    bool (*joins)(struct mp_walk *w, const struct mp_req *walk);
    /* This walker's walk ends. Returns whether it answers that one too, which waits in a queue or has joined
     * one in flight; it has its result then, and leaves. All that have joined a walk must be answered with
     * it. */
    bool (*answers)(struct mp_walk *w, const struct mp_walker *k, struct mp_req *walk);
    /* As `reach`, for a walk in flight that depends on more than its page. */
    uint32_t (*reach_of)(const struct mp_walk *w, const struct mp_walker *k);
};

#define MP_WALK_METHOD_NEEDS(EACH, WITH)                                                                     \
    EACH(begin), EACH(next), EACH(again), WITH(bytes, init), WITH(joins, answers), WITH(answers, joins)

extern const struct mp_walk_method mp_walk_radix, mp_walk_hpca21, mp_walk_colt, mp_walk_thp, mp_walk_mesc,
    mp_walk_neighborhood, mp_walk_probe;

extern const struct mp_walk_method *mp_walk_methods[]; /* NULL-terminated; the first is the default */
extern const struct mp_design *mp_walk_method_designs[];
const struct mp_walk_method *mp_walk_method_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
