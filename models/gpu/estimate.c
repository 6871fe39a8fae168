/* SPDX-License-Identifier: Apache-2.0 */
/* When a run is in detail and when it is not: windows, their places, and functional mode. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mshr.h"
#include "gpu/estimate_state.h"

enum {
    QUANTUM = 128,   /* cycles that functional mode executes at once */
    WARM_UP = 20000, /* cycles of detail before a window */
    WINDOW = 20000,  /* cycles */
    TAGS = 50000,    /* cycles of functional mode before a warm-up whose accesses warm tags */
    LAUNCH = 500,    /* cycles of detail when functional mode cannot go on: an application starts again */
    LEAST = 3,       /* windows of a run, if it is long enough */
    SHARE = 8, /* of the cycles, at most one part of this number is in detail if there are more windows */
    MOST_IDLE = 1000, /* warm-ups without an instruction, after which a run is stuck */
    RATE_SHIFT = 24   /* rates and credits are instructions times two to the power of this */
};

static void step(void *estimate, void *unused);

struct mp_estimate *mp_estimate_new(struct mp_wheel *wheel, const struct mp_estimate_params *p)
{
    struct mp_estimate *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->wheel = wheel;
    e->p = *p;
    e->phase = MP_ESTIMATE_WARMING;
    e->due = e->warm = wheel->now + WARM_UP;
    for (unsigned t = 0; t < p->tenants; t++) {
        e->tenant[t].app = p->app[t];
        e->tenant[t].now = MP_ESTIMATE_NO_STRATUM;
        e->tenant[t].credit = calloc(p->app[t]->p.own_sms, sizeof *e->tenant[t].credit);
        if (!e->tenant[t].credit) {
            mp_estimate_free(e);
            return NULL;
        }
    }
    mp_at(wheel, WARM_UP, step, e, NULL);
    return e;
}

void mp_estimate_free(struct mp_estimate *e)
{
    for (unsigned t = 0; e && t < e->p.tenants; t++) {
        free(e->tenant[t].sample);
        free(e->tenant[t].credit);
    }
    free(e);
}

static struct mp_sm **sms_of(const struct mp_estimate_tenant *t)
{
    return &t->app->p.sm[t->app->p.first_sm];
}

static uint32_t warps_in(const struct mp_sm *sm)
{
    return (uint32_t)__builtin_popcountll(sm->used);
}

static uint32_t resident_warps(const struct mp_estimate_tenant *t)
{
    uint32_t warps = 0;
    for (uint32_t i = 0; i < t->app->p.own_sms; i++)
        warps += warps_in(sms_of(t)[i]);
    return warps;
}

/* ---- windows ---- */

static void open_window(struct mp_estimate *e, struct mp_estimate_tenant *t)
{
    t->open = true;
    t->warps = resident_warps(t);
    mp_estimate_read(e, t, t->at);
}

static struct mp_estimate_sample *new_sample(struct mp_estimate_tenant *t)
{
    if (t->samples == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->sample = realloc(t->sample, t->room * sizeof *t->sample);
        if (!t->sample)
            mp_estimate_out_of_memory();
    }
    return &t->sample[t->samples++];
}

/* The latest window counts as much as all before it. */
static void update_rate(struct mp_estimate_kernel *k, const uint64_t count[MP_ESTIMATE_COUNTS],
                        uint64_t cycles)
{
    k->rate_executed = k->rate_executed / 2 + count[MP_COUNT_INSTRUCTIONS];
    k->rate_cycles = k->rate_cycles / 2 + cycles;
}

static void close_window(struct mp_estimate *e, struct mp_estimate_tenant *t)
{
    uint64_t now[MP_ESTIMATE_COUNTS];
    if (!t->open)
        return;
    t->open = false;
    mp_estimate_read(e, t, now);
    if (t->now == MP_ESTIMATE_NO_STRATUM || now[MP_COUNT_CYCLES] == t->at[MP_COUNT_CYCLES])
        return;
    struct mp_estimate_sample *s = new_sample(t);
    struct mp_estimate_kernel *k = &t->kernel[t->now];
    *s = (struct mp_estimate_sample){
        .s.stratum = t->now, .whole = t->whole, .warm = e->phase == MP_ESTIMATE_MEASURING};
    for (unsigned c = 0; c < MP_ESTIMATE_COUNTS; c++)
        s->s.count[c] = now[c] - t->at[c];
    k->windows += !t->whole;
    k->whole += t->whole ? s->s.count[MP_COUNT_INSTRUCTIONS] : 0;
    if (!s->warm && k->warm)
        return; /* a rate is that of warm windows, if there was one */
    if (s->warm && !k->warm)
        k->rate_executed = k->rate_cycles = 0;
    k->warm = s->warm;
    uint32_t warps = t->warps + resident_warps(t);
    update_rate(k, s->s.count, s->s.count[MP_COUNT_CYCLES] * (warps ? warps : 2) / 2);
}

