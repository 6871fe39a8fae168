/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/xray.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mp_xray_init(struct mp_xray_report *r, const struct mp_plan *plan, uint64_t cycle, uint64_t page_bytes,
                 uint64_t line_bytes)
{
    *r = (struct mp_xray_report){.plan = plan,
                                 .cycle = cycle,
                                 .page_shift = (uint32_t)__builtin_ctzll(page_bytes),
                                 .line_shift = (uint32_t)__builtin_ctzll(line_bytes),
                                 .block = calloc(plan->blocks + 1, sizeof *r->block),
                                 .edge = calloc(plan->links + 1, sizeof *r->edge)};
    if (r->block && r->edge)
        return 0;
    mp_xray_free(r);
    return -1;
}

void mp_xray_free(struct mp_xray_report *r)
{
    free(r->block);
    free(r->edge);
    free(r->room);
    free(r->item);
    free(r->oldest);
    *r = (struct mp_xray_report){0};
}

/* Room for one element more. */
static bool grow(struct mp_xray_report *r, void **array, uint32_t count, uint32_t *size, size_t bytes)
{
    if (count < *size)
        return true;
    uint32_t larger = *size ? 2 * *size : 256;
    void *more = r->failed ? NULL : realloc(*array, larger * bytes);
    r->failed = !more;
    if (!more)
        return false;
    *array = more;
    *size = larger;
    return true;
}

static void add_room(void *report, const char *name, uint64_t used, uint64_t most)
{
    struct mp_xray_report *r = report;
    if (!used || !grow(r, (void **)&r->room, r->rooms, &r->rooms_size, sizeof *r->room))
        return; /* what is empty holds nothing up */
    r->room[r->rooms++] = (struct mp_xray_structure){name, used, most};
    r->block[r->at - 1].rooms++;
}

static void add_wait(void *report, const struct mp_xray_wait *wait)
{
    struct mp_xray_report *r = report;
    if (!grow(r, (void **)&r->item, r->items, &r->items_size, sizeof *r->item))
        return;
    r->item[r->items++] =
        (struct mp_xray_item){.wait = *wait, .block = r->at - 1, .link = MP_XRAY_NONE, .next = MP_XRAY_NONE};
    r->block[r->at - 1].items++;
}

struct mp_xray mp_xray_sink(struct mp_xray_report *r)
{
    return (struct mp_xray){r, add_room, add_wait};
}

void mp_xray_show(struct mp_xray_report *r, const void *model)
{
    const struct mp_block_kind *kind = r->plan->block[r->at].kind;
    struct mp_xray sink = mp_xray_sink(r);
    r->block[r->at++] =
        (struct mp_xray_block){.foreign = !model, .first_room = r->rooms, .first_item = r->items};
    if (model && kind->xray)
        kind->xray(model, &sink);
}

/* ---- what waits for what ---- */

static bool same(uint64_t a, uint64_t b, uint32_t shift)
{
    return a != MP_XRAY_UNKNOWN && b != MP_XRAY_UNKNOWN && a >> shift == b >> shift;
}

/* Whether a link's addresses are virtual. */
static bool sends_virtual(const struct mp_xray_wait *above, const struct mp_plan_block *to)
{
    return to->kind->in_virtual || above->out == MP_XRAY_ANY;
}

/* Whether `below`, in a block that the link leads to, may be what was sent on for `above`. */
static bool is_sent_for(const struct mp_xray_report *r, const struct mp_xray_wait *above,
                        const struct mp_plan_link *link, const struct mp_xray_wait *below)
{
    const struct mp_plan_block *to = &r->plan->block[link->to];
    bool from = above->from && below->from;
    if (above->asks == MP_XRAY_UNKNOWN)
        return from ? above->sm == below->sm && above->warp == below->warp
                    : to->sms == 1 && to->first_sm == above->sm;
    if (from && above->asid != below->asid)
        return false;
    if (link->kind == MP_LINK_TRANSLATION)
        return same(above->asks, below->va, r->page_shift);
    return same(above->asks, sends_virtual(above, to) ? below->va : below->pa, r->line_shift);
}

static bool older(const struct mp_xray_report *r, uint32_t a, uint32_t b)
{
    uint64_t x = r->item[a].wait.since, y = r->item[b].wait.since;
    return x != y ? x < y : a < b;
}

/*
 * The values that is_sent_for compares, as keys of a hash table: each item is in a list under each of its
 * keys, the oldest item first. A list may have items of other keys, too.
 */
enum { BY_WARP, BY_PAGE, BY_VIRTUAL_LINE, BY_PHYSICAL_LINE, KEYS };

#define NO_WARP UINT64_MAX /* key of items whose origin is not known */

struct index {
    uint32_t mask;
    uint32_t *head, *next; /* entry of an item's key: item * KEYS + key; next: by entry */
};

