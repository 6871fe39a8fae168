/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Euler's equations for a compressible gas on an unstructured mesh of n elements (padded) with four neighbours each.
 * variables and fluxes hold density, momentum (x, y, z) and energy, each an array of n. neighbour j of element i is at
 * i + j n, and the normal of their face at i + (j + 4 k) n, k counting x, y, z. A neighbour may be WALL or FAR.
 */
#define NEIGHBOURS 4
#define WALL (-1)
#define FAR (-2)
#define GAMMA 1.4f
#define SMOOTHING 0.2f

struct state {
    float density, energy, pressure, speed, sound;
    float3 momentum;
};

/* What a state carries through a face with a normal along each axis: momentum in x, y, z, and energy. */
struct flow {
    float3 x, y, z, energy;
};

static struct state state_at(__global const float *variables, uint n, uint i)
{
    struct state s;
    s.density = variables[i];
    s.momentum = (float3)(variables[i + n], variables[i + 2 * n], variables[i + 3 * n]);
    s.energy = variables[i + 4 * n];
    const float3 velocity = s.momentum / s.density;
    const float square = dot(velocity, velocity);
    s.speed = sqrt(square);
    s.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * square);
    s.sound = sqrt(GAMMA * s.pressure / s.density);
    return s;
}

static struct flow flow_of(const struct state *s)
{
    const float3 velocity = s->momentum / s->density;
    struct flow f;
    f.x = velocity.x * s->momentum + (float3)(s->pressure, 0.0f, 0.0f);
    f.y = velocity.y * s->momentum + (float3)(0.0f, s->pressure, 0.0f);
    f.z = velocity.z * s->momentum + (float3)(0.0f, 0.0f, s->pressure);
    f.energy = velocity * (s->energy + s->pressure);
    return f;
}

__kernel __attribute__((reqd_work_group_size(192, 1, 1))) void cfd_copy(__global const float *from,
                                                                         __global float *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

__kernel __attribute__((reqd_work_group_size(192, 1, 1))) void cfd_step_factor(__global const float *variables,
                                                                                __global const float *area,
                                                                                __global float *factor, uint n)
{
    const uint i = get_global_id(0);
    const struct state s = state_at(variables, n, i);
    factor[i] = 0.5f / (sqrt(area[i]) * (s.speed + s.sound));
}

/* far: momentum, then the flow of the state at infinity. */
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void cfd_flux(__global const int *neighbours,
                                                                         __global const float *normals,
                                                                         __global const float *variables,
                                                                         __constant const float *far,
                                                                         __global float *fluxes, uint n)
{
    const uint i = get_global_id(0);
    const struct state here = state_at(variables, n, i);
    const struct flow flow = flow_of(&here);
    float density = 0.0f, energy = 0.0f;
    float3 momentum = (float3)(0.0f, 0.0f, 0.0f);

    #pragma unroll
    for (uint j = 0; j < NEIGHBOURS; j++) {
        const int other = neighbours[i + j * n];
        const float3 normal = (float3)(normals[i + j * n], normals[i + (j + NEIGHBOURS) * n],
                                       normals[i + (j + 2 * NEIGHBOURS) * n]);
        if (other >= 0) {
            const struct state there = state_at(variables, n, other);
            const struct flow theirs = flow_of(&there);
            const float damping =
                -0.5f * SMOOTHING * length(normal) * (here.speed + there.speed + here.sound + there.sound);
            density += damping * (here.density - there.density) + 0.5f * dot(normal, here.momentum + there.momentum);
            energy += damping * (here.energy - there.energy) + 0.5f * dot(normal, flow.energy + theirs.energy);
            momentum += damping * (here.momentum - there.momentum) +
                        0.5f * (float3)(dot(normal, flow.x + theirs.x), dot(normal, flow.y + theirs.y),
                                        dot(normal, flow.z + theirs.z));
        } else if (other == WALL) {
            momentum += normal * here.pressure;
        } else if (other == FAR) {
            density += 0.5f * dot(normal, here.momentum + vload3(0, far));
            energy += 0.5f * dot(normal, flow.energy + vload3(4, far));
            momentum += 0.5f * (float3)(dot(normal, flow.x + vload3(1, far)), dot(normal, flow.y + vload3(2, far)),
                                        dot(normal, flow.z + vload3(3, far)));
        }
    }
    fluxes[i] = density;
    fluxes[i + n] = momentum.x;
    fluxes[i + 2 * n] = momentum.y;
    fluxes[i + 3 * n] = momentum.z;
    fluxes[i + 4 * n] = energy;
}

/* Step 0, 1 or 2 of Runge-Kutta's three. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void cfd_time_step(__global const float *before,
                                                                              __global float *variables,
                                                                              __global const float *factor,
                                                                              __global const float *fluxes, uint n,
                                                                              uint step)
{
    const uint i = get_global_id(0);
    const float part = factor[i] / (3 - step);
    #pragma unroll
    for (uint k = 0; k < 5; k++)
        variables[i + k * n] = before[i + k * n] + part * fluxes[i + k * n];
}
