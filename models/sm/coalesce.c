/* SPDX-License-Identifier: Apache-2.0 */
#include "sm/coalesce.h"

#include "engine/mshr.h"
#include "trace/gwt_format.h"

/* For lines whose addresses only rise or only fall: those of a page are neighbours. */
static inline void add_in_order(const struct mp_coalescer *c, struct mp_coalesced *out, uint64_t line)
{
    uint32_t n = out->lines;
    uint64_t address = line << c->line_shift;
    out->pages += !n || (out->line[n - 1] ^ address) >> c->page_shift != 0;
    out->line[n] = address;
    out->lines = n + 1;
    out->end[out->pages - 1] = (uint16_t)(n + 1);
}

/* The usual run is in one page. */
static inline void add_run(const struct mp_coalescer *c, struct mp_coalesced *out, uint64_t base,
                           uint64_t bytes)
{
    uint64_t line = base >> c->line_shift, last = (base + bytes - 1) >> c->line_shift;
    if ((line ^ last) >> (c->page_shift - c->line_shift)) {
        for (; line <= last; line++)
            add_in_order(c, out, line);
        return;
    }
    uint32_t n = 0;
    do
        out->line[n++] = line << c->line_shift;
    while (line++ != last);
    out->lines = n;
    out->pages = 1;
    out->end[0] = (uint16_t)n;
}

static __attribute__((noinline)) void add_strided(const struct mp_coalescer *c, struct mp_coalesced *out,
                                                  const struct gwt_step *a)
{
    uint64_t address = a->base, edge = 0; /* edge: the last line that is in the list */
    for (uint32_t i = 0; i < a->active; i++, address += (uint64_t)a->stride) {
        uint64_t first = address >> c->line_shift, last = (address + a->bytes - 1) >> c->line_shift;
        if (first == last && first != edge) { /* by far the most frequent case */
            add_in_order(c, out, first);
            edge = first;
        } else if (a->stride >= 0) {
            for (uint64_t line = i && edge >= first ? edge + 1 : first; line <= last; line++)
                add_in_order(c, out, line);
            edge = i && edge > last ? edge : last;
        } else {
            for (uint64_t line = i && edge <= last ? edge : last + 1; line-- > first;)
                add_in_order(c, out, line);
            edge = i && edge < first ? edge : first;
        }
    }
}

static struct mp_coalesce_slot *find_slot(const struct mp_coalescer *c, struct mp_coalesce_slot *table,
                                          uint64_t key)
{
    uint32_t i = (uint32_t)mp_mix(key) & c->mask;
    while (table[i].generation == c->generation && table[i].key != key)
        i = (i + 1) & c->mask;
    return &table[i];
}

/* The different lines in the order of their first touch, with the page of each. */
struct touched {
    uint32_t lines, pages;
    uint64_t line[MP_COALESCE_LINES];
    uint16_t page[MP_COALESCE_LINES], of_page[MP_COALESCE_LINES]; /* of_page: lines of each page */
};

static void touch(struct mp_coalescer *c, struct touched *t, uint64_t line)
{
    struct mp_coalesce_slot *l = find_slot(c, c->line, line);
    if (l->generation == c->generation)
        return;
    uint64_t page = line >> (c->page_shift - c->line_shift);
    struct mp_coalesce_slot *p = find_slot(c, c->page, page);
    if (p->generation != c->generation) {
        *p = (struct mp_coalesce_slot){page, c->generation, (uint16_t)t->pages};
        t->of_page[t->pages++] = 0;
    }
    *l = (struct mp_coalesce_slot){line, c->generation, p->page};
    t->page[t->lines] = p->page;
    t->line[t->lines++] = line << c->line_shift;
    t->of_page[p->page]++;
}

/* Lanes whose addresses rise touch their lines in order. False: they do not rise. */
static bool add_rising(const struct mp_coalescer *c, struct mp_coalesced *out, const struct gwt_step *a)
{
    const uint8_t *delta = a->deltas;
    uint64_t address = a->base, next = 0; /* next: after the last line in the list */
    for (uint32_t i = 0;;) {
        uint64_t line = address >> c->line_shift, last = (address + a->bytes - 1) >> c->line_shift;
        for (line = line > next ? line : next; line <= last; line++)
            add_in_order(c, out, line);
        next = line;
        if (++i == a->active)
            return true;
        struct gwt_varint step = gwt_varint(delta);
        if (step.value & 1) /* as zigzag has negative numbers */
            return false;
        delta = step.next;
        address += step.value >> 1;
    }
}

static __attribute__((noinline)) void add_scattered(struct mp_coalescer *c, struct mp_coalesced *out,
                                                    const struct gwt_step *a)
{
    struct touched t;
    uint64_t lane[GWT_LANES];
    if (add_rising(c, out, a))
        return;
    t.lines = t.pages = 0;
    gwt_step_lanes(a, lane);
    if (!++c->generation) { /* it has wrapped: vacant slots could look filled */
        for (uint32_t i = 0; i < MP_COALESCE_SLOTS; i++)
            c->page[i].generation = c->line[i].generation = 0;
        c->generation = 1;
    }
    uint32_t most = a->active * (((a->bytes - 1u) >> c->line_shift) + 2);
    c->mask = (most <= MP_COALESCE_FEW ? MP_COALESCE_FEW_SLOTS : MP_COALESCE_SLOTS) - 1;
    for (uint32_t i = 0; i < a->active; i++) {
        uint64_t last = (lane[i] + a->bytes - 1) >> c->line_shift;
        for (uint64_t line = lane[i] >> c->line_shift; line <= last; line++)
            touch(c, &t, line);
    }
    uint16_t next[MP_COALESCE_LINES]; /* the place of each page's next line */
    uint32_t start = 0;
    for (uint32_t p = 0; p < t.pages; p++) {
        next[p] = (uint16_t)start;
        start += t.of_page[p];
        out->end[p] = (uint16_t)start;
    }
    for (uint32_t i = 0; i < t.lines; i++)
        out->line[next[t.page[i]]++] = t.line[i];
    out->pages = t.pages;
    out->lines = t.lines;
}

void mp_coalesce(struct mp_coalescer *c, const struct gwt_step *a, struct mp_coalesced *out)
{
    out->pages = out->lines = 0;
    switch (a->mode) {
    case GWT_SAME:
        add_run(c, out, a->base, a->bytes);
        break;
    case GWT_UNIT:
        add_run(c, out, a->base, (uint64_t)a->bytes * a->active);
        break;
    case GWT_STRIDE:
        add_strided(c, out, a);
        break;
    default:
        add_scattered(c, out, a);
    }
}
