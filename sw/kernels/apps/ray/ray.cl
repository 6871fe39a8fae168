/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ray tracing of four spheres in front of a sky, one work-item per pixel. A ray is followed over at most five bounces.
 * At the nearest sphere that it meets, the sun adds light unless another sphere hides it, and the mirrored ray adds
 * the rest. A sphere consists of its centre, squared radius, colour and the share of light that it mirrors.
 */
#define SPHERES 4
#define BOUNCES 5
#define NEAR 0.001f

/* The distance at which the ray from `from` in direction `along` (length 1) meets the sphere, or -1. */
static float meet(float3 from, float3 along, float8 sphere)
{
    const float3 to = sphere.s012 - from;
    const float middle = dot(to, along);
    const float inside = middle * middle - dot(to, to) + sphere.s3;
    if (inside < 0.0f)
        return -1.0f;
    const float first = middle - sqrt(inside);
    return first > NEAR ? first : -1.0f;
}

static uint channel(float x)
{
    return (uint)(255.0f * clamp(x, 0.0f, 1.0f));
}

__kernel __attribute__((reqd_work_group_size(16, 8, 1))) void trace(__global uint *image,
                                                                    __constant const float8 *spheres, uint width,
                                                                    uint height)
{
    const float3 sun = (float3)(0.48f, 0.6f, -0.64f);
    const uint x = get_global_id(0), y = get_global_id(1);
    float3 from = (float3)(0.0f, 0.0f, -4.0f), light = (float3)(0.0f, 0.0f, 0.0f);
    float3 along = (float3)((2.0f * x - width) / width, (2.0f * y - height) / height, 2.0f);
    float share = 1.0f;

    along = along / sqrt(dot(along, along));
    for (uint bounce = 0; bounce < BOUNCES; bounce++) {
        float nearest = -1.0f;
        uint hit = 0;
        for (uint i = 0; i < SPHERES; i++) {
            const float distance = meet(from, along, spheres[i]);
            if (distance > 0.0f && (nearest < 0.0f || distance < nearest)) {
                nearest = distance;
                hit = i;
            }
        }
        if (nearest < 0.0f) {
            light += share * (0.5f + 0.5f * along.y) * (float3)(0.25f, 0.5f, 1.0f);
            break;
        }
        const float8 sphere = spheres[hit];
        from = from + nearest * along;
        const float3 outward = (from - sphere.s012) / sqrt(sphere.s3);
        float bright = dot(outward, sun);
        for (uint i = 0; i < SPHERES && bright > 0.0f; i++)
            if (meet(from, sun, spheres[i]) > 0.0f)
                bright = 0.0f;
        light += share * (1.0f - sphere.s7) * (0.125f + max(bright, 0.0f)) * sphere.s456;
        share *= sphere.s7;
        along = along - 2.0f * dot(along, outward) * outward;
    }
    image[y * width + x] = channel(light.x) | channel(light.y) << 8 | channel(light.z) << 16;
}