static void begin_warming(const struct mp_estimate *e, struct mp_estimate_tenant *t)
{
    t->warming = true;
    t->warming_since = e->wheel->now;
    t->warming_counted = e->p.count(e->p.self, mp_estimate_number(e, t), MP_COUNT_INSTRUCTIONS);
}

/* Warm-ups are slower or faster than the kernel, so they do not count as its time. */
static void end_warm_up(const struct mp_estimate *e, struct mp_estimate_tenant *t)
{
    if (!t->warming)
        return;
    t->warming = false;
    t->warm_up_cycles += e->wheel->now - t->warming_since;
    t->warm_up_executed +=
        e->p.count(e->p.self, mp_estimate_number(e, t), MP_COUNT_INSTRUCTIONS) - t->warming_counted;
}

/* ---- kernels ---- */

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
    return hash;
}

static uint32_t find_kernel(struct mp_estimate_tenant *t, const char *name)
{
    uint64_t hash = hash_of(name);
    for (uint32_t i = 0; i < t->kernels; i++)
        if (t->kernel[i].name == hash)
            return i;
    if (t->kernels == MP_ESTIMATE_STRATA)
        return MP_ESTIMATE_STRATA - 1;
    t->kernel[t->kernels].name = hash;
    return t->kernels++;
}

/* Adds what was executed since the last call to the running kernel. */
static void count_instructions(struct mp_estimate *e, struct mp_estimate_tenant *t)
{
    uint64_t now = e->p.count(e->p.self, mp_estimate_number(e, t), MP_COUNT_INSTRUCTIONS);
    if (t->now != MP_ESTIMATE_NO_STRATUM)
        t->kernel[t->now].instructions += now - t->counted;
    t->counted = now;
}

static void begin_step(struct mp_estimate *e, uint64_t cycles)
{
    e->due = e->wheel->now + cycles;
    mp_at(e->wheel, cycles, step, e, NULL);
}

/* Whether a tenant runs a kernel without a rate. */
static bool needs_rate(const struct mp_estimate *e)
{
    for (unsigned t = 0; t < e->p.tenants; t++)
        if (e->tenant[t].now != MP_ESTIMATE_NO_STRATUM && !e->tenant[t].kernel[e->tenant[t].now].rate_cycles)
            return true;
    return false;
}

/* Whether nothing was executed for a long time: a block has lost a request, and nothing else will happen. */
static bool is_stuck(struct mp_estimate *e)
{
    uint64_t executed = 0;
    for (unsigned t = 0; t < e->p.tenants; t++)
        executed += e->p.count(e->p.self, t, MP_COUNT_INSTRUCTIONS);
    e->idle = executed == e->executed ? e->idle + 1 : 0;
    e->executed = executed;
    return e->idle > MOST_IDLE;
}

static void begin_warm_up(struct mp_estimate *e)
{
    e->phase = MP_ESTIMATE_WARMING;
    e->warm = e->wheel->now + WARM_UP;
    if (!is_stuck(e))
        begin_step(e, mp_estimate_cycle(e) < e->next_window && !needs_rate(e) ? LAUNCH : WARM_UP);
}

void mp_estimate_begins(struct mp_estimate *e, unsigned tenant)
{
    struct mp_estimate_tenant *t = &e->tenant[tenant];
    count_instructions(e, t);
    if (!e->functional) {
        end_warm_up(e, t);
        close_window(e, t);
    }
    t->now = find_kernel(t, t->app->kernel->name);
    if (e->functional)
        return;
    if (!t->kernel[t->now].rate_cycles) {
        for (unsigned i = 0; e->phase == MP_ESTIMATE_MEASURING && i < e->p.tenants; i++)
            close_window(e, &e->tenant[i]);
        begin_warm_up(e);
        t->whole = true;
        open_window(e, t);
    } else if (e->phase == MP_ESTIMATE_MEASURING && !e->pilot) {
        t->whole = false;
        open_window(e, t);
    } else {
        begin_warming(e, t);
    }
}

/* ---- functional mode ---- */

/* What a warp of the kernel executes in QUANTUM cycles, times two to the power of RATE_SHIFT. In a kernel's
 * tail few warps are left, and each goes on as fast as before. */
