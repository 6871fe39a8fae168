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
    struct mp_page_table_end end = mp_page_table_end(t, va);
    uint64_t bits = mp_contiguity_bits(t, va), is_pa;
    uint32_t shift = t->format->page_shift;
    char said[48], is[48], walk[300], frame[96] = "";
    mp_page_table_find(t, va, &is_pa);
    describe(said, sizeof said, !a->faults, pa >> shift, a->span.read_only);
    describe(is, sizeof is, end.mapped, is_pa >> shift, end.mapped && mp_pte_read_only(end.form, end.entry));
    mp_translation_walk(walk, sizeof walk, t, va);
    if (t->format->contiguity)
        snprintf(frame, sizeof frame, "; frame 0x%" PRIx64 " of 2 MB has C = 0x%02x, AC = %u",
                 va >> MP_CONTIGUITY_SHIFT, (unsigned)((bits & MP_PTE_CONTIGUOUS) >> MP_PTE_CONTIGUOUS_SHIFT),
                 (unsigned)(bits / MP_PTE_CONTIGUOUS_FRAME % 2));
    return mp_fail(err, "page 0x%" PRIx64 " was translated to %s, but the page table has %s%s; walk: %s",
                   va >> shift, said, is, frame, walk);
}

/* Whether the table maps va there. *next receives the first address after va's page. */
static bool agrees(const struct mp_page_table *t, uint64_t va, uint64_t pa, bool read_only, uint64_t *next)
{
    struct mp_page_table_end end = mp_page_table_end(t, va);
    uint64_t bytes = 1ull << (end.mapped ? end.form->page_shift : t->format->page_shift);
    *next = (va & ~(bytes - 1)) + bytes;
    return end.mapped && (mp_pte_target(end.form, end.entry) | (va & (bytes - 1))) == pa &&
           read_only == mp_pte_read_only(end.form, end.entry);
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
    uint32_t shift = (a->page ? a->page : t->format->page_shift) + a->span.unit;
    if (a->faults)
        return mp_page_table_end(t, a->va).mapped && !is_excused(t, a, a->va, 0, writes)
                   ? report(t, a, a->va, 0, err)
                   : 0;
    uint64_t own = a->va >> shift, first = (own - a->span.before) << shift, next;
    for (uint64_t va = first, end = (own + a->span.after + 1) << shift; va < end; va = next) {
        uint64_t pa = a->pa + (va - a->va);
        if (!agrees(t, va, pa, a->span.read_only, &next) && !is_excused(t, a, va, pa, writes))
            return report(t, a, va, pa, err);
    }
    return 0;
}
