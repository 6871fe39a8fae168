/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CFD: one iteration of three Runge-Kutta steps, checked against the same equations in double, with fluxes
 * along the normal of each face. The mesh is a box, whose elements have numbers that are shuffled within
 * blocks of 1024. Elements behind the last are copies of it.
 *
 * Tolerance: variables are up to 6, where a float's last place is 5e-7, and an iteration rounds some fifty
 * times. The tolerance of 1e-5 is fourteen times the largest difference that was measured.
 */
#include "../buffer.h"
#include "../check.h"

enum {
    NEIGHBOURS = 4,
    AXES = 3,
    VARIABLES = 5,
    STEPS = 3,
    WALL = -1,
    FAR = -2,
    SIDE = 64,    /* of the box in x and y */
    BLOCK = 1024, /* of shuffled numbers */
    GROUP_FACTOR = 192,
    GROUP_FLUX = 128,
    GROUP_STEP = 256,
    GROUPS =
        768 /* a multiple of all three; n is padded to the factor's and the flux's and the step's groups */
};

static const uint32_t elements_of[APP_SCALES] = {1500, 29184, [APP_FGPU] = 232536};
static const double gas = 1.4, smoothing = 0.2, tolerance = 1e-5;

struct mesh {
    uint32_t elements, n; /* without and with padding */
    int32_t *neighbours;
    float *normals, *area;
};

struct state {
    double density, momentum[AXES], energy, pressure, speed, sound;
};

/* A permutation of [0, elements) that keeps each number in its block. */
static uint32_t *shuffled(uint32_t elements, uint64_t seed)
{
    uint32_t *number = host_alloc(elements, sizeof *number);
    for (uint32_t i = 0; i < elements; i++) {
        const uint32_t first = i / BLOCK * BLOCK;
        const uint32_t other = first + (uint32_t)((fill_random(seed, i) >> 32) * (i - first + 1) >> 32);
        number[i] = number[other];
        number[other] = i;
    }
    return number;
}

/* The places of an element's neighbours in the box, or WALL at the ends of x and y, or FAR at those of z. The
 * neighbours in y and in z are above for even elements and below for odd ones, so neighbours are mutual. */
static void neighbours_in_box(int32_t at[NEIGHBOURS], uint32_t place, uint32_t elements)
{
    const int32_t x = place % SIDE, y = place / SIDE % SIDE, z = (int32_t)(place / SIDE / SIDE);
    const int32_t up = (x + y + z) % 2 ? -1 : 1, here = (int32_t)place;
    at[0] = x > 0 ? here - 1 : WALL;
    at[1] = x < SIDE - 1 ? here + 1 : WALL;
    at[2] = y + up >= 0 && y + up < SIDE ? here + up * SIDE : WALL;
    at[3] = z + up >= 0 ? here + up * SIDE * SIDE : FAR;
    for (unsigned j = 0; j < NEIGHBOURS; j++)
        if (at[j] >= (int32_t)elements)
            at[j] = FAR;
}

static void build_mesh(struct mesh *m, uint64_t seed)
{
    uint32_t *number = shuffled(m->elements, seed);
    for (uint32_t place = 0; place < m->elements; place++) {
        const uint32_t i = number[place];
        const int up = (place % SIDE + place / SIDE % SIDE + place / SIDE / SIDE) % 2 ? -1 : 1;
        const int outward[NEIGHBOURS] = {-1, 1, up, up}, axis[NEIGHBOURS] = {0, 0, 1, 2};
        int32_t at[NEIGHBOURS];
        neighbours_in_box(at, place, m->elements);
        for (uint32_t j = 0; j < NEIGHBOURS; j++) {
            m->neighbours[i + j * m->n] = at[j] >= 0 ? (int32_t)number[at[j]] : at[j];
            for (uint32_t k = 0; k < AXES; k++) /* faces lean a little */
                m->normals[i + (j + k * NEIGHBOURS) * m->n] =
                    ((int)k == axis[j] ? (float)outward[j] : 0) +
                    0.1f * fill_unit(seed + 1, ((uint64_t)i * NEIGHBOURS + j) * AXES + k);
        }
        m->area[i] = 1.0f + 0.5f * fill_unit(seed + 2, i);
    }
    free(number);
}

