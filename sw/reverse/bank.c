/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithm 1: two loads of one bank and two rows take longer than others. */
#include "reverse/session.h"

#define SAMPLES 1000u
#define SEARCH  100000u /* pairs until one conflicts; 512 banks need 512 on average */
#define CONFIRM 3       /* pairs at other places that must conflict as well */

static uint64_t time_of(struct session *s, uint64_t difference)
{
    uint64_t a = session_address(s, difference, 0);
    s->list[0] = a;
    s->list[1] = a ^ difference;
    session_translate(s, 2);
    return session_pair(s, a, a ^ difference);
}

/* Whether a line and its partner conflict: everywhere, for a single slow reading may be a neighbour's. */
static bool conflict(struct session *s, uint64_t difference)
{
    for (int i = 0; i <= CONFIRM; i++)
        if (time_of(s, difference) < s->found->pair_limit)
            return false;
    return true;
}

/* A row that is left open may hide a conflict. */
static bool mostly_conflict(struct session *s, uint64_t difference)
{
    int slow = 0;
    for (int i = 0; i < 5; i++)
        slow += time_of(s, difference) >= s->found->pair_limit;
    return slow >= 3;
}

static uint64_t random_difference(struct session *s)
{
    return session_random(s) >> (64 - s->bits) >> SESSION_LOAD_SHIFT << SESSION_LOAD_SHIFT;
}

static void measure_limit(struct session *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SAMPLES; i++)
        sum += time_of(s, random_difference(s));
    s->found->pair_limit = (uint32_t)(sum * 11 / (SAMPLES * 10) + 1);
}

/* A difference of equal banks with several of the highest bits: whatever single bit is changed in it, rows
 * differ. */
static uint64_t find_other_row(struct session *s)
{
    uint64_t high = UINT64_C(0xff) << (s->bits - 8);
    for (uint32_t i = 0; i < SEARCH; i++) {
        uint64_t difference = random_difference(s);
        if (__builtin_popcountll(difference & high) >= 3 && conflict(s, difference))
            return difference;
    }
    return 0;
}

static bool same_bank(struct session *s, void *context, uint64_t difference)
{
    const uint64_t *other_row = context;
    return conflict(s, difference ^ *other_row);
}

/* Differences of equal banks conflict unless the row is the same, too. The lowest bit for which one conflicts
 * is the row's lowest; below it, all differences of equal banks are within a row. */
static uint32_t find_row(struct session *s, const struct elimination *e)
{
    uint32_t within = SESSION_LOAD_SHIFT;
    for (uint32_t bit = e->first; bit < s->bits; bit++) {
        uint64_t difference = eliminated_kernel(e, bit);
        if (difference && mostly_conflict(s, difference))
            return 1u << within;
        within += difference != 0;
    }
    return 0;
}

int find_banks(struct session *s)
{
    struct elimination e = {.first = SESSION_LOAD_SHIFT, .bits = s->bits};
    measure_limit(s);
    uint64_t other_row = find_other_row(s);
    if (!other_row || eliminate(s, &e, "banks", same_bank, &other_row))
        return -1;
    eliminated_span(&e, &s->found->bank);
    s->found->row_bytes = find_row(s, &e);
    return s->found->row_bytes ? 0 : -1;
}