static int64_t credit_of(const struct mp_estimate_kernel *k)
{
    return (int64_t)((k->rate_executed << RATE_SHIFT) / (k->rate_cycles | 1) * QUANTUM);
}

static void run_sm(struct mp_estimate_tenant *t, uint32_t i, bool warm)
{
    struct mp_sm *sm = sms_of(t)[i];
    int64_t *credit = &t->credit[i];
    if (!sm->used) {
        *credit = 0;
        return;
    }
    *credit += credit_of(&t->kernel[t->now]) * warps_in(sm);
    if (*credit < 1 << RATE_SHIFT)
        return;
    uint64_t executed = mp_sm_run_ahead(sm, (uint64_t)*credit >> RATE_SHIFT, warm);
    *credit -= (int64_t)(executed << RATE_SHIFT);
    t->ahead += executed;
}

/* All SMs execute what they would in QUANTUM cycles, each quantum beginning with another one. */
static void run_quantum(struct mp_estimate *e)
{
    uint32_t first = e->first++;
    bool warm = mp_estimate_cycle(e) + TAGS >= e->next_window;
    for (unsigned t = 0; t < e->p.tenants; t++) {
        struct mp_estimate_tenant *of = &e->tenant[(first + t) % e->p.tenants];
        for (uint32_t i = 0; i < of->app->p.own_sms; i++)
            run_sm(of, (first + i) % of->app->p.own_sms, warm);
    }
}

/* ---- how many windows ---- */

/* Length of the run if all applications go on as until now. */
static double expected_cycles(const struct mp_estimate *e)
{
    double most = 0, now = (double)(e->wheel->now + e->skipped);
    for (unsigned t = 0; t < e->p.tenants; t++) {
        const struct mp_estimate_tenant *of = &e->tenant[t];
        double executed = (double)e->p.count(e->p.self, t, MP_COUNT_INSTRUCTIONS);
        if (of->app->stats.completions || executed <= 0)
            continue;
        double cycles = (now - (double)of->app->started) * (double)e->p.instructions[t] / executed;
        most = cycles > most ? cycles : most;
    }
    return most > now ? most : now;
}

static double wanted_windows(const struct mp_estimate *e)
{
    double wanted = 0;
    for (unsigned t = 0; t < e->p.tenants; t++) {
        struct mp_estimated so_far;
        mp_estimate_from_samples(&e->tenant[t], 1, &so_far);
        if (so_far.windows < LEAST || !isfinite(so_far.value[0].deviation))
            return INFINITY;
        double n = 2 * so_far.value[0].deviation / e->p.error;
        wanted = n * n > wanted ? n * n : wanted;
    }
    return wanted;
}

/* The place of a window varies by a quarter of the period, so that it does not follow an application's own
 * period. Early on, the expected length is uncertain, so the period is at most half of the time up to now. */
static void plan_window(struct mp_estimate *e)
{
    double cycles = expected_cycles(e), most = cycles / (double)(SHARE * (WARM_UP + WINDOW));
    double n = wanted_windows(e);
    n = n < most ? n : most;
    n = n > (double)LEAST ? n : (double)LEAST;
    uint64_t period = (uint64_t)(cycles / n), detail = WARM_UP + WINDOW;
    uint64_t longest = mp_estimate_cycle(e) / 2 > SHARE * detail ? mp_estimate_cycle(e) / 2 : SHARE * detail;
    period = period < longest ? period : longest;
    uint64_t gap = period > detail ? period - detail : 0;
    if (!e->windows) /* the rates of pilots are those of cold caches */
        gap /= 4;
    uint64_t vary = gap / 4 ? mp_mix(e->windows) % (gap / 2) : 0;
    e->next_window = mp_estimate_cycle(e) + gap - gap / 4 + vary;
}

static bool is_waiting(const struct mp_estimate_tenant *t)
{
    return t->app->frozen && t->app->waits;
}

/* Whether functional mode can go on: each application runs a kernel whose rate is known. */
static bool all_run(const struct mp_estimate *e)
{
    for (unsigned t = 0; t < e->p.tenants; t++) {
        const struct mp_estimate_tenant *of = &e->tenant[t];
        if (!is_waiting(of) && (!of->app->kernel || !of->kernel[of->now].rate_cycles))
            return false;
    }
    return true;
}

