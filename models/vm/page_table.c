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

/* An entry of this form leads to no page. Pointers go down, so this ends. */
static bool is_barren(const struct mp_page_table *t, const struct mp_pte_form *form, uint64_t entry);

/* The table of this number leads to no page. */
static bool is_empty(const struct mp_page_table *t, unsigned number, uint64_t table)
{
    const struct mp_page_format *f = t->format;
    for (uint64_t i = 0; i < 1ull << f->bits[number]; i++) {
        uint64_t at = table + (i << f->entry_shift[number]), entry = mp_physmem_read64(t->memory, at);
        if (!is_barren(t, mp_pte_form(f, number, entry), entry) ||
            (f->dual == number && f->dual && !is_barren(t, &f->other, mp_physmem_read64(t->memory, at + 8))))
            return false;
    }
    return true;
}

static bool is_barren(const struct mp_page_table *t, const struct mp_pte_form *form, uint64_t entry)
{
    return !(entry & form->valid) ||
           (!form->page_shift && is_empty(t, form->next, mp_pte_target(form, entry)));
}

static uint32_t size_below(const struct mp_page_format *f, const struct mp_pte_form *is)
{
    while (!is->page_shift)
        is = f->form[is->next];
    return is->page_shift;
}

static int other_size(uint64_t va, uint32_t page_shift, uint32_t there, struct mp_error *err)
{
    return mp_fail(err, "page 0x%llx of %llu B is in a region that has pages of %llu B; one size per region",
                   (unsigned long long)(va >> page_shift << page_shift), 1ull << page_shift, 1ull << there);
}

/* Where the leaf of a page is, or will be. */
struct place {
    uint64_t at;
    const struct mp_pte_form *form;
    bool replaced; /* an upper entry, or the leaf's is that of a table */
};

/* --- entries of two halves --- */

static bool has_halves(const struct mp_page_format *f, unsigned number)
{
    return f->dual && number == f->dual;
}

/* No entry of the smallest pages in this page of the given size is valid. `half` is the entry of their table.
 */
static bool no_small(const struct mp_page_table *t, uint64_t va, uint32_t page_shift, uint64_t half)
{
    const struct mp_page_format *f = t->format;
    const unsigned number = f->other.next;
    const uint64_t table = mp_pte_target(&f->other, half), end = (va >> page_shift) + 1;
    for (uint64_t page = va >> page_shift << page_shift; page < end << page_shift;
         page += 1ull << f->page_shift)
        if (mp_physmem_read64(t->memory, mp_entry_address(f, false, number, table, page)) &
            f->form[number]->valid)
            return false;
    return true;
}

/* A half that becomes valid changes the entry, of which walk caches may have the other half. The half at
 * which a page of this size goes on; the other half must have no page there. */
static int choose_half(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct place *p,
                       struct mp_error *err)
{
    const struct mp_page_format *f = t->format;
    const uint64_t first = mp_physmem_read64(t->memory, p->at),
                   second = mp_physmem_read64(t->memory, p->at + 8);
    const struct mp_pte_form *is = mp_pte_form(f, f->dual, first), *big = f->form[is->next];
    if (page_shift != f->page_shift) {
        if (!(second & f->other.valid))
            return 0;
        if (!no_small(t, va, page_shift, second))
            return other_size(va, page_shift, f->page_shift, err);
        bool stays = first & is->valid;
        if (stays && page_shift != size_below(f, is) && !is_barren(t, is, first))
            return other_size(va, page_shift, size_below(f, is), err);
        p->replaced = !stays || page_shift != size_below(f, is);
        if (page_shift == size_below(f, is))
            return 0; /* both tables stay */
        return write_entry(t, p->at + 8, 0, err);
    }
    if (first & is->valid &&
        (is->page_shift ||
         mp_physmem_read64(t->memory, mp_entry_address(f, false, is->next, mp_pte_target(is, first), va)) &
             big->valid))
        return other_size(va, page_shift, size_below(f, is), err);
    p->form = &f->other;
    p->at += 8;
    p->replaced = first & is->valid && !(second & f->other.valid);
    return 0;
}

/* --- any entries --- */

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
        if (has_halves(f, number) && choose_half(t, va, page_shift, p, err))
            return -1;
        uint64_t entry = mp_physmem_read64(t->memory, p->at);
        const struct mp_pte_form *is = p->form == &f->other ? p->form : mp_pte_form(f, number, entry);
        bool valid = entry & is->valid;
        if (valid && is != p->form) {
            if (!is_barren(t, is, entry))
                return other_size(va, page_shift, size_below(f, is), err);
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
    uint64_t table = t->root, other = 0;
    unsigned number = 0, entries = 0;
    for (;;) {
        end->at = mp_entry_address(f, t->heads_first, number, table, va);
        end->entry = mp_physmem_read64(t->memory, end->at);
        end->form = mp_pte_form(f, number, end->entry);
        if (at)
            at[entries] = end->at;
        entries++;
        if (has_halves(f, number))
            other = mp_physmem_read64(t->memory, end->at + 8);
        bool valid = end->entry & end->form->valid;
        end->mapped = end->form->page_shift && valid;
        if (!valid && other & f->other.valid && !mp_pte_ends(end->form, end->entry)) {
            table = mp_pte_target(&f->other, other);
            number = f->other.next;
            other = 0;
            continue;
        }
        if (end->form->page_shift || !valid)
            return entries;
        table = mp_pte_target(end->form, end->entry);
        number = end->form->next;
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
