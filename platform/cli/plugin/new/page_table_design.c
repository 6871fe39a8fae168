/* SPDX-License-Identifier: Apache-2.0 */
/* The page table @NAME@: a tree of tables in mempath's format, with pages of one size. Without `first`, it is
 * the page table radix. vm/tables/design.h says what each function has to do. */
#include "engine/plugin.h"
#include "vm/page_table.h"

enum { FIRST };
static const struct mp_design_param params[] = {
    [FIRST] = {"first", "level", NULL, 0, 0, 1, "@NAME@",
               "level of the root; tables with 1 have one level less, and addresses below 2^39", 0},
    {0},
};

/* The register with the root has the level in its lowest bit. */
static unsigned level_of(uint64_t root)
{
    return root & 1;
}

static bool is_outside(const struct mp_page_format *f, uint64_t root, uint64_t va)
{
    return va >> f->low_bit[level_of(root)] >> f->bits[level_of(root)];
}

static int check(const struct mp_page_format *format, uint32_t page_shift, const struct mp_design_values *own,
                 struct mp_error *err)
{
    (void)own;
    if (format == mp_page_format(1ull << page_shift))
        return 0;
    return mp_fail(err, "table: @NAME@ has pages of one size; vm.format = mempath");
}

static int init(struct mp_page_table *t, const struct mp_design_values *own, struct mp_error *err)
{
    if (mp_frames_take_table(t->frames, t->tenant, &t->root, err))
        return -1;
    t->root |= own->v[FIRST];
    return 0;
}

static int write(struct mp_page_table *t, uint64_t at, const struct mp_pte_form *form, uint64_t pa,
                 struct mp_error *err)
{
    uint64_t entry = (pa >> form->shift & form->address) | form->made;
    return mp_physmem_write64(t->memory, at, entry) ? mp_fail(err, "out of memory") : 0;
}

/* *at receives the address of the page's entry. */
static int find(struct mp_page_table *t, uint64_t va, uint64_t *at, struct mp_error *err)
{
    const struct mp_page_format *f = t->format;
    unsigned level = level_of(t->root);
    uint64_t table = t->root - level;
    if (is_outside(f, t->root, va))
        return mp_fail(err, "0x%llx is no address of this table; @NAME@.first = 0", (unsigned long long)va);
    while (*at = mp_entry_address(f, t->heads_first, level, table, va), level + 1 < f->levels) {
        const struct mp_pte_form *form = f->form[level++];
        uint64_t entry = mp_physmem_read64(t->memory, *at);
        table = mp_pte_target(form, entry);
        if (!(entry & form->valid) &&
            (mp_frames_take_table(t->frames, t->tenant, &table, err) || write(t, *at, form, table, err)))
            return -1;
    }
    return 0;
}

static int reach(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct mp_error *err)
{
    uint64_t at;
    (void)page_shift;
    return find(t, va, &at, err);
}

static int map(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift, struct mp_error *err)
{
    uint64_t at = 0;
    (void)page_shift;
    return find(t, va, &at, err) || write(t, at, t->format->form[t->format->levels - 1], pa, err) ? -1 : 0;
}

static void change(struct mp_page_table *t, uint64_t va, uint64_t at, uint64_t entry)
{
    (void)va;
    mp_physmem_write64(t->memory, at, entry);
}

/* ---- walks ---- */

static void begin(struct mp_table_walk *x)
{
    x->step = level_of(x->root);
    x->at = mp_entry_address(x->format, x->heads_first, x->step, x->root - x->step, x->va);
}

static bool next(struct mp_table_walk *x)
{
    x->number = x->step;
    x->form = x->format->form[x->number];
    x->entry_at = x->at;
    x->entry = is_outside(x->format, x->root, x->va) ? 0 : mp_physmem_read64(x->memory, x->at);
    if (x->form->page_shift || !(x->entry & x->form->valid))
        return false;
    x->at = mp_entry_address(x->format, x->heads_first, ++x->step, mp_pte_target(x->form, x->entry), x->va);
    return true;
}

static const struct mp_page_table_design table = {
    .design = {.name = "@NAME@", .title = "a tree of tables with a level less", .params = params},
    .check = check,
    .init = init,
    .reach = reach,
    .map = map,
    .change = change,
    .begin = begin,
    .next = next,
};

static const struct mp_plugin_design designs[] = {{"page_table_design", &table}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
