/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithm 2: a line is evicted once as many other lines of its set were loaded as the set has ways. */
#include "reverse/session.h"

#define SAMPLES     1000u
#define MOST_KERNEL 10u /* 2^10 lines of a set */
#define CONFIRM     2   /* places at which a line must be evicted as well */

struct kernel {
    uint32_t n;                       /* independent differences of equal sets, */
    uint64_t difference[MOST_KERNEL]; /* in reduced form by their highest bits */
};

static uint64_t highest(uint64_t bits)
{
    return bits ? UINT64_C(1) << (63 - __builtin_clzll(bits)) : 0;
}

/* What is left of a difference modulo the kernel; 0 if it is in its span. */
static uint64_t rest(const struct kernel *k, uint64_t difference)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (difference & highest(k->difference[i]))
            difference ^= k->difference[i];
    return difference;
}

static void add(struct kernel *k, uint64_t difference)
{
    difference = rest(k, difference);
    for (uint32_t i = 0; i < k->n; i++)
        if (k->difference[i] & highest(difference))
            k->difference[i] ^= difference;
    k->difference[k->n++] = difference;
}

static uint64_t reach_of(const struct kernel *k)
{
    uint64_t reach = 0;
    for (uint32_t i = 0; i < k->n; i++)
        reach |= k->difference[i];
    return reach;
}

/* Lines a ^ span of the kernel, without `a` itself, from list[at] on. */
static uint32_t list_span(struct session *s, const struct kernel *k, uint64_t a, uint32_t at)
{
    for (uint32_t i = 1; i < 1u << k->n; i++) {
        uint64_t difference = 0;
        for (uint32_t b = 0; b < k->n; b++)
            difference ^= i >> b & 1 ? k->difference[b] : 0;
        s->list[at++] = a ^ difference;
    }
    return at;
}

/* Loads list[0 .. n-1], then list[0] once more: whether that misses. */
static bool is_evicted(struct session *s, uint32_t n)
{
    s->list[n] = s->list[0];
    session_chase(s, n + 1);
    return s->cycles[n] >= s->found->hit_limit;
}

/* --- the line --- */

/* A second load of the same 4 B hits. */
static void measure_limit(struct session *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        s->list[0] = s->list[1] = session_address(s, 0, 0);
        session_chase(s, 2);
        sum += s->cycles[1];
    }
    s->found->hit_limit = (uint32_t)(sum * 3 / (2 * SAMPLES) + 1);
}

/* Whether a load brings what is `difference` away. */
static bool is_brought(struct session *s, uint64_t difference)
{
    int hits = 0;
    for (int i = 0; i < 5; i++) {
        uint64_t a = session_address(s, difference, 0);
        s->list[0] = a;
        s->list[1] = a ^ difference;
        session_translate(s, 2);
        session_chase(s, 2);
        hits += s->cycles[1] < s->found->hit_limit;
    }
    return hits >= 3;
}

static uint32_t find_line(struct session *s)
{
    uint32_t bit = SESSION_LOAD_SHIFT;
    while (bit < 12 && is_brought(s, UINT64_C(1) << bit))
        bit++;
    return 1u << bit;
}

/* --- a first set --- */

/* The lines after a, one after the other, which are not in the kernel; from list[at] on. */
static uint32_t list_lines(struct session *s, const struct kernel *k, uint64_t a, uint32_t at, uint32_t lines)
{
    for (uint64_t i = 1; i <= lines; i++)
        if (rest(k, i * s->found->line_bytes))
            s->list[at++] = a ^ i * s->found->line_bytes;
    return at;
}

static bool evicts(struct session *s, const struct kernel *k, uint64_t a, uint32_t lines)
{
    s->list[0] = a;
    return is_evicted(s, list_lines(s, k, a, list_span(s, k, a, 1), lines));
}

/* The fewest lines that evict a, given that `most` do: the last of them is in a's set. */
static uint32_t fewest(struct session *s, const struct kernel *k, uint64_t a, uint32_t most)
{
    uint32_t least = 0; /* do not */
    while (most - least > 1) {
        uint32_t middle = least + (most - least) / 2;
        if (evicts(s, k, a, middle))
            most = middle;
        else
            least = middle;
    }
    return most;
}

static bool kernel_evicts(struct session *s, const struct kernel *k)
{
    int evicted = 0;
    for (int i = 0; i < 5; i++) {
        s->list[0] = session_address(s, 0, reach_of(k));
        uint32_t n = list_span(s, k, s->list[0], 1);
        session_translate(s, n);
        evicted += is_evicted(s, n);
    }
    return evicted >= 3;
}

/* Enough differences of equal sets that the lines at them evict a line. Each comes from the shortest row of
 * lines that evicts it together with the lines at the differences found before. */
static int find_kernel(struct session *s, struct kernel *k)
{
    uint64_t bytes = s->found->line_bytes;
    while (bytes < 2 * s->gpu->l2_bytes)
        bytes *= 2;
    uint32_t most = (uint32_t)(bytes / s->found->line_bytes) - 1;
    uint64_t a = (s->gpu->base + bytes - 1) / bytes * bytes;
    k->n = 0;
    for (uint32_t tries = 0; k->n < MOST_KERNEL && tries < 4 * MOST_KERNEL; tries++) {
        if (!evicts(s, k, a, most))
            continue;
        uint32_t lines = fewest(s, k, a, most);
        if (!evicts(s, k, a, lines) || evicts(s, k, a, lines - 1))
            continue; /* a reading was disturbed */
        add(k, (uint64_t)lines * s->found->line_bytes);
        session_progress(s, "ways", k->n);
        if (kernel_evicts(s, k))
            return 0;
    }
    return -1;
}

/* As many lines of the set as just evict a line. */
static uint32_t find_ways(struct session *s, const struct kernel *k)
{
    uint32_t votes[1u << MOST_KERNEL] = {0}, best = 0;
    for (int i = 0; i < 5; i++) {
        uint64_t a = session_address(s, 0, reach_of(k));
        uint32_t ways = 1;
        for (; ways < (1u << k->n) - 1; ways++) {
            s->list[0] = a;
            list_span(s, k, a, 1);
            session_translate(s, 1 + ways);
            if (is_evicted(s, 1 + ways))
                break;
        }
        best = ++votes[ways] > votes[best] ? ways : best;
    }
    return best;
}

/* --- all sets --- */

/* The lines at half of the kernel are too few to evict a line. With as many more at the difference they
 * evict it, if that is of equal sets. */
static bool same_set(struct session *s, void *context, uint64_t difference)
{
    struct kernel all = *(const struct kernel *)context;
    if (!rest(&all, difference))
        return true;
    struct kernel half = all;
    half.n--;
    for (int i = 0; i <= CONFIRM; i++) {
        uint64_t a = session_address(s, difference, reach_of(&half));
        s->list[0] = a;
        uint32_t n = list_span(s, &half, a, 1);
        s->list[n] = a ^ difference;
        n = list_span(s, &half, a ^ difference, n + 1);
        session_translate(s, n);
        if (!is_evicted(s, n))
            return false;
    }
    return true;
}

int find_sets(struct session *s)
{
    struct kernel k;
    measure_limit(s);
    s->found->line_bytes = find_line(s);
    if (find_kernel(s, &k))
        return -1;
    s->found->ways = find_ways(s, &k);
    struct elimination e = {.first = (uint32_t)__builtin_ctz(s->found->line_bytes), .bits = s->bits};
    if (eliminate(s, &e, "sets", same_set, &k))
        return -1;
    eliminated_span(&e, &s->found->set);
    return 0;
}
