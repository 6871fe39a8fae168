/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward FFT of 512 complex points per work-group, in place: 64 work-items of 8 points, three radix-8 steps with
 * two exchanges through local memory between them.
 *
 * With n = 64 j + 8 i + h and k = a + 8 b + 64 c:
 *   X[k] = sum_h W64^(h b) W8^(h c)  sum_i W8^(i b)  W512^((8 i + h) a)  sum_j x[n] W8^(j a)
 */
#define POINTS 8
#define ITEMS 64
#define ROW 65 /* words of a row in local memory: one more than ITEMS avoids bank conflicts */

static float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* exp(-i angle) for an angle in [0, pi/4), by a Taylor series whose error there is below one unit in the last place. */
static float2 turn(float angle)
{
    const float s = angle * angle;
    const float sine =
        angle * (1.0f - s * (1.0f / 6 - s * (1.0f / 120 - s * (1.0f / 5040 - s * (1.0f / 362880)))));
    const float cosine =
        1.0f - s * (1.0f / 2 - s * (1.0f / 24 - s * (1.0f / 720 - s * (1.0f / 40320 - s * (1.0f / 3628800)))));
    return (float2)(cosine, -sine);
}

static void fft2(float2 *a, float2 *b)
{
    const float2 sum = *a + *b;
    *b = *a - *b;
    *a = sum;
}

/* a[k] = sum_j a[j] W8^(j k), input and output in natural order. */
static void fft8(float2 *a)
{
    const float h = 0.70710678f;
    #pragma unroll
    for (uint j = 0; j < 4; j++)
        fft2(&a[j], &a[j + 4]);
    a[5] = (float2)(h * (a[5].x + a[5].y), h * (a[5].y - a[5].x));
    a[6] = (float2)(a[6].y, -a[6].x);
    a[7] = (float2)(h * (a[7].y - a[7].x), -h * (a[7].x + a[7].y));
    #pragma unroll
    for (uint first = 0; first < 8; first += 4) {
        fft2(&a[first], &a[first + 2]);
        fft2(&a[first + 1], &a[first + 3]);
        a[first + 3] = (float2)(a[first + 3].y, -a[first + 3].x);
        fft2(&a[first], &a[first + 1]);
        fft2(&a[first + 2], &a[first + 3]);
    }
    const float2 one = a[1], three = a[3], four = a[4], six = a[6];
    a[1] = four;
    a[3] = six;
    a[4] = one;
    a[6] = three;
}

/* a[k] *= w^k */
static void twiddle(float2 *a, float2 w)
{
    float2 power = w;
    #pragma unroll
    for (uint k = 1; k < POINTS; k++) {
        a[k] = times(a[k], power);
        power = times(power, w);
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fft1d_512(__global float2 *data)
{
    __local float2 exchange[POINTS * ROW];
    const float step = 6.28318531f;
    const uint item = get_local_id(0);
    const uint high = item >> 3, low = item & 7;
    float2 a[POINTS];

    data += get_group_id(0) * (POINTS * ITEMS) + item;
    #pragma unroll
    for (uint j = 0; j < POINTS; j++)
        a[j] = data[j * ITEMS];

    fft8(a);
    twiddle(a, turn(step / 512 * item));
    #pragma unroll
    for (uint k = 0; k < POINTS; k++)
        exchange[k * ROW + item] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint i = 0; i < POINTS; i++)
        a[i] = exchange[high * ROW + i * 8 + low];
    barrier(CLK_LOCAL_MEM_FENCE);

    fft8(a); /* this work-item has first digit `high` and point `low` */
    twiddle(a, turn(step / 64 * low));
    #pragma unroll
    for (uint k = 0; k < POINTS; k++)
        exchange[low * ROW + k * 8 + high] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint h = 0; h < POINTS; h++)
        a[h] = exchange[h * ROW + item];

    fft8(a);
    #pragma unroll
    for (uint c = 0; c < POINTS; c++)
        data[c * ITEMS] = a[c];
}
