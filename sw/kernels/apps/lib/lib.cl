/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A portfolio of swaptions in the LIBOR market model, one path per work-item. `libor` makes 40 steps of 80 forward
 * rates and values the options; `libor_greeks` also computes the value's derivative by the last rate, as the adjoint
 * of the steps. `own` holds each work-item's private arrays, interleaved as a GPU interleaves private memory: word w
 * of path p is at w * paths + p.
 */
#define RATES 80
#define STEPS 40
#define OPTIONS 15
#define DELTA 0.25f

/* Words of a path: the rates, the random numbers, and all rates before each step (libor_greeks). */
#define RATE(i) own[(i) * paths + path]
#define NORMAL(n) own[(RATES + (n)) * paths + path]
#define BEFORE(n, i) own[(2 * RATES + (n) * RATES + (i)) * paths + path]

static void start(__global float *own, uint paths, uint path)
{
    for (uint i = 0; i < RATES; i++)
        RATE(i) = 0.05f;
    for (uint n = 0; n < STEPS; n++) /* in [-0.5, 0.5) */
        NORMAL(n) = ((path * STEPS + n) * 0x9e3779b1u >> 8) * 0x1p-24f - 0.5f;
}

/* One step: computes the rates after it, from rate n + 1 on. `kept`: they are also stored in BEFORE(n + 1). */
static void advance(__global float *own, uint paths, uint path, uint n, __constant const float *lambda, bool kept)
{
    const float shock = sqrt(DELTA) * NORMAL(n);
    float drift = 0.0f;
    for (uint i = n + 1; i < RATES; i++) {
        const float volatility = lambda[i - n - 1], step = DELTA * volatility, rate = RATE(i);
        drift += step * rate / (1.0f + DELTA * rate);
        const float next = rate * exp(step * drift + volatility * (shock - 0.5f * step));
        RATE(i) = next;
        if (kept)
            BEFORE(n + 1, i) = next;
    }
}

struct value {
    float portfolio, bond, swap, discount; /* not discounted; of the last date: bond and sum of bonds */
    uint exercised;                        /* a bit per option */
};

/* Options are sorted by maturity, which is given in dates after the last step. */
static struct value portfolio(__global float *own, uint paths, uint path, __constant const uint *maturity,
                              __constant const float *strike)
{
    struct value v = {0.0f, 1.0f, 0.0f, 1.0f, 0};
    uint option = 0;
    for (uint n = STEPS; n < RATES; n++) {
        v.bond = v.bond / (1.0f + DELTA * RATE(n));
        v.swap += DELTA * v.bond;
        for (; option < OPTIONS && maturity[option] == n - STEPS + 1; option++) {
            const float worth = v.bond + strike[option] * v.swap - 1.0f;
            if (worth < 0.0f) {
                v.portfolio += -100.0f * worth;
                v.exercised |= 1u << option;
            }
        }
    }
    for (uint n = 0; n < STEPS; n++)
        v.discount = v.discount / (1.0f + DELTA * RATE(n));
    return v;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void libor(__global float *value, __global float *own,
                                                                     __constant const float *lambda,
                                                                     __constant const uint *maturity,
                                                                     __constant const float *strike)
{
    const uint path = get_global_id(0), paths = get_global_size(0);
    start(own, paths, path);
    for (uint n = 0; n < STEPS; n++)
        advance(own, paths, path, n, lambda, false);
    const struct value v = portfolio(own, paths, path, maturity, strike);
    value[path] = v.discount * v.portfolio;
}

/* Replaces the rates by the derivatives of the discounted value by the rates after the last step. */
static void portfolio_adjoint(__global float *own, uint paths, uint path, struct value v,
                              __constant const uint *maturity, __constant const float *strike)
{
    float by_bond = 0.0f, by_swap = 0.0f, bond = v.bond;
    int option = OPTIONS - 1;
    for (uint n = RATES; n-- > STEPS;) {
        for (; option >= 0 && maturity[option] == n - STEPS + 1; option--)
            if (v.exercised >> option & 1) {
                by_bond -= 100.0f;
                by_swap -= 100.0f * strike[option];
            }
        const float growth = 1.0f + DELTA * RATE(n);
        const float by_this = by_bond + DELTA * by_swap;
        RATE(n) = -v.discount * by_this * bond * DELTA / growth;
        by_bond = by_this / growth;
        bond *= growth;
    }
    for (uint n = 0; n < STEPS; n++)
        RATE(n) = -v.discount * v.portfolio * DELTA / (1.0f + DELTA * RATE(n));
}

/* Turns derivatives by the rates after step n into those by the rates before it. */
static void advance_adjoint(__global float *own, uint paths, uint path, uint n, __constant const float *lambda)
{
    float by_drift = 0.0f;
    for (uint i = RATES; i-- > n + 1;) {
        const float volatility = lambda[i - n - 1], by_rate = RATE(i);
        const float after = BEFORE(n + 1, i), before = BEFORE(n, i);
        const float factor = DELTA / (1.0f + DELTA * before);
        by_drift += volatility * after * by_rate;
        RATE(i) = by_rate * after / before + by_drift * volatility * factor * factor;
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void libor_greeks(
    __global float *value, __global float *by_last_rate, __global float *own, __constant const float *lambda,
    __constant const uint *maturity, __constant const float *strike)
{
    const uint path = get_global_id(0), paths = get_global_size(0);
    start(own, paths, path);
    for (uint i = 0; i < RATES; i++)
        BEFORE(0, i) = RATE(i);
    for (uint n = 0; n < STEPS; n++)
        advance(own, paths, path, n, lambda, true);
    const struct value v = portfolio(own, paths, path, maturity, strike);
    portfolio_adjoint(own, paths, path, v, maturity, strike);
    for (uint n = STEPS; n-- > 0;)
        advance_adjoint(own, paths, path, n, lambda);
    value[path] = v.discount * v.portfolio;
    by_last_rate[path] = RATE(RATES - 1);
}
