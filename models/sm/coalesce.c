/* SPDX-License-Identifier: Apache-2.0 */
#include "sm/coalesce.h"

#include "engine/mshr.h"

/* What has been coalesced so far of one access. */
struct result {
    struct mp_req *first_page, *last_page, *last_line;
    uint64_t page, line; /* of the last request */
    uint32_t pages, lines;
};

static struct mp_req *new_request(struct mp_coalescer *c, uint64_t line, const struct mp_req *like)
{
    struct mp_req *req = mp_pool_get(c->pool);
    *req = *like;
    req->va = line << c->line_shift;
    req->next = req->more = NULL;
    return req;
}

static struct mp_req *add_page(struct mp_coalescer *c, struct result *r, uint64_t line,
                               const struct mp_req *like)
{
    struct mp_req *req = new_request(c, line, like);
    if (r->last_page)
        r->last_page->next = req;
    else
        r->first_page = req;
    r->last_page = r->last_line = req;
    r->pages++;
    r->lines++;
    return req;
}

/* Lines that come in one direction: only the last one can come again. */
static void add_in_order(struct mp_coalescer *c, struct result *r, uint64_t line, const struct mp_req *like)
{
    if (r->lines && line == r->line)
        return;
    uint64_t page = line >> (c->page_shift - c->line_shift);
    if (r->pages && page == r->page) {
        struct mp_req *req = new_request(c, line, like);
        r->last_line->more = req;
        r->last_line = req;
        r->lines++;
    } else {
        add_page(c, r, line, like);
    }
    r->page = page;
    r->line = line;
}

static struct mp_coalesce_slot *find_slot(struct mp_coalesce_slot *table, uint32_t generation, uint64_t key)
{
    uint32_t i = (uint32_t)(mp_mix(key) % MP_COALESCE_SLOTS);
    while (table[i].generation == generation && table[i].key != key)
        i = (i + 1) % MP_COALESCE_SLOTS;
    return &table[i];
}

static void add_anywhere(struct mp_coalescer *c, struct result *r, uint64_t line, const struct mp_req *like)
{
    if (r->lines && line == r->line)
        return;
    r->line = line;
    struct mp_coalesce_slot *l = find_slot(c->line, c->generation, line);
    if (l->generation == c->generation)
        return;
    l->generation = c->generation;
    l->key = line;
    uint64_t page = line >> (c->page_shift - c->line_shift);
    struct mp_coalesce_slot *p = find_slot(c->page, c->generation, page);
    if (p->generation == c->generation) {
        p->tail->more = new_request(c, line, like);
        p->tail = p->tail->more;
        r->lines++;
    } else {
        p->generation = c->generation;
        p->key = page;
        p->tail = add_page(c, r, line, like);
    }
}

static void add_scattered(struct mp_coalescer *c, struct result *r, const struct gwt_event *a,
                          const struct mp_req *like)
{
    if (!++c->generation) { /* the count has wrapped: slots could look fresh that are not */
        for (uint32_t i = 0; i < MP_COALESCE_SLOTS; i++)
            c->page[i].generation = c->line[i].generation = 0;
        c->generation = 1;
    }
    for (uint32_t i = 0; i < a->active; i++) {
        uint64_t first = a->lane[i] >> c->line_shift, last = (a->lane[i] + a->bytes - 1) >> c->line_shift;
        for (uint64_t line = first; line <= last; line++)
            add_anywhere(c, r, line, like);
    }
}

static void add_strided(struct mp_coalescer *c, struct result *r, const struct gwt_event *a,
                        const struct mp_req *like)
{
    uint64_t address = a->base;
    for (uint32_t i = 0; i < a->active; i++, address += (uint64_t)a->stride) {
        uint64_t first = address >> c->line_shift, last = (address + a->bytes - 1) >> c->line_shift;
        bool falling = a->stride < 0;
        add_in_order(c, r, falling ? last : first, like);
        if (first != last)
            add_in_order(c, r, falling ? first : last, like);
    }
}

/* One run of bytes without a gap. */
static void add_run(struct mp_coalescer *c, struct result *r, uint64_t base, uint64_t bytes,
                    const struct mp_req *like)
{
    uint64_t last = (base + bytes - 1) >> c->line_shift;
    for (uint64_t line = base >> c->line_shift; line <= last; line++)
        add_in_order(c, r, line, like);
}

struct mp_req *mp_coalesce(struct mp_coalescer *c, const struct gwt_event *a, const struct mp_req *like,
                           uint32_t *pages, uint32_t *lines)
{
    struct result r = {0};
    switch (a->mode) {
    case GWT_SAME:
        add_run(c, &r, a->base, a->bytes, like);
        break;
    case GWT_UNIT:
        add_run(c, &r, a->base, (uint64_t)a->bytes * a->active, like);
        break;
    case GWT_STRIDE:
        add_strided(c, &r, a, like);
        break;
    default:
        add_scattered(c, &r, a, like);
    }
    *pages = r.pages;
    *lines = r.lines;
    return r.first_page;
}