static uint32_t *list_of(const struct index *x, uint32_t block, unsigned key, uint64_t value)
{
    uint64_t hash = (value * KEYS + key) * 0x9e3779b97f4a7c15u + block;
    hash *= 0xbf58476d1ce4e5b9u;
    return &x->head[(hash >> 32) & x->mask];
}

static uint64_t warp_of(const struct mp_xray_wait *w)
{
    return w->from ? (uint64_t)w->sm << 8 | w->warp : NO_WARP;
}

static void enter(struct index *x, const struct mp_xray_report *r, uint32_t item)
{
    const struct mp_xray_wait *w = &r->item[item].wait;
    const uint64_t value[KEYS] = {[BY_WARP] = warp_of(w),
                                  [BY_PAGE] = w->va >> r->page_shift,
                                  [BY_VIRTUAL_LINE] = w->va >> r->line_shift,
                                  [BY_PHYSICAL_LINE] = w->pa >> r->line_shift};
    for (unsigned key = 0; key < KEYS; key++) {
        uint32_t *list = list_of(x, r->item[item].block, key, value[key]);
        x->next[item * KEYS + key] = *list;
        *list = item * KEYS + key;
    }
}

/* r->oldest is sorted. */
static bool make_index(struct index *x, const struct mp_xray_report *r)
{
    size_t lists = 1;
    while (lists < (size_t)r->items * KEYS)
        lists *= 2;
    x->mask = (uint32_t)(lists - 1);
    x->head = malloc(lists * sizeof *x->head);
    x->next = malloc(((size_t)r->items * KEYS + 1) * sizeof *x->next);
    if (!x->head || !x->next)
        return false;
    for (size_t i = 0; i < lists; i++)
        x->head[i] = MP_XRAY_NONE;
    for (uint32_t i = r->items; i-- > 0;)
        enter(x, r, r->oldest[i]);
    return true;
}

struct search {
    struct mp_xray_report *r;
    struct index index;
};

/* The oldest item under this key of the block behind the link that was sent on for `above`. */
static uint32_t find_by(const struct search *s, const struct mp_xray_wait *above,
                        const struct mp_plan_link *link, unsigned key, uint64_t value)
{
    for (uint32_t e = *list_of(&s->index, link->to, key, value); e != MP_XRAY_NONE; e = s->index.next[e]) {
        const struct mp_xray_item *i = &s->r->item[e / KEYS];
        if (i->block == link->to && is_sent_for(s->r, above, link, &i->wait))
            return e / KEYS;
    }
    return MP_XRAY_NONE;
}

/* The oldest item of the block behind the link that was sent on for `above`. */
static uint32_t find_in(const struct search *s, const struct mp_xray_wait *above,
                        const struct mp_plan_link *link)
{
    const struct mp_xray_report *r = s->r;
    if (above->asks == MP_XRAY_UNKNOWN) {
        uint32_t known = find_by(s, above, link, BY_WARP, warp_of(above));
        uint32_t other = find_by(s, above, link, BY_WARP, NO_WARP);
        return known == MP_XRAY_NONE || (other != MP_XRAY_NONE && older(r, other, known)) ? other : known;
    }
    if (link->kind == MP_LINK_TRANSLATION)
        return find_by(s, above, link, BY_PAGE, above->asks >> r->page_shift);
    return find_by(s, above, link,
                   sends_virtual(above, &r->plan->block[link->to]) ? BY_VIRTUAL_LINE : BY_PHYSICAL_LINE,
                   above->asks >> r->line_shift);
}

/* Behind the link. A cache may have passed the request on without a record. */
static uint32_t find_below(const struct search *s, const struct mp_xray_wait *above, uint32_t link)
{
    const struct mp_plan_link *l = &s->r->plan->link[link];
    const struct mp_plan_block *b = &s->r->plan->block[l->to];
    uint32_t found = find_in(s, above, l);
    if (b->kind->in != MP_LINK_MEMORY || s->r->block[l->to].foreign)
        return found;
    for (uint32_t i = 0; found == MP_XRAY_NONE && i < b->links; i++)
        found = find_below(s, above, b->first_link + i);
    return found;
}

static void join(const struct search *s, struct mp_xray_item *item)
{
    struct mp_xray_report *r = s->r;
    const struct mp_plan_block *b = &r->plan->block[item->block];
    if (item->wait.out == MP_XRAY_HERE)
        return;
    for (uint32_t k = b->first_link; item->next == MP_XRAY_NONE && k < b->first_link + b->links; k++) {
        if (item->wait.out != MP_XRAY_ANY && r->plan->link[k].out != item->wait.out)
            continue;
        item->next = find_below(s, &item->wait, k);
        if (item->next != MP_XRAY_NONE || item->wait.out != MP_XRAY_ANY)
            item->link = k;
    }
    if (item->link == MP_XRAY_NONE) {
        r->block[item->block].between++;
        return;
    }
    struct mp_xray_edge *e = &r->edge[item->link];
    e->items++;
    e->between += item->next == MP_XRAY_NONE;
    if (item->wait.since < e->since)
        e->since = item->wait.since;
}

