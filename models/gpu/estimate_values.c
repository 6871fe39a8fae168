/* SPDX-License-Identifier: Apache-2.0 */
/* Values and their intervals from the samples of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/estimate_state.h"

/* What is wrong besides sampling, because functional mode keeps the SMs in step with each other, and in
 * detail they drift apart. Each bias is the smallest with which 90 % of the intervals hold in every second
 * run of tb/platform/cli/estimates.sh, rounded up to a multiple of 0.05; the other runs check it. */
const struct mp_estimate_value mp_estimate_values[MP_ESTIMATE_VALUES] = {
    {"ipc", "instructions/cycle", MP_COUNT_INSTRUCTIONS, MP_COUNT_CYCLES, 0.2, 0},
    {"l1_tlb_hit_rate", NULL, MP_COUNT_L1_HITS, MP_COUNT_L1_LOOKUPS, 0, 0.15},
    {"l2_tlb_hit_rate", NULL, MP_COUNT_L2_HITS, MP_COUNT_L2_LOOKUPS, 0, 0.15},
    {"l3_tlb_hit_rate", NULL, MP_COUNT_L3_HITS, MP_COUNT_L3_LOOKUPS, 0, 0.05},
    {"walk_latency", "cycles", MP_COUNT_WALK_CYCLES, MP_COUNT_WALKS, 0.35, 0},
};

_Static_assert((unsigned)MP_ESTIMATE_COUNTS <= MP_SAMPLE_COUNTS, "a sample has room for all counts");

_Noreturn void mp_estimate_out_of_memory(void)
{
    fputs("mempath: estimate: out of memory\n", stderr);
    abort();
}

unsigned mp_estimate_number(const struct mp_estimate *e, const struct mp_estimate_tenant *t)
{
    return (unsigned)(t - e->tenant);
}

void mp_estimate_read(const struct mp_estimate *e, const struct mp_estimate_tenant *t,
                      uint64_t count[MP_ESTIMATE_COUNTS])
{
    for (unsigned c = 0; c < MP_ESTIMATE_COUNTS; c++)
        count[c] = c == MP_COUNT_CYCLES
                       ? e->wheel->now
                       : e->p.count(e->p.self, mp_estimate_number(e, t), (enum mp_estimate_count)c);
}

uint64_t mp_estimate_cycle(const struct mp_estimate *e)
{
    return e->wheel->now + e->skipped;
}

/* The beginnings of kernels are parts that count as they are. They are samples too for a kernel that has
 * fewer than two. */
static uint32_t copy_samples(const struct mp_estimate_tenant *t, struct mp_sample *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->samples; i++) {
        const struct mp_estimate_sample *s = &t->sample[i];
        if (!s->whole || (s->warm && t->kernel[s->s.stratum].windows < 2))
            to[n++] = s->s;
        if (s->whole) {
            to[n] = s->s;
            to[n++].stratum = MP_SAMPLE_WHOLE;
        }
    }
    return n;
}

void mp_estimate_from_samples(const struct mp_estimate_tenant *t, unsigned values,
                              struct mp_estimated *result)
{
    uint64_t instructions[MP_ESTIMATE_STRATA];
    struct mp_sample *sample = malloc((2 * t->samples + 1) * sizeof *sample);
    if (!sample)
        mp_estimate_out_of_memory();
    result->windows = 0;
    for (uint32_t i = 0; i < t->kernels; i++) {
        const struct mp_estimate_kernel *k = &t->kernel[i];
        instructions[i] = k->instructions > k->whole ? k->instructions - k->whole : 0;
        result->windows += k->windows;
    }
    uint32_t samples = copy_samples(t, sample);
    for (unsigned v = 0; v < values; v++)
        result->value[v] = mp_interval_ratio(sample, samples, mp_estimate_values[v].above,
                                             mp_estimate_values[v].below, instructions, t->kernels);
    free(sample);
}

static void exact(const struct mp_estimate *e, const struct mp_estimate_tenant *t,
                  struct mp_estimated *result)
{
    uint64_t count[MP_ESTIMATE_COUNTS];
    mp_estimate_read(e, t, count);
    count[MP_COUNT_CYCLES] -= t->app->started;
    for (unsigned v = 0; v < MP_ESTIMATE_VALUES; v++) {
        const struct mp_estimate_value *of = &mp_estimate_values[v];
        double below = (double)count[of->below];
        result->value[v] =
            (struct mp_interval){below > 0 ? (double)count[of->above] / below : (double)NAN, 0, 0};
    }
}

/* The cycles that passed without warm-ups are an estimate as well: the windows gave the rates, but tails of
 * kernels are as they are. The mean of both counts, and their distance widens the interval. */
static void use_cycles(const struct mp_estimate *e, const struct mp_estimate_tenant *t,
                       struct mp_interval *ipc)
{
    double cycles = (double)(mp_estimate_cycle(e) - t->app->started - t->warm_up_cycles);
    double executed = (double)(t->counted - t->warm_up_executed);
    double passed = cycles > 0 ? executed / cycles : 0, mean = (passed + ipc->value) / 2;
    double away = (passed - ipc->value) / 2;
    if (!(ipc->value > 0))
        return;
    ipc->half_width = hypot(ipc->half_width * mean / ipc->value, away);
    ipc->value = mean;
}

/* The error that more windows would not make smaller. Without two windows there is no interval. */
static void add_bias(struct mp_interval *i, const struct mp_estimate_value *of, uint32_t windows)
{
    if (windows < 2)
        i->half_width = INFINITY;
    i->half_width = hypot(i->half_width, of->relative_bias * i->value + of->bias);
}

void mp_estimate_values_of(const struct mp_estimate *e, const struct mp_estimate_tenant *t,
                           struct mp_estimated *result)
{
    mp_estimate_from_samples(t, MP_ESTIMATE_VALUES, result);
    if (result->exact) {
        exact(e, t, result);
        return;
    }
    use_cycles(e, t, &result->value[0]);
    for (unsigned v = 0; v < MP_ESTIMATE_VALUES; v++)
        add_bias(&result->value[v], &mp_estimate_values[v], result->windows);
}
