/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SERVE: steps of a language model's server whose cache of keys and values grows and shrinks. Each request
 * has addresses for as many tokens as it may reach; memory is mapped to them 64 KB at a time, when tokens
 * come, and unmapped when the request leaves and another takes its place. Tolerance: exp() and the order of
 * sums; ten times the largest difference that was measured at the paper size.
 *
 * With a file of requests, these come at their times. A step begins PERIOD after the one before at the
 * earliest, as tokens are sent to people who read them, and later if there is no request; the trace has these
 * times, so that a GPU is idle between them.
 */
#include <errno.h>
#include <string.h>

#include "../../device.h"
#include "../../not_before.h"
#include "../attention.h"
#include "../buffer.h"
#include "../check.h"
#include "arrivals.h"

enum { HEAD = ATTENTION_HEAD, PIECE = 65536, GROUP = 64, PERIOD = 100000 /* ns */ };

static const double tolerance = 1.7e-6;

static const struct size {
    uint32_t requests, heads, most, steps; /* most: tokens of a request; its bytes are a multiple of PIECE */
} sizes[APP_SCALES] = {{4, 4, 64, 8}, {16, 8, 256, 16}, {32, 8, 512, 32}};

struct server {
    struct device *d;
    struct size z;
    size_t row;             /* numbers of a token */
    float *keys, *values;   /* addresses for all tokens */
    float *key, *value;     /* of the new token of each request */
    float *query, *out;     /* of each request */
    uint32_t *length;       /* of each request, tokens; on the device */
    uint32_t *wanted, *has; /* has: tokens with memory */
    uint64_t seed, draws;
};

static uint32_t draw(struct server *s, uint32_t below)
{
    return (uint32_t)(fill_random(s->seed, s->draws++) >> 33) % below;
}

static void fill(struct server *s, float *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = fill_unit(s->seed + 1, s->draws++);
    device_wrote(s->d, numbers, n * sizeof *numbers);
}

static size_t first_of(const struct server *s, uint32_t r)
{
    return (size_t)r * s->z.most * s->row;
}

/* Maps memory for the request's first n tokens. */
static void grow(struct server *s, uint32_t r, uint32_t n)
{
    const uint32_t piece = (uint32_t)(PIECE / (s->row * sizeof *s->keys));
    for (; s->has[r] < n; s->has[r] += piece) {
        const size_t at = first_of(s, r) + s->has[r] * s->row;
        device_map(s->d, s->keys + at, PIECE);
        device_map(s->d, s->values + at, PIECE);
    }
    s->length[r] = n;
}

static void leave(struct server *s, uint32_t r)
{
    const size_t bytes = s->has[r] * s->row * sizeof *s->keys;
    if (!bytes)
        return;
    device_unmap(s->d, s->keys + first_of(s, r), bytes);
    device_unmap(s->d, s->values + first_of(s, r), bytes);
    s->has[r] = s->length[r] = 0;
}

/* A request comes with a prompt, and stays for some steps. */
static void admit(struct server *s, uint32_t r, uint32_t prompt, uint32_t wanted)
{
    s->wanted[r] = wanted;
    grow(s, r, prompt);
    fill(s, s->keys + first_of(s, r), prompt * s->row);
    fill(s, s->values + first_of(s, r), prompt * s->row);
}

static void arrive(struct server *s, uint32_t r)
{
    const uint32_t prompt = 1 + draw(s, s->z.most - s->z.steps);
    admit(s, r, prompt, prompt + 1 + draw(s, s->z.steps));
}

static int check_head(const struct server *s, uint32_t r, uint32_t head, size_t *place, double *score)
{
    const size_t g = (size_t)r * s->z.heads + head;
    double out[HEAD];
    for (uint32_t t = 0; t < s->length[r]; t++)
        place[t] = first_of(s, r) + t * s->row + (size_t)head * HEAD;
    attention(s->query + g * HEAD, s->keys, s->values, place, s->length[r], score, out);
    for (uint32_t k = 0; k < HEAD; k++)
        if (check_float("SERVE: out", g * HEAD + k, out[k], s->out[g * HEAD + k], tolerance))
            return -1;
    return 0;
}

static int check(const struct server *s)
{
    double *score = host_alloc(s->z.most, sizeof *score);
    size_t *place = host_alloc(s->z.most, sizeof *place);
    int result = 0;
    for (uint32_t g = 0; g < s->z.requests * s->z.heads && !result; g++)
        result = !s->length[g / s->z.heads] ? 0 : check_head(s, g / s->z.heads, g % s->z.heads, place, score);
    free(place);
    free(score);
    return result;
}

/* A token for each of the `count` requests from the first one on. */
static void launch(struct server *s, uint32_t first, uint32_t count)
{
    const size_t n = count * s->row, row = first * s->row;
    const struct device_local score = {s->z.most * sizeof(float)};
    const uint32_t *length = s->length + first;
    const float *key = s->key + row, *value = s->value + row, *query = s->query + row;
    float *keys = s->keys + first_of(s, first), *values = s->values + first_of(s, first), *out = s->out + row;
    DEVICE_RUN(s->d, "append", 1, DEVICE_SIZE(n), DEVICE_SIZE(GROUP), &key, &value, &length, &s->z.most,
               &s->z.heads, &keys, &values);
    DEVICE_RUN(s->d, "attend", 1, DEVICE_SIZE(n), DEVICE_SIZE(GROUP), &query, &keys, &values, &length,
               &s->z.most, &s->z.heads, &score, &out);
}