/* A request without a place waits for the oldest one that has a place. */
static void join_outside(struct mp_xray_report *r, const struct mp_xray_block *b)
{
    uint32_t first = MP_XRAY_NONE;
    for (uint32_t i = b->first_item; i < b->first_item + b->items; i++)
        if (!r->item[i].wait.outside && (first == MP_XRAY_NONE || older(r, i, first)))
            first = i;
    for (uint32_t i = b->first_item; i < b->first_item + b->items; i++)
        if (r->item[i].wait.outside)
            r->item[i].next = first;
}

static int compare(const void *a, const void *b, void *report)
{
    return older(report, *(const uint32_t *)a, *(const uint32_t *)b) ? -1 : 1;
}

int mp_xray_finish(struct mp_xray_report *r)
{
    struct search s = {.r = r};
    r->oldest = r->failed ? NULL : malloc((r->items + 1) * sizeof *r->oldest);
    if (!r->oldest)
        return -1;
    for (uint32_t i = 0; i < r->items; i++)
        r->oldest[i] = i;
    qsort_r(r->oldest, r->items, sizeof *r->oldest, compare, r);
    bool indexed = make_index(&s.index, r);
    for (uint32_t k = 0; k < r->plan->links; k++)
        r->edge[k].since = MP_XRAY_UNKNOWN;
    for (uint32_t i = 0; indexed && i < r->items; i++)
        join(&s, &r->item[i]);
    for (uint32_t i = 0; i < r->plan->blocks; i++)
        join_outside(r, &r->block[i]);
    free(s.index.head);
    free(s.index.next);
    return indexed ? 0 : -1;
}

/* ---- words ---- */

uint32_t mp_xray_end(const struct mp_xray_report *r, uint32_t item)
{
    while (r->item[item].next != MP_XRAY_NONE)
        item = r->item[item].next;
    return item;
}

const char *mp_xray_place(const struct mp_xray_report *r, uint32_t item, char text[MP_XRAY_TEXT])
{
    const struct mp_xray_wait *w = &r->item[item].wait;
    if (w->number == MP_XRAY_NONE)
        snprintf(text, MP_XRAY_TEXT, "%s", w->where);
    else
        snprintf(text, MP_XRAY_TEXT, "%s %" PRIu32, w->where, w->number);
    return text;
}

const char *mp_xray_why(const struct mp_xray_report *r, uint32_t item, bool lost, char text[MP_XRAY_TEXT])
{
    const struct mp_xray_item *i = &r->item[item];
    const char *path = i->link == MP_XRAY_NONE ? "" : r->plan->block[r->plan->link[i->link].to].path;
    if (r->block[i->block].foreign)
        snprintf(text, MP_XRAY_TEXT, "a foreign module, which has not answered");
    else if (i->wait.out == MP_XRAY_HERE)
        snprintf(text, MP_XRAY_TEXT, "%s", i->wait.outside ? "waits for its turn" : "is being worked on");
    else if (i->link == MP_XRAY_NONE)
        snprintf(text, MP_XRAY_TEXT, "%s",
                 lost ? "no block below has it: lost" : "on its way to or from a block below");
    else if (lost)
        snprintf(text, MP_XRAY_TEXT, "%s does not have it: the request or its answer is lost", path);
    else
        snprintf(text, MP_XRAY_TEXT, "on its way to or from %s", path);
    return text;
}

const char *mp_xray_op(const struct mp_xray_wait *wait)
{
    static const char *const names[] = {[MP_LOAD] = "load",         [MP_STORE] = "store",
                                        [MP_ATOMIC] = "atomic",     [MP_TRANSLATE] = "translate",
                                        [MP_PTE_READ] = "pte read", [MP_WRITEBACK] = "writeback",
                                        [MP_HINT] = "hint"};
    return !wait->from ? "-" : wait->op < sizeof names / sizeof *names ? names[wait->op] : "access";
}

const char *mp_xray_oldest(const struct mp_xray_report *r, int tenant, bool lost, char text[MP_XRAY_LINE])
{
    char where[MP_XRAY_TEXT], why[MP_XRAY_TEXT];
    uint32_t i = 0;
    while (i < r->items && tenant >= 0 &&
           (!r->item[r->oldest[i]].wait.from || r->item[r->oldest[i]].wait.tenant != (unsigned)tenant))
        i++;
    if (i == r->items) {
        snprintf(text, MP_XRAY_LINE, "no block has a request%s", tenant < 0 ? "" : " of this tenant");
        return text;
    }
    const struct mp_xray_wait *first = &r->item[r->oldest[i]].wait;
    uint32_t end = mp_xray_end(r, r->oldest[i]);
    snprintf(text, MP_XRAY_LINE, "the oldest request, %s of SM %u since cycle %" PRIu64 ", is in %s (%s): %s",
             mp_xray_op(first), first->sm, first->since, r->plan->block[r->item[end].block].path,
             mp_xray_place(r, end, where), mp_xray_why(r, end, lost, why));
    return text;
}