static void freeze_all(struct mp_estimate *e)
{
    e->functional = true;
    for (unsigned t = 0; t < e->p.tenants; t++) {
        mp_app_freeze(e->tenant[t].app);
        for (uint32_t i = 0; i < e->tenant[t].app->p.own_sms; i++)
            if (mp_sm_freeze(sms_of(&e->tenant[t])[i]))
                mp_estimate_out_of_memory();
    }
}

/* The launches of kernels take their time. */
static void launch(struct mp_estimate *e)
{
    for (unsigned i = 0; i < e->p.tenants; i++) {
        struct mp_estimate_tenant *t = &e->tenant[i];
        if (!is_waiting(t))
            continue;
        t->waited += QUANTUM;
        if (t->waited < t->app->p.launch_latency)
            continue;
        t->waited = 0;
        mp_app_go_on(t->app);
    }
}

static void thaw_all(struct mp_estimate *e)
{
    e->functional = false;
    for (unsigned i = 0; i < e->p.tenants; i++) {
        struct mp_estimate_tenant *t = &e->tenant[i];
        uint32_t latency = t->app->p.launch_latency;
        mp_app_thaw(t->app, t->waited < latency ? latency - t->waited : 0);
        t->waited = 0;
        for (uint32_t k = 0; k < t->app->p.own_sms; k++)
            mp_sm_thaw(sms_of(t)[k]);
    }
}

/* After functional mode. */
static void resume(struct mp_estimate *e, struct mp_estimate_tenant *t)
{
    if (t->app->kernel && !t->kernel[t->now].rate_cycles) {
        t->whole = true;
        open_window(e, t);
    } else {
        begin_warming(e, t);
    }
}

/* Up to the next window, or until an application starts again or begins a kernel without a rate. */
static void skip(struct mp_estimate *e)
{
    if (all_run(e) && mp_estimate_cycle(e) < e->next_window) {
        for (unsigned t = 0; t < e->p.tenants; t++) {
            close_window(e, &e->tenant[t]);
            e->tenant[t].whole = false;
        }
        freeze_all(e);
        while (all_run(e) && mp_estimate_cycle(e) < e->next_window) {
            run_quantum(e);
            e->skipped += QUANTUM;
            launch(e);
        }
        thaw_all(e);
        for (unsigned t = 0; t < e->p.tenants; t++)
            resume(e, &e->tenant[t]);
    }
    begin_warm_up(e);
}

/* ---- phases ---- */

static void end_windows(struct mp_estimate *e)
{
    for (unsigned t = 0; t < e->p.tenants; t++) {
        close_window(e, &e->tenant[t]);
        if (e->tenant[t].whole)
            open_window(e, &e->tenant[t]);
    }
    e->windows += !e->pilot;
    if (!e->pilot || !e->next_window)
        plan_window(e);
    skip(e);
}

static void begin_windows(struct mp_estimate *e)
{
    for (unsigned t = 0; t < e->p.tenants; t++)
        close_window(e, &e->tenant[t]);
    e->phase = MP_ESTIMATE_MEASURING;
    e->pilot = mp_estimate_cycle(e) < e->next_window || !e->next_window;
    for (unsigned t = 0; t < e->p.tenants; t++)
        if (e->tenant[t].whole || !e->pilot)
            open_window(e, &e->tenant[t]);
    begin_step(e, WINDOW);
}

static void step(void *estimate, void *unused)
{
    struct mp_estimate *e = estimate;
    bool window = needs_rate(e) || mp_estimate_cycle(e) >= e->next_window;
    (void)unused;
    if (e->due != e->wheel->now)
        return; /* the plan has changed */
    if (e->phase == MP_ESTIMATE_WARMING && window && e->wheel->now < e->warm) {
        begin_step(e, e->warm - e->wheel->now);
        return;
    }
    for (unsigned t = 0; t < e->p.tenants; t++)
        end_warm_up(e, &e->tenant[t]);
    if (e->phase == MP_ESTIMATE_MEASURING)
        end_windows(e);
    else if (window)
        begin_windows(e);
    else
        skip(e);
}

/* ---- results ---- */

struct mp_estimated mp_estimate_of(struct mp_estimate *e, unsigned tenant)
{
    struct mp_estimate_tenant *t = &e->tenant[tenant];
    struct mp_estimated result = {.exact = !t->ahead};
    count_instructions(e, t);
    end_warm_up(e, t);
    close_window(e, t);
    mp_estimate_values_of(e, t, &result);
    return result;
}

double mp_estimate_detail(const struct mp_estimate *e)
{
    double now = (double)e->wheel->now;
    return now > 0 ? now / (now + (double)e->skipped) : 1;
}
