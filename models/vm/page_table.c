/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_table.h"

static const struct mp_page_table_design *design_of(const struct mp_page_table *t)
{
    return t->design ? t->design : &mp_page_table_radix;
}

int mp_page_table_start(struct mp_page_table *t, const struct mp_design_values *own, struct mp_error *err)
{
    return design_of(t)->init(t, own, err);
}

int mp_page_table_init(struct mp_page_table *t, const struct mp_page_format *format,
                       struct mp_physmem *memory, struct mp_frames *frames, uint32_t tenant,
                       struct mp_error *err)
{
    *t = (struct mp_page_table){.format = format, .memory = memory, .frames = frames, .tenant = tenant};
    return mp_page_table_start(t, NULL, err);
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
    return check_size(t, &page_shift, err) ? -1 : design_of(t)->reach(t, va, page_shift, err);
}

int mp_page_table_map(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift,
                      struct mp_error *err)
{
    return check_size(t, &page_shift, err) ? -1 : design_of(t)->map(t, va, pa, page_shift, err);
}

/* --- what is mapped ------------------------------------------------------------------------------------- */

#define NOWHERE UINT64_MAX /* outside every memory: it reads as an invalid entry, unlike address 0 */

static struct mp_table_walk walk_of(const struct mp_page_table *t, uint64_t va)
{
    return (struct mp_table_walk){.memory = t->memory,
                                  .format = t->format,
                                  .root = t->root,
                                  .va = va,
                                  .asid = t->asid,
                                  .heads_first = t->heads_first};
}

/* A radix table of entries of one half, which is most of what drivers ask for: the same walk without its
 * steps. */
static struct mp_page_table_end radix_end(const struct mp_page_table *t, uint64_t va)
{
    const struct mp_page_format *f = t->format;
    uint64_t table = t->root;
    for (unsigned number = 0;;) {
        uint64_t at = mp_entry_address(f, t->heads_first, number, table, va);
        uint64_t entry = mp_physmem_read64(t->memory, at);
        const struct mp_pte_form *form = mp_pte_form(f, number, entry);
        bool valid = entry & form->valid;
        if (form->page_shift || !valid)
            return (struct mp_page_table_end){at, entry, form, valid && form->page_shift};
        table = mp_pte_target(form, entry);
        number = form->next;
    }
}

static struct mp_page_table_end any_end(const struct mp_page_table *t, uint64_t va)
{
    const struct mp_page_table_design *d = design_of(t);
    struct mp_table_walk x = walk_of(t, va);
    d->begin(&x);
    while (d->next(&x))
        ;
    return (struct mp_page_table_end){x.entry_at, x.entry, x.form,
                                      x.form && x.form->page_shift && x.entry & x.form->valid};
}

struct mp_page_table_end mp_page_table_end(const struct mp_page_table *t, uint64_t va)
{
    if (va >> t->format->va_bits)
        return (struct mp_page_table_end){.at = NOWHERE};
    return design_of(t) == &mp_page_table_radix && !t->format->dual ? radix_end(t, va) : any_end(t, va);
}

uint64_t mp_page_table_entry(const struct mp_page_table *t, uint64_t va)
{
    struct mp_page_table_end end = mp_page_table_end(t, va);
    return end.form && end.form->page_shift ? end.entry : 0;
}

unsigned mp_page_table_walk(const struct mp_page_table *t, uint64_t va, uint64_t at[MP_MAX_LEVELS])
{
    const struct mp_page_table_design *d = design_of(t);
    struct mp_table_walk x = walk_of(t, va);
    unsigned reads = 0;
    d->begin(&x);
    do
        at[reads < MP_MAX_LEVELS ? reads++ : MP_MAX_LEVELS - 1] = x.at;
    while (d->next(&x));
    at[reads - 1] = x.entry_at;
    return reads;
}

void mp_page_table_change(struct mp_page_table *t, uint64_t va, uint64_t entry)
{
    design_of(t)->change(t, va, mp_page_table_end(t, va).at, entry);
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
        design_of(t)->change(t, va, end.at, 0);
    return page_shift;
}
