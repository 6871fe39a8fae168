/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/sizes.h"

#include "tlb/tlb.h"

struct mp_tlb_sizes mp_tlb_sizes_of(uint64_t sizes)
{
    struct mp_tlb_sizes s = {.used = 1};
    for (; sizes && s.count < MP_TLB_SIZES; sizes &= sizes - 1)
        s.shift[s.count++] = (uint8_t)__builtin_ctzll(sizes);
    return s;
}

uint32_t mp_tlb_fit(const struct mp_tlb_sizes *s, struct mp_req *answer)
{
    uint32_t size = mp_tlb_size_of(s, answer->page), page = s->shift[size];
    if (page != answer->page)
        answer->span = (struct mp_span){.read_only = answer->span.read_only};
    answer->page = (uint8_t)page;
    return size;
}

uint64_t mp_tlb_first(const struct mp_tlb_sizes *s, uint64_t number, uint32_t *page)
{
    *page = s->shift[number >> MP_TLB_SIZE_AT];
    return (number & ((1ull << MP_TLB_SIZE_AT) - 1)) << *page;
}

/* *size receives the place of the size that has the page, or stays. */
static struct mp_tlb_hit peek(const struct mp_tlb *t, uint16_t asid, uint64_t va, uint32_t *size)
{
    uint32_t slowest = 0;
    for (uint32_t left = t->size.used, s; left; left &= ~(1u << s)) {
        s = 31 - (uint32_t)__builtin_clz(left);
        struct mp_tlb_hit hit = t->policy->peek(t->state, asid, mp_tlb_number(&t->size, va, s));
        slowest = hit.cycles > slowest ? hit.cycles : slowest;
        if (!hit.found)
            continue;
        hit.page = t->size.shift[s];
        *size = s;
        return hit;
    }
    return (struct mp_tlb_hit){.cycles = slowest};
}

struct mp_tlb_hit mp_tlb_peek(const struct mp_tlb *t, uint16_t asid, uint64_t va)
{
    uint32_t size;
    return peek(t, asid, va, &size);
}

/* What a policy does at a look-up that misses, it does for the granule. */
struct mp_tlb_hit mp_tlb_lookup_sizes(struct mp_tlb *t, uint16_t asid, uint64_t va)
{
    uint32_t size = 0;
    struct mp_tlb_hit seen = peek(t, asid, va, &size);
    struct mp_tlb_hit hit = t->policy->lookup(t->state, asid, mp_tlb_number(&t->size, va, size));
    hit.page = seen.page;
    if (!hit.found)
        hit.cycles = seen.cycles;
    return hit;
}
