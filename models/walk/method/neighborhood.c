/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coalesced walks, after the idea of Shin et al., "Neighborhood-Aware Address Translation for Irregular GPU
 * Applications" (MICRO 2018): memory is read in lines, and a line of 64 B that a walk reads has the entries
 * of 8 neighbouring pages, or of 8 neighbouring tables at an upper level. What follows was written from the
 * paper's public abstract and from a third party's summary of its mechanism. These say that an entry which
 * has come serves all walks in the buffer that need an entry of its line; that a walk served at an upper
 * level goes on below it when it starts; and that a walk which a walk in flight can serve is not started.
 * All details below were chosen here, and may differ from those of the paper.
 *
 * A walk is as that of `on_return`, and
 * - answers all walks in queues whose leaf is in the line of its own, when it ends. Each answer is that of
 * the walk's own entry, a fault too. A walk that ends with a fault above the leaves answers the same walks,
 *   whose way down is the same;
 * - has walks join it, which the scheduler has chosen for a walker and whose leaf is in the line of its own.
 *   They have left their queue, and take no walker;
 * - gives the walks in queues that have an entry in a line of an upper level the table to which this entry
 *   points, if it is good. They begin there, if the page walk cache does not know a lower one. These entries
 *   do not come into the page walk cache.
 *
 * The paper also keeps a walk from starting that a walk in flight would serve at an upper level. Here it
 * starts. Requests that are held at ports, since the queue has no room, are not served.
 *
 * A change of a page that has an entry in the line that is read concerns the walk, as one of its own page.
 */
#include "walk/method/entry.h"

enum { LINE, LEVELS };

static const struct mp_design_param params[] = {
    [LINE] = {"line", "B", NULL, 64, 8, 4096, "MICRO 2018 abstract",
              "bytes of page table that one read brings", MP_DESIGN_POWER_OF_TWO},
    [LEVELS] = {"levels", "levels", NULL, MP_MAX_LEVELS, 1, MP_MAX_LEVELS, "mempath",
                "levels whose lines serve waiting walks, from the leaves upwards", 0},
    {0},
};

struct neighborhood_stats {
    uint64_t answered, joined, resumed, saved;
};

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct neighborhood_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(answered, "walks", "answered by another walk, without a walker"),
    COUNTER(joined, "walks", "of these, those that a walk in flight kept from starting"),
    COUNTER(resumed, "walks", "that began below what the page walk cache knew"),
    COUNTER(saved, "entries",
            "not read by those answered and resumed, of those that the page walk cache left"),
};
static const struct mp_metric_table counters = {"walk.neighborhood", sizeof(struct neighborhood_stats),
                                                sizeof metrics / sizeof *metrics, metrics};

struct neighborhood {
    uint32_t line, levels;
};

static size_t bytes(const struct mp_walk_params *p)
{
    (void)p;
    return sizeof(struct neighborhood);
}

static void init(void *state, const struct mp_walk_params *p)
{
    struct neighborhood *n = state;
    n->line = (uint32_t)p->values.v[LINE];
    n->levels = (uint32_t)p->values.v[LEVELS];
}

static struct neighborhood_stats *stats_of(const struct mp_walk *w, const struct mp_req *walk)
{
    return (struct neighborhood_stats *)w->method_stats + walk->tenant;
}

/* Number of the table of the smallest pages. */
static unsigned leaf_of(const struct mp_page_format *f)
{
    return f->levels - 1;
}

static bool is_last(const struct mp_page_format *f, unsigned table)
{
    return f->level[table] == leaf_of(f);
}

/* Address of the entry for va in a table with this number. */
static uint64_t entry_at(const struct mp_walk *w, const struct mp_page_format *f, unsigned number,
                         uint64_t table, uint64_t va)
{
    return mp_entry_address(f, w->p.heads_first, number, table, va);
}

/* Whether the entries of two walks in the tables with this number are in one line. */
static bool same_line(const struct mp_walk *w, unsigned number, const struct mp_req *a,
                      const struct mp_req *b)
{
    const struct neighborhood *n = w->method;
    if (a->asid != b->asid)
        return false;
    const struct mp_page_format *f = w->format[a->asid];
    unsigned level = f->level[number];
    bool same_table = !level || !((a->va ^ b->va) >> f->low_bit[level - 1]);
    return same_table &&
           entry_at(w, f, number, 0, a->va) / n->line == entry_at(w, f, number, 0, b->va) / n->line;
}

/* ---- waiting walks ---- */

static bool joins(struct mp_walk *w, const struct mp_req *walk)
{
    for (uint32_t i = 0; i < w->p.geometry.walkers; i++)
        if (w->walker[i].walk && same_line(w, leaf_of(w->walker[i].format), w->walker[i].walk, walk)) {
            stats_of(w, walk)->joined++;
            return true;
        }
    return false;
}

/* Whether the walker, at the end of its walk, has read the line with the walk's last entry. A large page ends
 * above the last level; then the walk's entry must be the same one. */
