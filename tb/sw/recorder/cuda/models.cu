// SPDX-License-Identifier: Apache-2.0
// Parts of language models: normalisation, softmax, a gather of rows, and attention over pages of keys and values.
#include <cuda_runtime.h>
#include <math.h>

#include "expect.h"

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
    static constexpr float neutral = 0;
};
struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
    static constexpr float neutral = -3e38f;
};

template <typename F> __device__ float block_reduce(float v, F f)
{
    __shared__ float part[32];
    for (int n = 16; n; n /= 2)
        v = f(v, __shfl_xor_sync(~0u, v, n));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : F::neutral;
    for (int n = 16; n; n /= 2)
        v = f(v, __shfl_xor_sync(~0u, v, n));
    __syncthreads();
    return v;
}

__global__ void __launch_bounds__(128) layernorm(const float4 *x, float4 *y, int columns4, float epsilon)
{
    const float4 v = x[blockIdx.x * columns4 + threadIdx.x];
    const float n = 4.0f * columns4, mean = block_reduce(v.x + v.y + v.z + v.w, Sum()) / n;
    const float4 d = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    const float variance = block_reduce(d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w, Sum()) / n;
    const float scale = rsqrtf(variance + epsilon);
    y[blockIdx.x * columns4 + threadIdx.x] = make_float4(d.x * scale, d.y * scale, d.z * scale, d.w * scale);
}

__global__ void softmax(const float *x, float *y, int columns)
{
    const float *row = x + (size_t)blockIdx.x * columns;
    float most = Max::neutral, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = block_reduce(most, Max());
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += __expf(row[i] - most);
    sum = block_reduce(sum, Sum());
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[(size_t)blockIdx.x * columns + i] = __expf(row[i] - most) / sum;
}

__global__ void check_rows(const float *y, int columns, float sum, float squares)
{
    float a = 0, b = 0;
    for (int i = 0; i < columns; i++) {
        a += y[threadIdx.x * columns + i];
        b += y[threadIdx.x * columns + i] * y[threadIdx.x * columns + i];
    }
    EXPECT(fabsf(a - sum) < 1e-3f && (squares < 0 || fabsf(b / squares - 1) < 1e-3f));
}

__global__ void gather(const float2 *table, const long long *token, float2 *out, int width)
{
    out[(size_t)blockIdx.x * width + threadIdx.x] = table[token[blockIdx.x] * width + threadIdx.x];
    EXPECT(out[(size_t)blockIdx.x * width + threadIdx.x].y == table[token[blockIdx.x] * width + threadIdx.x].y);
}

struct Pages {
    int length, page; // tokens of the sequence, and of a page
};

struct Cache {
    const float *keys, *values;
    const int *table;
    Pages pages;
};

// A warp decodes a token of one head: its lanes are the head's dimensions.
__global__ void attention(const float *q, const float *keys, const float *values, const int *table, float *out, Pages p)
{
    const int lane = threadIdx.x, head = blockIdx.x, heads = gridDim.x;
    const float mine = q[head * 32 + lane];
    float most = -3e38f, sum = 0, result = 0;
    for (int t = 0; t < p.length; t++) {
        const size_t at = ((size_t)(table[t / p.page] * p.page + t % p.page) * heads + head) * 32 + lane;
        float score = mine * keys[at];
        for (int n = 16; n; n /= 2)
            score += __shfl_xor_sync(~0u, score, n);
        const float larger = fmaxf(most, score), old = __expf(most - larger), now = __expf(score - larger);
        sum = sum * old + now;
        result = result * old + now * values[at];
        most = larger;
    }
    out[head * 32 + lane] = result / sum;
}

__global__ void check_attention(const float *q, const float *keys, const float *values, const int *table,
                                const float *out, Pages p)
{
    const int lane = threadIdx.x, head = blockIdx.x, heads = gridDim.x;
    double sum = 0, result = 0;
    for (int t = 0; t < p.length; t++) {
        const size_t at = ((size_t)(table[t / p.page] * p.page + t % p.page) * heads + head) * 32;
        double score = 0;
        for (int k = 0; k < 32; k++)
            score += (double)q[head * 32 + k] * keys[at + k];
        sum += exp(score);
        result += exp(score) * values[at + lane];
    }
    EXPECT(fabs(result / sum - out[head * 32 + lane]) < 1e-4);
}

// The first key's dimensions, by way of pointers in a structure.
__global__ void first(Cache c, float *out)
{
    out[threadIdx.x] = c.keys[c.table[0] * c.pages.page * 32 * 4 + threadIdx.x];
    EXPECT(c.pages.length == 100 && c.values[threadIdx.x] >= 0);
}

__global__ void bodies(const float4 *position, float3 *force, int n)
{
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = position[i];
    float3 f = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += 64) {
        tile[threadIdx.x] = position[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            const float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            const float d = rsqrtf(x * x + y * y + z * z + 0.01f), s = tile[k].w * d * d * d;
            f.x += x * s, f.y += y * s, f.z += z * s;
        }
        __syncthreads();
    }
    force[i] = f;
    EXPECT(isfinite(f.x + f.y + f.z));
}