static void pad(float *array, uint32_t arrays, const struct mesh *m)
{
    for (uint32_t a = 0; a < arrays; a++)
        for (uint32_t i = m->elements; i < m->n; i++)
            memcpy(&array[a * m->n + i], &array[a * m->n + m->elements - 1], sizeof *array);
}

/* The state at infinity: Mach 1.2 along x, density 1.4, pressure 1. */
static const double infinity[VARIABLES] = {1.4, 1.4 * 1.2, 0, 0, 1.4 * 0.5 * 1.2 * 1.2 + 1 / 0.4};

static struct state state_of(const double *variables, uint32_t n, uint32_t i)
{
    struct state s = {.density = variables[i], .energy = variables[i + 4 * (size_t)n]};
    double square = 0;
    for (unsigned k = 0; k < AXES; k++) {
        s.momentum[k] = variables[i + (k + 1) * (size_t)n];
        square += s.momentum[k] * s.momentum[k];
    }
    s.speed = sqrt(square) / s.density;
    s.pressure = (gas - 1) * (s.energy - 0.5 * square / s.density);
    s.sound = sqrt(gas * s.pressure / s.density);
    return s;
}

/* Adds `weight` times what a state carries through a face. */
static void carry(double flux[VARIABLES], const struct state *s, const double normal[AXES], double weight)
{
    double through = 0; /* volume */
    for (unsigned k = 0; k < AXES; k++)
        through += s->momentum[k] / s->density * normal[k];
    flux[0] += weight * through * s->density;
    flux[4] += weight * through * (s->energy + s->pressure);
    for (unsigned k = 0; k < AXES; k++)
        flux[k + 1] += weight * (through * s->momentum[k] + s->pressure * normal[k]);
}

static void flux_of(double flux[VARIABLES], const struct mesh *m, const double *variables, uint32_t i)
{
    const struct state here = state_of(variables, m->n, i), far = state_of(infinity, 1, 0);
    memset(flux, 0, VARIABLES * sizeof *flux);
    for (uint32_t j = 0; j < NEIGHBOURS; j++) {
        const int32_t other = m->neighbours[i + j * m->n];
        double normal[AXES], square = 0;
        for (uint32_t k = 0; k < AXES; k++) {
            normal[k] = (double)m->normals[i + (j + k * NEIGHBOURS) * m->n];
            square += normal[k] * normal[k];
        }
        if (other == WALL) {
            for (unsigned k = 0; k < AXES; k++)
                flux[k + 1] += here.pressure * normal[k];
            continue;
        }
        const struct state there = other == FAR ? far : state_of(variables, m->n, (uint32_t)other);
        carry(flux, &here, normal, 0.5);
        carry(flux, &there, normal, 0.5);
        const double damping =
            -0.5 * smoothing * sqrt(square) * (here.speed + there.speed + here.sound + there.sound);
        for (uint32_t k = 0; k < VARIABLES && other != FAR; k++)
            flux[k] += damping * (variables[i + (size_t)k * m->n] - variables[other + (size_t)k * m->n]);
    }
}

static void reference(double *variables, const struct mesh *m)
{
    const size_t all = (size_t)VARIABLES * m->n;
    double *before = host_alloc(all, sizeof *before), *next = host_alloc(all, sizeof *next), flux[VARIABLES];
    memcpy(before, variables, all * sizeof *before);
    for (unsigned step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < m->n; i++) {
            const struct state s = state_of(before, m->n, i);
            const double factor = 0.5 / (sqrt((double)m->area[i]) * (s.speed + s.sound)) / (STEPS - step);
            flux_of(flux, m, variables, i);
            for (size_t k = 0; k < VARIABLES; k++)
                next[i + k * m->n] = before[i + k * m->n] + factor * flux[k];
        }
        memcpy(variables, next, all * sizeof *next);
    }
    free(next);
    free(before);
}

static int check(double *before, const float *got, const struct mesh *m)
{
    reference(before, m);
    for (size_t i = 0; i < (size_t)VARIABLES * m->n; i++)
        if (check_float("CFD: variable", i, before[i], (double)got[i], tolerance))
            return -1;
    return 0;
}

