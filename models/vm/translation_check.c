/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/translation_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "vm/contiguity.h"
#include "vm/table_writes.h"

static const char *right(bool read_only)
{
    return read_only ? "r" : "rw";
}

/* "0x6001 rw", or "nothing" */
static void describe(char *text, size_t size, bool mapped, uint64_t frame, bool read_only)
{
    if (mapped)
        snprintf(text, size, "frame 0x%" PRIx64 " %s", frame, right(read_only));
    else
        snprintf(text, size, "nothing");
}

void mp_translation_walk(char *text, size_t size, const struct mp_page_table *t, uint64_t va)
{
    uint64_t at[MP_MAX_LEVELS];
    unsigned entries = mp_page_table_walk(t, va, at);
    for (unsigned level = 0, used = 0; level < entries && used < size; level++)
        used += (unsigned)snprintf(text + used, size - used, "%s0x%" PRIx64 " at 0x%" PRIx64,
                                   level ? ", " : "", mp_physmem_read64(t->memory, at[level]), at[level]);
}

static int report(const struct mp_page_table *t, const struct mp_translation_answer *a, uint64_t va,
                  uint64_t pa, struct mp_error *err)
{
    uint64_t entry = mp_page_table_entry(t, va), bits = mp_contiguity_bits(t, va);
    uint32_t shift = t->format->page_shift;
    char said[48], is[48], walk[200], frame[96] = "";
    describe(said, sizeof said, !a->faults, pa >> shift, a->span.read_only);
    describe(is, sizeof is, entry & MP_PTE_VALID, (entry & MP_PTE_ADDRESS) >> shift,
             entry & MP_PTE_READ_ONLY);
    mp_translation_walk(walk, sizeof walk, t, va);
    if (shift == 12)
        snprintf(frame, sizeof frame, "; frame 0x%" PRIx64 " of 2 MB has C = 0x%02x, AC = %u",
                 va >> MP_CONTIGUITY_SHIFT, (unsigned)((bits & MP_PTE_CONTIGUOUS) >> MP_PTE_CONTIGUOUS_SHIFT),
                 (unsigned)(bits / MP_PTE_CONTIGUOUS_FRAME % 2));
    return mp_fail(err, "page 0x%" PRIx64 " was translated to %s, but the page table has %s%s; walk: %s",
                   va >> shift, said, is, frame, walk);
}

static bool agrees(const struct mp_page_table *t, uint64_t va, uint64_t pa, bool read_only)
{
    uint64_t offset = (1ull << t->format->page_shift) - 1, entry = mp_page_table_entry(t, va);
    return entry & MP_PTE_VALID && (entry & MP_PTE_ADDRESS) == (pa & ~offset) &&
           read_only == !!(entry & MP_PTE_READ_ONLY);
}

/* Whether software may still expect this answer for the page of va. */
static bool is_excused(const struct mp_page_table *t, const struct mp_translation_answer *a, uint64_t va,
                       uint64_t pa, const struct mp_table_writes *writes)
{
    struct mp_translation_answer page = *a;
    page.pa = pa;
    return writes && mp_table_writes_excuse(writes, t, va, &page);
}

int mp_translation_check(const struct mp_page_table *t, const struct mp_translation_answer *a,
                         const struct mp_table_writes *writes, struct mp_error *err)
{
    uint32_t shift = t->format->page_shift, unit = a->span.unit;
    if (a->faults)
        return mp_page_table_entry(t, a->va) & MP_PTE_VALID && !is_excused(t, a, a->va, 0, writes)
                   ? report(t, a, a->va, 0, err)
                   : 0;
    uint64_t page = a->va >> shift, own = page >> unit;
    uint64_t first = (own - a->span.before) << unit, end = (own + a->span.after + 1) << unit;
    for (uint64_t p = first; p < end; p++) {
        uint64_t va = p << shift, pa = a->pa + ((p - page) << shift);
        if (!agrees(t, va, pa, a->span.read_only) && !is_excused(t, a, va, pa, writes))
            return report(t, a, va, pa, err);
    }
    return 0;
}