/* The requests that are there get a token each; neighbours share launches. */
static int generate(struct server *s)
{
    const size_t n = s->z.requests * s->row;
    device_wrote(s->d, s->length, s->z.requests * sizeof *s->length);
    fill(s, s->key, n);
    fill(s, s->value, n);
    fill(s, s->query, n);
    for (uint32_t first = 0, r = 0; r <= s->z.requests; r++) {
        if (r < s->z.requests && s->length[r])
            continue;
        if (r > first)
            launch(s, first, r - first);
        first = r + 1;
    }
    device_read(s->d, s->out, n * sizeof *s->out);
    return check(s);
}

/* Requests that have their tokens leave, and others take their places. */
static int step(struct server *s)
{
    for (uint32_t r = 0; r < s->z.requests; r++) {
        if (s->length[r] == s->wanted[r]) {
            leave(s, r);
            arrive(s, r);
        }
        grow(s, r, s->length[r] + 1);
    }
    return generate(s);
}

/* ---- requests from a file ---- */

/* Requests that have come by now take free places, in their order. */
static void admit_until(struct server *s, const struct arrivals *a, uint32_t *next, uint64_t now)
{
    for (uint32_t r = 0; r < s->z.requests && *next < a->count && a->list[*next].ns <= now; r++)
        if (!s->length[r]) {
            const struct arrival *come = &a->list[(*next)++];
            admit(s, r, come->prompt, come->prompt + come->tokens);
        }
}

/* A step of the requests that are there. Returns how many have not got all of their tokens, or -1. */
static int step_of_some(struct server *s)
{
    int stay = 0;
    for (uint32_t r = 0; r < s->z.requests; r++)
        if (s->length[r])
            grow(s, r, s->length[r] + 1);
    if (generate(s))
        return -1;
    for (uint32_t r = 0; r < s->z.requests; r++) {
        if (s->length[r] == s->wanted[r])
            leave(s, r);
        stay += s->length[r] > 0;
    }
    return stay;
}

static int serve(struct server *s, const struct arrivals *a)
{
    uint64_t now = 0;
    int there = 0;
    for (uint32_t next = 0; there > 0 || (!there && next < a->count); now += PERIOD) {
        if (!there && a->list[next].ns > now)
            now = a->list[next].ns; /* idle until then */
        device_not_before(s->d, now);
        admit_until(s, a, &next, now);
        there = step_of_some(s);
    }
    return there;
}

static int read_arrivals(struct arrivals *a, const char *path, uint32_t most)
{
    struct mp_error err;
    FILE *f = fopen(path, "r");
    int result =
        f ? arrivals_read(a, f, path, most, &err)
          : mp_fail(&err, "%s: cannot be opened: %s; a readable file is needed", path, strerror(errno));
    if (f)
        fclose(f);
    if (result)
        fprintf(stderr, "mempath: record: %s\n", err.text);
    return result;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    struct arrivals from = {0};
    if (file && read_arrivals(&from, file, sizes[scale].most))
        return APP_BAD_INPUT;
    struct server s = {.d = d, .z = sizes[scale], .row = (size_t)sizes[scale].heads * HEAD, .seed = seed};
    const size_t cache = s.z.requests * s.z.most * s.row * sizeof(float),
                 row = s.z.requests * s.row * sizeof(float);
    s.keys = device_reserve(d, cache);
    s.values = device_reserve(d, cache);
    float **const rows[] = {&s.key, &s.value, &s.query, &s.out};
    for (unsigned i = 0; i < 4; i++)
        *rows[i] = device_alloc(d, row);
    s.length = device_alloc(d, s.z.requests * sizeof *s.length);
    s.wanted = host_alloc(s.z.requests, sizeof *s.wanted);
    s.has = host_alloc(s.z.requests, sizeof *s.has);
    int result = file ? serve(&s, &from) : 0;
    for (uint32_t i = 0; !file && i < s.z.steps && !result; i++)
        result = step(&s);
    for (uint32_t r = 0; r < s.z.requests; r++)
        leave(&s, r);
    free(s.has);
    free(s.wanted);
    device_free(d, s.length);
    for (unsigned i = 4; i-- > 0;)
        device_free(d, *rows[i]);
    device_free(d, s.values);
    device_free(d, s.keys);
    arrivals_free(&from);
    return result;
}

const struct app app_serve = {
    .name = "SERVE",
    .title = "Generation with a cache that grows and shrinks",
    .suite = "today",
    .size = {"4 requests of up to 64 tokens, 4 heads, 8 steps",
             "16 requests of up to 256 tokens, 8 heads, 16 steps (16 MB)",
             "32 requests of up to 512 tokens, 8 heads, 32 steps (64 MB)"},
    .run = run,
    .takes_input = true,
};
