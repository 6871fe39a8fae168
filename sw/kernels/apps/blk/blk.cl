/* SPDX-License-Identifier: Apache-2.0 */
/* Black and Scholes' prices of European options. Each work-item takes every n-th option, where n is the number of
 * work-items. The normal distribution is formula 26.2.17 of Abramowitz and Stegun. */
static float normal(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    const float tail =
        0.39894228f * exp(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void black_scholes(
    __global float *call, __global float *put, __global const float *price, __global const float *strike,
    __global const float *years, float riskless, float volatility, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const float s = price[i], x = strike[i], t = years[i];
        const float spread = volatility * sqrt(t);
        const float d1 = (log(s / x) + (riskless + 0.5f * volatility * volatility) * t) / spread;
        const float n1 = normal(d1), n2 = normal(d1 - spread);
        const float discounted = x * exp(-riskless * t);

        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
