/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the model tests: random numbers with a printed seed, a loop that runs the wheel until it has no
 * events, and fakes for both ends of a link, which check the hold and resume rules of engine/link.h.
 */
#ifndef MP_TB_FAKES_H
#define MP_TB_FAKES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/link.h"
#include "engine/wheel.h"

struct rng {
    uint64_t state;
};

/* The seed of a random test: MEMPATH_TEST_SEED, else `fallback`; printed, so that a failure can be repeated.
 */
static inline struct rng rng_start(const char *test, uint64_t fallback)
{
    const char *text = getenv("MEMPATH_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : fallback;
    print_message("%s: MEMPATH_TEST_SEED=%llu\n", test, (unsigned long long)seed);
    return (struct rng){seed};
}

/* splitmix64 */
static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static inline uint32_t rng_below(struct rng *r, uint32_t bound)
{
    return (uint32_t)(rng_next(r) % bound);
}

static inline uint32_t rng_between(struct rng *r, uint32_t low, uint32_t high)
{
    return low + rng_below(r, high - low + 1);
}

static inline bool rng_percent(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100) < percent;
}

/* Runs every event up to and including cycle `last`; time ends at the last event that ran. */
static inline void run_until(struct mp_wheel *w, uint64_t last)
{
    for (uint64_t next; (next = mp_wheel_next(w)) != MP_NEVER && next <= last;) {
        mp_wheel_advance(w, next);
        mp_wheel_run_cycle(w);
    }
}

static inline void run_dry(struct mp_wheel *w)
{
    run_until(w, MP_NEVER - 1);
}

/* ---- a target that answers after a random delay, sometimes in the call, and sometimes holds ---- */

#define FAKE_LOG 65536u

struct fake_seen {
    uint64_t when, va, pa;
    uint8_t op;
};

struct fake_target {
    struct mp_wheel *wheel;
    struct rng *rng;
    struct mp_initiator up;
    uint32_t least, most; /* delay of an answer */
    uint32_t done, hold;  /* percent of requests answered in the call, held */
    bool stop;            /* holds the next request until fake_target_go */
    uint32_t under_way, most_under_way;
    void (*answer)(struct fake_target *self, struct mp_req *req); /* fills in pa or fault */
    void *context;
    struct mp_req *held;
    struct fake_seen *log;
    uint32_t seen, answered;
};

static inline void fake_target_answer(void *target, void *request)
{
    struct fake_target *t = target;
    struct mp_req *req = request;
    t->answered++;
    t->under_way--;
    if (t->answer)
        t->answer(t, req);
    mp_respond(&t->up, req);
}

static inline uint32_t fake_target_delay(struct fake_target *t)
{
    return t->least == t->most ? t->least : rng_between(t->rng, t->least, t->most);
}

/* Accepts the held request. */
static inline void fake_target_go(void *target, void *unused)
{
    struct fake_target *t = target;
    (void)unused;
    assert_non_null(t->held);
    mp_at(t->wheel, fake_target_delay(t), fake_target_answer, t, t->held);
    t->held = NULL;
    t->up.resume(t->up.self, t->up.port);
}

static inline enum mp_answer fake_target_request(void *target, unsigned port, struct mp_req *req,
                                                 uint32_t *delay)
{
    struct fake_target *t = target;
    assert_null(t->held); /* nothing may be sent on a link that holds */
    assert_int_equal(port, 0);
    assert_true(t->seen < FAKE_LOG);
    t->log[t->seen++] = (struct fake_seen){t->wheel->now, req->va, req->pa, req->op};
    if (++t->under_way > t->most_under_way)
        t->most_under_way = t->under_way;
    if (t->stop) {
        t->held = req;
        return MP_HELD;
    }
    uint32_t kind = t->rng ? rng_below(t->rng, 100) : 100;
    if (kind < t->hold) {
        t->held = req;
        mp_at(t->wheel, rng_between(t->rng, 1, 50), fake_target_go, t, NULL);
        return MP_HELD;
    }
    if (kind < t->hold + t->done) {
        *delay = fake_target_delay(t);
        t->answered++;
        t->under_way--;
        if (t->answer)
            t->answer(t, req);
        return MP_DONE;
    }
    mp_at(t->wheel, fake_target_delay(t), fake_target_answer, t, req);
    return MP_TAKEN;
}

static inline struct fake_target fake_target_make(struct mp_wheel *wheel, struct rng *rng, uint32_t least,
                                                  uint32_t most)
{
    struct fake_target t = {.wheel = wheel, .rng = rng, .least = least, .most = most};
    t.log = calloc(FAKE_LOG, sizeof *t.log);
    assert_non_null(t.log);
    return t;
}

static inline struct mp_target fake_target_end(struct fake_target *t)
{
    return mp_target_of(fake_target_request, t, 0);
}

/* ---- an initiator that records when each of its requests is answered ---- */

struct fake_request {
    struct mp_req req;
    uint64_t asked, answered; /* cycles; answered is MP_NEVER while it is in flight */
    uint32_t index;
    uint8_t op;                 /* as it was sent */
    struct fake_request *chain; /* all requests of the initiator */
};

struct fake_initiator {
    struct mp_out out;
    struct mp_wheel *wheel;
    void (*check)(struct fake_initiator *self, struct fake_request *r); /* at each answer */
    void *context;
    struct fake_request *all;
    uint32_t asked, answered, resumes;
};

static inline void fake_initiator_response(void *self, struct mp_req *req)
{
    struct fake_initiator *i = self;
    struct fake_request *r = req->owner;
    assert_ptr_equal(&r->req, req);
    assert_int_equal(req->op, r->op);
    assert_int_equal(r->answered, MP_NEVER); /* answered once */
    r->answered = i->wheel->now;
    i->answered++;
    if (i->check)
        i->check(i, r);
}

static inline void fake_initiator_resume(void *self, unsigned port)
{
    struct fake_initiator *i = self;
    (void)port;
    assert_true(i->out.held); /* resumed only while a request is held */
    i->resumes++;
    mp_out_resume(&i->out);
}

/* Joins the initiator to a target's port, of which *up is the initiator's end. */
static inline void fake_initiator_join(struct fake_initiator *i, struct mp_wheel *wheel,
                                       struct mp_target target, struct mp_initiator *up)
{
    *i = (struct fake_initiator){.wheel = wheel};
    i->out =
        (struct mp_out){.target = target, .wheel = wheel, .response = fake_initiator_response, .self = i};
    *up = mp_initiator_of(fake_initiator_response, fake_initiator_resume, i, 0);
}

/* Sends a copy of `like` in this cycle (or as soon as the link is free). */
static inline struct fake_request *fake_initiator_send(struct fake_initiator *i, struct mp_req like)
{
    struct fake_request *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->req = like;
    r->req.owner = r;
    r->op = like.op;
    r->asked = i->wheel->now;
    r->answered = MP_NEVER;
    r->index = i->asked++;
    r->chain = i->all;
    i->all = r;
    mp_out_send(&i->out, &r->req);
    return r;
}

static inline void fake_initiator_free(struct fake_initiator *i)
{
    for (struct fake_request *r = i->all; r;) {
        struct fake_request *next = r->chain;
        free(r);
        r = next;
    }
    i->all = NULL;
}

#endif
