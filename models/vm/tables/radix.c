/* SPDX-License-Identifier: Apache-2.0 */
/* Radix trees of tables, of any format. */
#include "vm/page_table.h"

static int init(struct mp_page_table *t, const struct mp_design_values *own, struct mp_error *err)
{
    (void)own;
    return mp_frames_take_table(t->frames, t->tenant, &t->root, err);
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
    const unsigned long long page = va >> page_shift << page_shift;
    return mp_fail(err, "page 0x%llx of %llu B is in a region that has pages of %llu B; one size per region",
                   page, 1ull << page_shift, 1ull << there);
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

/* A table of leaves of one form takes any page of that size in its region. The form of its entries; NULL if
 * the page is elsewhere. */
static const struct mp_pte_form *form_near(const struct mp_page_table *t, uint64_t va, uint32_t page_shift)
{
    const struct mp_page_format *f = t->format;
    const unsigned number = t->near.number, region = f->low_bit[number] + f->bits[number];
    return t->near.page_shift == page_shift && (va ^ t->near.va) >> region == 0 ? f->form[number] : NULL;
}

static void note_near(struct mp_page_table *t, uint64_t va, uint32_t number, uint64_t table)
{
    if (t->format->forms[number] == 1 && !t->format->dual)
        t->near = (struct mp_table_near){va, table, number, t->format->form[number]->page_shift};
}

/* Takes the tables that are missing. */
static int go_down(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct place *p,
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
        if (p->form->page_shift) {
            note_near(t, va, number, table);
            return 0;
        }
        if (valid)
            table = mp_pte_target(is, entry);
        else if (mp_frames_take_table(t->frames, t->tenant, &table, err) ||
                 write_entry(t, p->at, entry_of(p->form, table), err))
            return -1;
    }
}

/* Only the way down to a page of another size can take a table out of the tree. */
static int find_place(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct place *p,
                      struct mp_error *err)
{
    p->form = form_near(t, va, page_shift);
    if (!p->form) {
        t->near.page_shift = 0;
        return go_down(t, va, page_shift, p, err);
    }
    p->at = mp_entry_address(t->format, t->heads_first, t->near.number, t->near.table, va);
    p->replaced = false;
    return 0;
}

static int reach(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct mp_error *err)
{
    struct place p;
    if (find_place(t, va, page_shift, &p, err))
        return -1;
    if (p.replaced && mp_physmem_read64(t->memory, p.at) & p.form->valid)
        mp_physmem_write64(t->memory, p.at, 0); /* cannot fail: the table exists */
    return p.replaced;
}

static int map(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift, struct mp_error *err)
{
    struct place p;
    if (find_place(t, va, page_shift, &p, err) || write_entry(t, p.at, entry_of(p.form, pa), err))
        return -1;
    return p.replaced;
}

/* The frame of memory that holds the table exists, so the write cannot fail. */
static void change(struct mp_page_table *t, uint64_t va, uint64_t at, uint64_t entry)
{
    (void)va;
    mp_physmem_write64(t->memory, at, entry);
}

/* --- walks ---------------------------------------------------------------------------------------------- */

static void begin(struct mp_table_walk *x)
{
    x->step = 0; /* number of the table that is read */
    x->other = 0;
    x->at = mp_entry_address(x->format, x->heads_first, 0, x->root, x->va);
}

/* The second half of a dual entry counts if the first one, or the entry to which it leads, is not valid. */
static bool next(struct mp_table_walk *x)
{
    const struct mp_page_format *f = x->format;
    x->entry_at = x->at;
    x->entry = mp_physmem_read64(x->memory, x->at);
    x->form = mp_pte_form(f, x->step, x->entry);
    x->number = x->step;
    if (has_halves(f, x->step)) {
        x->other_at = x->at + 8;
        x->other = mp_physmem_read64(x->memory, x->other_at);
    }
    if (!(x->entry & x->form->valid) && x->other & f->other.valid && !mp_pte_ends(x->form, x->entry)) {
        x->entry_at = x->other_at;
        x->entry = x->other;
        x->form = &f->other;
        x->number = f->dual;
        x->other = 0;
    }
    if (x->form->page_shift || !(x->entry & x->form->valid))
        return false;
    x->step = x->form->next;
    x->at = mp_entry_address(f, x->heads_first, x->step, mp_pte_target(x->form, x->entry), x->va);
    return true;
}

const struct mp_page_table_design mp_page_table_radix = {
    .design = {.name = "radix", .title = "a tree of tables, one per level of the format"},
    .tree = true,
    .init = init,
    .reach = reach,
    .map = map,
    .change = change,
    .begin = begin,
    .next = next,
};
