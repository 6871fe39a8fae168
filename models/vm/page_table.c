/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_table.h"

int mp_page_table_init(struct mp_page_table *t, const struct mp_page_format *format,
                       struct mp_physmem *memory, struct mp_frames *frames, uint32_t tenant,
                       struct mp_error *err)
{
    *t = (struct mp_page_table){.format = format, .memory = memory, .frames = frames, .tenant = tenant};
    return mp_frames_take_table(frames, tenant, &t->root, err);
}

static int write_entry(struct mp_page_table *t, uint64_t at, uint64_t entry, struct mp_error *err)
{
    return mp_physmem_write64(t->memory, at, entry) ? mp_fail(err, "out of memory") : 0;
}

static uint64_t entry_of(const struct mp_pte_form *form, uint64_t pa)
{
    return (pa >> form->shift & form->address) | form->made;
}

/* --- the way to a page ---------------------------------------------------------------------------------- */

/* No entry of the table of this number is valid. */
static bool is_empty(const struct mp_page_table *t, unsigned number, uint64_t table)
{
    const struct mp_page_format *f = t->format;
    for (uint64_t i = 0; i < 1ull << f->bits[number]; i++)
        if (mp_physmem_read64(t->memory, table + (i << f->entry_shift[number])) & f->form[number]->valid)
            return false;
    return true;
}

/* An entry in the way of another form, which can give way to it: the table to which it points is empty. */
static bool gives_way(const struct mp_page_table *t, const struct mp_pte_form *is, uint64_t entry)
{
    return !is->page_shift && is_empty(t, is->next, mp_pte_target(is, entry));
}

static int other_size(uint64_t va, uint32_t page_shift, const struct mp_page_format *f,
                      const struct mp_pte_form *is, struct mp_error *err)
{
    uint32_t there = is->page_shift ? is->page_shift : f->form[is->next]->page_shift;
    return mp_fail(err, "page 0x%llx of %llu B is in a region that has pages of %llu B; one size per region",
                   (unsigned long long)(va >> page_shift << page_shift), 1ull << page_shift, 1ull << there);
}

/* Where the leaf of a page is, or will be. */
struct place {
    uint64_t at;
    const struct mp_pte_form *form;
    bool replaced; /* an upper entry, or the leaf's is that of a table */
};

/* Takes the tables that are missing. */
static int reach(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct place *p,
                 struct mp_error *err)
{
    const struct mp_page_format *f = t->format;
    uint64_t table = t->root;
    unsigned number = 0;
    for (p->replaced = false;; number = p->form->next) {
        p->form = f->forms[number] == 1 ? f->form[number] : mp_pte_form_to(f, number, page_shift);
        p->at = mp_entry_address(f, t->heads_first, number, table, va);
        uint64_t entry = mp_physmem_read64(t->memory, p->at);
        const struct mp_pte_form *is = mp_pte_form(f, number, entry);
        bool valid = entry & is->valid;
        if (valid && is != p->form) {
            if (!gives_way(t, is, entry))
                return other_size(va, page_shift, f, is, err);
            p->replaced = true;
            valid = false;
        }
        if (p->form->page_shift)
            return 0;
        if (valid)
            table = mp_pte_target(is, entry);
        else if (mp_frames_take_table(t->frames, t->tenant, &table, err) ||
                 write_entry(t, p->at, entry_of(p->form, table), err))
            return -1;
    }
}

static int check_size(const struct mp_page_table *t, uint32_t *page_shift, struct mp_error *err)
{
    if (!*page_shift)
        *page_shift = t->format->page_shift;
    return mp_page_format_has(t->format, *page_shift)
               ? 0
               : mp_fail(err, "format %s has no pages of 1 << %u B", t->format->name, *page_shift);
}

int mp_page_table_reach(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct mp_error *err)
{
    struct place p;
    if (check_size(t, &page_shift, err) || reach(t, va, page_shift, &p, err))
        return -1;
    if (p.replaced && mp_physmem_read64(t->memory, p.at) & p.form->valid)
        mp_physmem_write64(t->memory, p.at, 0); /* cannot fail: the table exists */
    return p.replaced;
}

int mp_page_table_map(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift,
                      struct mp_error *err)
{
    struct place p;
    if (check_size(t, &page_shift, err) || reach(t, va, page_shift, &p, err) ||
        write_entry(t, p.at, entry_of(p.form, pa), err))
        return -1;
    return p.replaced;
}

/* --- what is mapped ------------------------------------------------------------------------------------- */

#define NOWHERE UINT64_MAX /* outside every memory: it reads as an invalid entry, unlike address 0 */

/* Follows va's walk. Returns the number of entries, whose addresses at[] receives unless it is NULL. */
static unsigned follow(const struct mp_page_table *t, uint64_t va, struct mp_page_table_end *end,
                       uint64_t *at)
{
    const struct mp_page_format *f = t->format;
    uint64_t table = t->root;
    unsigned number = 0, entries = 0;
    for (;; number = end->form->next) {
        end->at = mp_entry_address(f, t->heads_first, number, table, va);
        end->entry = mp_physmem_read64(t->memory, end->at);
        end->form = mp_pte_form(f, number, end->entry);
        if (at)
            at[entries] = end->at;
        entries++;
        end->mapped = end->form->page_shift && end->entry & end->form->valid;
        if (end->form->page_shift || !(end->entry & end->form->valid))
            return entries;
        table = mp_pte_target(end->form, end->entry);
    }
}

struct mp_page_table_end mp_page_table_end(const struct mp_page_table *t, uint64_t va)
{
    struct mp_page_table_end end = {.at = NOWHERE};
    if (!(va >> t->format->va_bits))
        follow(t, va, &end, NULL);
    return end;
}

uint64_t mp_page_table_entry(const struct mp_page_table *t, uint64_t va)
{
    struct mp_page_table_end end = mp_page_table_end(t, va);
    return end.form && end.form->page_shift ? end.entry : 0;
}

unsigned mp_page_table_walk(const struct mp_page_table *t, uint64_t va, uint64_t at[MP_MAX_LEVELS])
{
    struct mp_page_table_end end;
    return follow(t, va, &end, at);
}

/* The frame of memory that holds the table exists, so the write cannot fail. */
void mp_page_table_change(struct mp_page_table *t, uint64_t va, uint64_t entry)
{
    mp_physmem_write64(t->memory, mp_page_table_end(t, va).at, entry);
}

static uint32_t found(const struct mp_page_table_end *end, uint64_t *pa)
{
    *pa = end->mapped ? mp_pte_target(end->form, end->entry) : 0;
    return end->mapped ? end->form->page_shift : 0;
}

uint32_t mp_page_table_find(const struct mp_page_table *t, uint64_t va, uint64_t *pa)
{
    struct mp_page_table_end end = mp_page_table_end(t, va);
    uint32_t page_shift = found(&end, pa);
    *pa |= va & ((1ull << page_shift) - 1);
    return page_shift;
}

uint32_t mp_page_table_unmap(struct mp_page_table *t, uint64_t va, uint64_t *pa)
{
    struct mp_page_table_end end = mp_page_table_end(t, va);
    uint32_t page_shift = found(&end, pa);
    if (page_shift)
        mp_physmem_write64(t->memory, end.at, 0);
    return page_shift;
}
