// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces: objects as programs create them, here given on the command line.
#include "expect.h"

__global__ void copy(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(tex2D<float>(from, x + 0.5f, y + 0.5f) + 1, to, x * (int)sizeof(float), y); // line 9
}

__global__ void check(cudaTextureObject_t image, cudaSurfaceObject_t copied, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    EXPECT(surf2Dread<float>(copied, x * 4, y) == (float)(x + width * y + 1)); // line 15
    EXPECT(tex2D<float>(image, -3, y + 0.5f) == (float)(width * y));
    float v;
    surf2Dread(&v, copied, 4 * x, y, cudaBoundaryModeClamp);
    EXPECT(v == x + width * y + 1);
}

__global__ void others(cudaTextureObject_t list, cudaTextureObject_t bytes, cudaTextureObject_t smooth,
                       cudaTextureObject_t layers, const float4 *numbers)
{
    const int i = threadIdx.x;
    const float4 v = tex1Dfetch<float4>(list, i); // line 26
    EXPECT(v.x == numbers[i].x && v.w == numbers[i].w);
    EXPECT(tex2D<uchar2>(bytes, i % 4, i / 4).y == 2 * i + 1);
    // The filter is half way between two texels, of which the second is the last.
    EXPECT(tex1D<float>(smooth, (i % 3 + 1) / 4.0f) == i % 3 + 0.5f); // line 30
    EXPECT(tex2DLayered<int>(layers, i % 4, 0, i / 4) == i);
}