static bool has_read(const struct mp_walk *w, const struct mp_walker *k, const struct mp_req *walk)
{
    const struct mp_page_format *f = k->format;
    if (is_last(f, k->level) || k->walk->fault)
        return same_line(w, is_last(f, k->level) ? k->level : leaf_of(f), k->walk, walk);
    return same_line(w, k->level, k->walk, walk) && entry_at(w, f, k->level, k->table, walk->va) == k->at;
}

static bool answers(struct mp_walk *w, const struct mp_walker *k, struct mp_req *walk)
{
    if (!has_read(w, k, walk))
        return false;
    struct mp_walker other = *k; /* as if it had read the walk's entry */
    other.walk = walk;
    other.at = entry_at(w, k->format, k->level, k->table, walk->va);
    uint64_t entry = mp_walk_entry(w, other.at);
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (mp_walk_good(w, k, form, entry))
        mp_walk_page(&other, form, entry);
    else
        mp_walk_fail(&other, form, entry);
    struct neighborhood_stats *s = stats_of(w, walk);
    s->answered++;
    s->saved += mp_walk_work(w, walk);
    return true;
}

/* The walker has read an upper entry. A waiting walk gets the table to which its entry in the line points. */
static void give(struct mp_walk *w, const struct mp_walker *k, const struct mp_req *walk)
{
    struct mp_walk_record *r = mp_walk_record_of(&w->records, walk);
    if (r->level > k->level || !same_line(w, k->level, k->walk, walk))
        return;
    uint64_t entry = mp_walk_entry(w, entry_at(w, k->format, k->level, k->table, walk->va));
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (form->page_shift || !mp_walk_good(w, k, form, entry))
        return;
    r->level = form->next;
    r->table = mp_pte_target(form, entry);
}

static void give_all(struct mp_walk *w, const struct mp_walker *k)
{
    for (uint32_t i = 0; i < mp_intake_queues(&w->intake); i++) {
        const struct mp_req_queue *q = mp_intake_queue(&w->intake, i);
        const struct mp_req *walk = q->head;
        for (uint32_t n = q->length; n--; walk = walk->next)
            give(w, k, walk);
    }
}

/* ---- a walk's steps ---- */

/* Number of reads that a waiting walk has before it. */
static uint32_t work(const struct mp_walk *w, const struct mp_req *walk)
{
    const struct mp_page_format *f = w->format[walk->asid];
    uint32_t given = f->levels - f->level[mp_walk_record_of(&w->records, walk)->level];
    uint32_t left = mp_walk_work(w, walk);
    return left < given ? left : given;
}

static enum mp_walk_step begin(struct mp_walk *w, struct mp_walker *k)
{
    const struct mp_walk_record *r = mp_walk_record_of(&w->records, k->walk);
    uint64_t above;
    enum mp_walk_step step = mp_walk_enter(w, k, &above);
    if (r->level > k->level) {
        struct neighborhood_stats *s = stats_of(w, k->walk);
        s->resumed++;
        s->saved += k->format->level[r->level] - k->format->level[k->level];
        mp_walk_point(w, k, r->level, r->table);
    }
    return step;
}

/* The first level at which lines serve other walks. */
static uint32_t first_of(const struct mp_walk *w, const struct mp_walker *k)
{
    uint32_t levels = ((const struct neighborhood *)w->method)->levels;
    return k->format->levels > levels ? k->format->levels - levels : 0;
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (!mp_walk_good(w, k, form, entry))
        return mp_walk_fail(k, form, entry);
    if (form->page_shift) {
        mp_walk_page(k, form, entry);
        return MP_WALK_END;
    }
    if (k->level >= first_of(w, k))
        give_all(w, k);
    mp_walk_descend(w, k, form, entry);
    return MP_WALK_READ;
}

/* Log2 of the bytes whose entries in a table with this number are in one line. */
static uint32_t range_of(const struct mp_walk *w, const struct mp_page_format *f, unsigned number)
{
    const struct neighborhood *n = w->method;
    uint32_t line = (uint32_t)__builtin_ctz(n->line), entry = f->entry_shift[number];
    uint32_t index = line > entry ? line - entry : 0;
    if (index > f->bits[number] || (w->p.heads_first && number == leaf_of(f)))
        index = f->bits[number];
    return f->low_bit[number] + index;
}

static uint32_t reach_of(const struct mp_walk *w, const struct mp_walker *k)
{
    const struct mp_page_format *f = k->format;
    return range_of(w, f, f->level[k->level] >= first_of(w, k) ? k->level : leaf_of(f));
}

const struct mp_walk_method mp_walk_neighborhood = {
    .design = {.name = "neighborhood",
               .title = "as on_return; a line of entries serves all waiting walks that need one of them",
               .params = params,
               .counters = &counters},
    .check = mp_walk_check_single,
    .bytes = bytes,
    .init = init,
    .begin = begin,
    .next = next,
    .again = mp_walk_point_at_root,
    .work = work,
    .joins = joins,
    .answers = answers,
    .reach_of = reach_of,
};