static void iterate(struct device *d, const struct mesh *m, float *variables)
{
    const size_t bytes = (size_t)VARIABLES * m->n * sizeof(float);
    const struct state s = state_of(infinity, 1, 0);
    float *before = device_alloc(d, bytes), *fluxes = device_alloc(d, bytes);
    float *factor = device_alloc(d, m->n * sizeof *factor);
    float *far = device_alloc(d, (VARIABLES * AXES) * sizeof *far); /* momentum, then its flow by axes */
    for (unsigned a = 0; a < AXES; a++) {
        const double velocity = s.momentum[a] / s.density;
        far[a] = (float)s.momentum[a];
        for (unsigned k = 0; k < AXES; k++)
            far[AXES * (a + 1) + k] = (float)(velocity * s.momentum[k] + (a == k ? s.pressure : 0));
        far[AXES * 4 + a] = (float)(velocity * (s.energy + s.pressure));
    }
    device_wrote(d, far, (VARIABLES * AXES) * sizeof *far);

    DEVICE_RUN(d, "cfd_copy", 1, DEVICE_SIZE((size_t)VARIABLES * m->n), DEVICE_SIZE(GROUP_FACTOR), &variables,
               &before);
    DEVICE_RUN(d, "cfd_step_factor", 1, DEVICE_SIZE(m->n), DEVICE_SIZE(GROUP_FACTOR), &variables, &m->area,
               &factor, &m->n);
    for (uint32_t step = 0; step < STEPS; step++) {
        DEVICE_RUN(d, "cfd_flux", 1, DEVICE_SIZE(m->n), DEVICE_SIZE(GROUP_FLUX), &m->neighbours, &m->normals,
                   &variables, &far, &fluxes, &m->n);
        DEVICE_RUN(d, "cfd_time_step", 1, DEVICE_SIZE(m->n), DEVICE_SIZE(GROUP_STEP), &before, &variables,
                   &factor, &fluxes, &m->n, &step);
    }
    device_read(d, variables, bytes);
    device_free(d, far);
    device_free(d, factor);
    device_free(d, fluxes);
    device_free(d, before);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t elements = elements_of[scale], n = (uint32_t)device_whole_groups(elements, GROUPS);
    const size_t face_bytes = (size_t)NEIGHBOURS * n * sizeof(int32_t), all = (size_t)VARIABLES * n;
    struct mesh m = {elements, n, device_alloc(d, face_bytes), device_alloc(d, AXES * face_bytes),
                     device_alloc(d, n * sizeof *m.area)};
    float *variables = device_alloc(d, all * sizeof *variables);
    double *before = host_alloc(all, sizeof *before);
    build_mesh(&m, seed);
    for (uint32_t i = 0; i < elements; i++)
        for (uint32_t k = 0; k < VARIABLES; k++)
            variables[i + k * n] =
                (float)infinity[k] + 0.05f * fill_unit(seed + 3, (uint64_t)i * VARIABLES + k);
    pad((float *)m.neighbours, NEIGHBOURS, &m);
    pad(m.normals, NEIGHBOURS * AXES, &m);
    pad(m.area, 1, &m);
    pad(variables, VARIABLES, &m);
    for (size_t i = 0; i < all; i++)
        before[i] = (double)variables[i];
    device_wrote(d, m.neighbours, face_bytes);
    device_wrote(d, m.normals, AXES * face_bytes);
    device_wrote(d, m.area, n * sizeof *m.area);
    device_wrote(d, variables, all * sizeof *variables);

    iterate(d, &m, variables);

    const int result = check(before, variables, &m);
    free(before);
    device_free(d, variables);
    device_free(d, m.area);
    device_free(d, m.normals);
    device_free(d, m.neighbours);
    return result;
}

const struct app app_cfd = {
    .name = "CFD",
    .title = "Flow of a gas over an unstructured mesh, one iteration",
    .suite = "Rodinia",
    .size = {"1500 elements", "29184 elements", [APP_FGPU] = "232536 elements"},
    .run = run,
};
