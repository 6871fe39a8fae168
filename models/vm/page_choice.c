/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_choice.h"

static uint32_t log2_of(uint64_t bytes)
{
    return 63 - (uint32_t)__builtin_clzll(bytes);
}

static uint64_t asked_for(const struct mp_page_choice *c, uint64_t number, uint64_t bytes)
{
    uint64_t size = c->usual;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->buffer[i].number == number)
            size = c->buffer[i].page_bytes;
    if (size)
        return size;
    uint64_t fit = c->sizes & ((2ull << log2_of(bytes ? bytes : 1)) - 1);
    return fit ? 1ull << log2_of(fit) : c->sizes & -c->sizes;
}

/* Whether no part of va's page of this size has a smaller page. */
static bool has_none_smaller(const struct mp_page_table *t, uint64_t va, uint32_t page_shift)
{
    uint64_t at = va >> page_shift << page_shift, end = at + (1ull << page_shift), pa;
    for (; at < end; at += 1ull << t->format->page_shift) {
        uint32_t has = mp_page_table_find(t, at, &pa);
        if (has)
            return has >= page_shift;
    }
    return true;
}

/* Whether va can have a page of this size beside what is mapped, or has a larger one. */
static bool can_have(const struct mp_page_table *t, uint64_t va, uint32_t page_shift)
{
    uint64_t at = t->root;
    for (unsigned number = 0;;) {
        uint64_t entry =
            mp_physmem_read64(t->memory, mp_entry_address(t->format, t->heads_first, number, at, va));
        const struct mp_pte_form *form = mp_pte_form(t->format, number, entry);
        if (t->format->dual && number == t->format->dual)
            return has_none_smaller(t, va, page_shift);
        if (!(entry & form->valid))
            return true;
        if (form->page_shift)
            return form->page_shift >= page_shift;
        if (form != mp_pte_form_to(t->format, number, page_shift))
            return false;
        at = mp_pte_target(form, entry);
        number = form->next;
    }
}

/* Where an entry has two halves, each page matters; else each region of the largest pages. */
static bool fits(const struct mp_page_choice *c, const struct mp_page_table *t, uint64_t va, uint64_t bytes,
                 uint64_t size)
{
    uint64_t step = t->format->dual ? size : 1ull << log2_of(c->sizes), end = va + (bytes ? bytes : 1);
    for (uint64_t at = va; at < end; at = (at & ~(step - 1)) + step)
        if (!can_have(t, at, log2_of(size)))
            return false;
    return true;
}

uint32_t mp_page_choose(const struct mp_page_choice *c, const struct mp_page_table *t, uint64_t number,
                        uint64_t va, uint64_t bytes)
{
    if (!(c->sizes & (c->sizes - 1)))
        return log2_of(c->sizes);
    uint64_t asked = asked_for(c, number, bytes), left = c->sizes & (2 * asked - 1);
    for (uint64_t size; left; left &= ~size) { /* from the size itself down */
        size = 1ull << log2_of(left);
        if (fits(c, t, va, bytes, size))
            return log2_of(size);
    }
    for (left = c->sizes & ~(2 * asked - 1); left; left &= left - 1)
        if (fits(c, t, va, bytes, left & -left))
            return log2_of(left & -left);
    return log2_of(asked);
}
