/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithm 2: a line is evicted once as many other lines of its set were loaded as the set has ways. */
#include "reverse/session.h"

#define SAMPLES     1000u
#define MOST_KERNEL 10u                       /* 2^10 lines of a set */
#define LINES_APART ((1u << MOST_KERNEL) + 3) /* of a chase: the kernel's, and the last loads */
#define CONFIRM     7                         /* places at which a line must be evicted as well */

struct kernel {
    uint32_t n;                       /* independent differences of equal sets, */
    uint64_t difference[MOST_KERNEL]; /* in reduced form by their highest bits */
};

static uint64_t highest(uint64_t bits)
{
    return bits ? UINT64_C(1) << (63 - __builtin_clzll(bits)) : 0;
}

/* The remainder of a difference modulo the kernel; 0 if the difference is in the kernel's span. */
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

/* Loads list[0 .. n-1], then list[0] once more: whether that misses. Another line of its page comes before,
 * in case that its translation is forgotten. */
static bool is_evicted(struct session *s, uint32_t n)
{
    s->list[n] = s->list[0] ^ session_within_page(s);
    s->list[n + 1] = s->list[0];
    session_chase(s, n + 2);
    return s->cycles[n + 1] >= s->found->hit_limit;
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

/* Lines of one bank: sums of these differences have equal bank numbers. Modules are a part of the banks, so
 * that many more of these lines are in one set than of lines that follow each other. */
struct rows {
    uint32_t n;
    uint64_t difference[64]; /* ascending by the highest bit that is no leading one */
};

/* An address bit that leads no function of the banks, with the leading bits of the functions that it changes.
 */
static void find_rows(const struct session *s, struct rows *r)
{
    const struct reverse_span *bank = &s->found->bank;
    uint64_t leading = 0;
    for (uint32_t k = 0; k < bank->n; k++)
        leading |= bank->function[k] & -bank->function[k];
    r->n = 0;
    for (uint32_t bit = (uint32_t)__builtin_ctz(s->found->line_bytes); bit < s->bits; bit++) {
        uint64_t difference = UINT64_C(1) << bit;
        if (leading & difference)
            continue;
        for (uint32_t k = 0; k < bank->n; k++)
            difference ^= bank->function[k] >> bit & 1 ? bank->function[k] & -bank->function[k] : 0;
        r->difference[r->n++] = difference;
    }
}

static uint64_t line_of(const struct rows *r, uint64_t i)
{
    uint64_t difference = 0;
    for (uint32_t k = 0; i >> k; k++)
        difference ^= i >> k & 1 ? r->difference[k] : 0;
    return difference;
}

/* The first lines of the bank of a, apart from those in the kernel; from list[at] on. */
static uint32_t list_lines(struct session *s, const struct kernel *k, const struct rows *r, uint64_t a,
                           uint32_t at, uint32_t lines)
{
    for (uint64_t i = 1; i <= lines; i++)
        if (rest(k, line_of(r, i)))
            s->list[at++] = a ^ line_of(r, i);
    return at;
}

static bool evicts(struct session *s, const struct kernel *k, const struct rows *r, uint32_t lines)
{
    uint64_t reach = reach_of(k);
    for (uint32_t i = 0; lines >> i; i++)
        reach |= r->difference[i];
    int evicted = 0;
    for (int votes = 0; votes < 5 && evicted < 3 && votes - evicted < 3; votes++) {
        const uint64_t a = s->list[0] = session_address(s, 0, reach);
        const uint32_t n = list_lines(s, k, r, a, list_span(s, k, a, 1), lines);
        session_translate(s, n);
        evicted += is_evicted(s, n);
    }
    return evicted >= 3;
}

/* The fewest lines that evict a line: the last of them is in its set. 0 if no number does. */
static uint32_t fewest(struct session *s, const struct kernel *k, const struct rows *r)
{
    const uint64_t lines = 2 * s->gpu->l2_bytes / s->found->line_bytes, room = s->room - LINES_APART;
    const uint32_t limit = (uint32_t)(lines < room ? lines : room);
    uint32_t least = 0, most = 16;
    while (!evicts(s, k, r, most)) {
        least = most;
        most *= 2;
        if (most > limit)
            return 0;
    }
    while (most - least > 1) {
        uint32_t middle = least + (most - least) / 2;
        if (evicts(s, k, r, middle))
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

/* Enough differences of equal sets that the lines at them evict a line. Each comes from the fewest lines of a
 * bank that evict it together with the lines at the differences found before. */
static int find_kernel(struct session *s, struct kernel *k)
{
    struct rows r = {.n = 0};
    find_rows(s, &r);
    k->n = 0;
    for (uint32_t tries = 0; k->n < MOST_KERNEL && tries < 4 * MOST_KERNEL; tries++) {
        const uint32_t lines = fewest(s, k, &r);
        if (!lines || !evicts(s, k, &r, lines) || evicts(s, k, &r, lines - 1))
            continue; /* a reading was disturbed */
        add(k, line_of(&r, lines));
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
