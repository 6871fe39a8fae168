/* SPDX-License-Identifier: Apache-2.0 */
/* Random clocks. Each phase draws how often an entry is taken and given back, so that the list fills up and
 * drains. What is given back is any number, or the entry that the clock takes. */
#include "rtl/lockstep/random.h"
#include "rtl/toy/lockstep/toy_lockstep.h"

struct phase {
    uint64_t left;
    uint32_t takes, gives; /* percent of the clocks */
    bool rough;            /* manner.h */
};

static bool chance(uint64_t *random, uint32_t percent)
{
    return below(random, 100) < percent;
}

static void begin(struct phase *p, uint64_t *random)
{
    static const uint8_t busy[] = {10, 30, 60, 100};
    p->left = 16u << below(random, 4);
    p->takes = busy[below(random, sizeof busy)];
    p->gives = busy[below(random, sizeof busy)];
    p->rough = !below(random, 3);
}

static struct toy_rtl_clock make(const struct phase *p, const struct toy_lockstep *l, uint64_t *random)
{
    struct toy_rtl_clock in = {.take = chance(random, p->takes), .give = chance(random, p->gives)};
    in.given =
        chance(random, 10) ? toy_lockstep_next(l) : below(random, toy_numbers(toy_lockstep_entries(l)));
    return in;
}

bool toy_lockstep_random(struct toy_lockstep *l, uint64_t seed, uint64_t clocks, const volatile int *stop)
{
    struct rtl_lockstep *base = toy_lockstep_base(l);
    uint64_t random = seed, end = base->transactions + clocks;
    struct phase p = {0};
    while (base->transactions < end && !(stop && *stop)) {
        if (!p.left--)
            begin(&p, &random);
        const struct toy_rtl_clock in = make(&p, l, &random);
        struct rtl_manner manner = {0};
        if (p.rough)
            manner = (struct rtl_manner){draw(&random) | 1, !below(&random, 100)};
        if (!toy_lockstep_step(l, &in, manner))
            return false;
    }
    return true;
}
