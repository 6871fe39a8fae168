/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/method/entry.h"

#include <string.h>

#include "vm/contiguity.h"

#define LINE      128u
#define RUN_PAGES 4u

struct mp_pte_form mp_walk_table_form(uint64_t extra)
{
    struct mp_pte_form f = mp_page_format(65536)->form[0][0];
    f.bits &= ~extra;
    f.known |= extra;
    return f;
}

struct mp_pte_form mp_walk_leaf_form(uint32_t page_shift, uint64_t extra)
{
    const struct mp_page_format *format = mp_page_format(1ull << page_shift);
    struct mp_pte_form f = format->form[format->levels - 1][0];
    f.bits &= ~extra;
    f.known |= extra;
    return f;
}

/* The first thing that is wrong with an entry. */
static enum mp_fault flaw(const struct mp_walker *k, const struct mp_pte_form *f, uint64_t entry)
{
    if (k->table & MP_WALK_NOWHERE)
        return k->walk->va >> k->format->va_bits ? MP_FAULT_NOT_VALID : MP_FAULT_ROOT;
    if (!(entry & f->valid))
        return MP_FAULT_NOT_VALID;
    if (entry & ~f->known)
        return MP_FAULT_RESERVED;
    if ((entry & f->kind) != f->is)
        return f->page_shift ? MP_FAULT_TABLE : MP_FAULT_LEAF;
    if ((entry & f->bits & ~f->address) != f->value)
        return MP_FAULT_RESERVED;
    return entry & f->bits & f->address ? MP_FAULT_MISALIGNED : MP_FAULT_OUTSIDE;
}

enum mp_walk_step mp_walk_fail(struct mp_walker *k, const struct mp_pte_form *f, uint64_t entry)
{
    enum mp_fault cause = flaw(k, f, entry);

    k->walk->pa = k->table & MP_WALK_NOWHERE ? 0 : k->at;
    k->walk->fault = (uint8_t)(cause | k->format->level[k->level] << MP_FAULT_LEVEL_SHIFT);
    k->walk->span = (struct mp_span){0};
    return MP_WALK_END;
}

/* --- entries of two halves ------------------------------------------------------------------------------ */

static bool leads_on(const struct mp_walker *k)
{
    return k->other_at && k->other & k->format->other.valid;
}

void mp_walk_keep_halves(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const bool leads = entry & mp_pte_form(k->format, k->level, entry)->valid;
    k->other_at = k->at + 8;
    k->other = mp_walk_entry(w, k->other_at);
    if (!leads_on(k) ? leads : mp_walk_good(w, k, &k->format->other, k->other))
        mp_pwc_fill_halves(&w->pwc, k->walk->asid, k->level, k->walk->va, entry, k->other);
}

/* The second half counts. */
static enum mp_walk_step take_other(struct mp_walk *w, struct mp_walker *k)
{
    const struct mp_pte_form *f = &k->format->other;
    if (!mp_walk_good(w, k, f, k->other)) {
        k->at = k->other_at;
        k->level = k->format->dual;
        return mp_walk_fail(k, f, k->other);
    }
    k->other_at = 0;
    mp_walk_point(w, k, f->next, mp_pte_target(f, k->other));
    return MP_WALK_READ;
}

enum mp_walk_step mp_walk_refuse(struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *f,
                                 uint64_t entry)
{
    if (entry & f->valid || mp_pte_ends(f, entry))
        return mp_walk_fail(k, f, entry);
    if (mp_walk_dual(k->format, k->level))
        mp_walk_keep_halves(w, k, entry);
    return leads_on(k) ? take_other(w, k) : mp_walk_fail(k, f, entry);
}

/* The page walk cache has this entry of two halves, at least one of which leads on. */
static void enter_halves(struct mp_walk *w, struct mp_walker *k, unsigned level, uint64_t entry)
{
    const struct mp_pte_form *f = mp_pte_form(k->format, level, entry);
    k->other = mp_pwc_second_half(&w->pwc, k->walk->asid, level, k->walk->va);
    k->other_at = entry & f->valid ? 1 : 0; /* no fault will name its address, since it is good */
    if (!(entry & f->valid)) {
        f = &k->format->other;
        entry = k->other;
    }
    mp_walk_point(w, k, f->next, mp_pte_target(f, entry));
}

/* ------------------------------------------------------------------------------------------------------------
 */

int mp_walk_check_single(const struct mp_walk_params *p, struct mp_error *err)
{
    if (!p->format->dual)
        return 0;
    return mp_fail(err, "method: %s does not know entries of two halves, as format %s has them; on_return",
                   p->method->design.name, p->format->name);
}

int mp_walk_check_4k(const struct mp_walk_params *p, struct mp_error *err)
{
    if (p->format->contiguity)
        return 0;
    if (strcmp(p->format->name, "mempath") != 0)
        return mp_fail(err,
                       "method: %s needs contiguity bits, which format %s does not have; vm.format = mempath",
                       p->method->design.name, p->format->name);
    return mp_fail(err, "method: %s is for pages of 4096 B, not of %llu B; set machine.page_bytes",
                   p->method->design.name, 1ull << p->format->page_shift);
}

enum mp_walk_step mp_walk_enter(struct mp_walk *w, struct mp_walker *k, uint64_t *above)
{
    const struct mp_req *req = k->walk;
    struct mp_walk_stats *s = k->stats;
    if (!w->pwc.sets) {
        mp_walk_point_at_root(w, k);
        return MP_WALK_READ;
    }
    unsigned level = mp_pwc_lookup(&w->pwc, req->asid, req->va, above);
    s->pwc_lookups++;
    s->pwc_hits += level > 0;
    k->other_at = 0;
    if (level && mp_walk_dual(k->format, level - 1)) {
        enter_halves(w, k, level - 1, *above);
    } else if (level) {
        const struct mp_pte_form *f = mp_pte_form(k->format, level - 1, *above);
        mp_walk_point(w, k, f->next, mp_pte_target(f, *above));
    } else {
        mp_walk_point_at_root(w, k);
    }
    k->delay = w->p.pwc_latency;
    return MP_WALK_READ_LATER;
}

/* Whether the page d pages further has a leaf in the line that was read, and continues the walker's page. */
static bool continues(const struct mp_walk *w, const struct mp_walker *k, uint64_t entry, int64_t d)
{
    uint64_t va = k->walk->va + (uint64_t)(d * (int64_t)MP_FRAME_BYTES);
    uint64_t at = mp_walk_leaf_at(w, k, k->table, va);
    return at / LINE == k->at / LINE && mp_walk_entry(w, at) == mp_pte_continued(entry, d);
}

void mp_walk_run(const struct mp_walk *w, struct mp_walker *k, const struct mp_pte_form *f, uint64_t entry)
{
    int64_t page = (int64_t)(k->walk->va / MP_FRAME_BYTES % RUN_PAGES), before = 0, after = 0;
    while (before < page && continues(w, k, entry, -before - 1))
        before++;
    while (page + after < RUN_PAGES - 1 && continues(w, k, entry, after + 1))
        after++;
    mp_walk_page(k, f, entry);
    k->walk->span.before = before & 3;
    k->walk->span.after = after & 3;
}

enum mp_walk_step mp_walk_begin(struct mp_walk *w, struct mp_walker *k)
{
    uint64_t above;
    return mp_walk_enter(w, k, &above);
}

uint32_t mp_walk_work(const struct mp_walk *w, const struct mp_req *walk)
{
    return w->format[walk->asid]->levels - mp_pwc_peek(&w->pwc, walk->asid, walk->va);
}
