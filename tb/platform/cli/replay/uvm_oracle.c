/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SPACES = 8, MOST_BLOCKS = 4096, MOST_ENTRIES = 8192, HOST = 1, GPU = 2 };

struct page {
    int place; /* 0: nowhere */
    int had_host, remote, dirty;
    /* thrashing */
    uint64_t time, end, deadline, pin_order;
    int events, seen, held, free, holds, pin;
};

struct unit {
    int taken;
    uint64_t emptied, loaded, touch, accesses;
    int intervals;     /* in which it was touched since it was loaded */
    uint64_t interval; /* the last */
};

struct block {
    int alive, asid, read_only, first, end; /* pages of the 2 MB */
    uint64_t number, va;
    struct page page[512];
    struct unit unit[512];
    int states, resets, ever_pinned, event_by;
    uint64_t event, thrashed;
    int run_to, run;
    uint64_t count[32];
    int noticed[32], met[32], evictions[32];
};

struct range {
    int alive, asid, first, blocks;
    uint64_t va, bytes;
};

struct entry {
    uint64_t page;
    int asid, access;
    uint32_t sm;
    int merged;
};

struct notice {
    int asid, granule, big[32];
    uint64_t va;
};

struct oracle {
    struct mp_uvm_params p;
    const char *prefetch, *full, *evict, *migrate;
    struct block *block;
    int blocks, ranges;
    struct range range[MOST_BLOCKS];
    int has[SPACES];
    uint64_t used[SPACES], reserve[SPACES], limit[SPACES], units;
    int pages, big, unit_pages, evicted;
    struct entry entry[MOST_ENTRIES];
    uint32_t entries;
    struct notice notice[MOST_ENTRIES];
    uint32_t notices;
    uint64_t clock, draw, pins, now;
    uint64_t loads, decided;
    int regular;
    FILE *out;
};

struct oracle *oracle_new(const struct mp_uvm_params *p)
{
    struct oracle *o = calloc(1, sizeof *o);
    const uint32_t bytes = p->evict->unit ? p->evict->unit : p->page_bytes;
    o->p = *p;
    o->block = calloc(MOST_BLOCKS, sizeof *o->block);
    o->prefetch = p->prefetch->design.name;
    o->full = p->prefetch_full ? p->prefetch_full->design.name : o->prefetch;
    o->evict = p->evict->design.name;
    o->migrate = p->migrate->design.name;
    o->pages = (int)(2097152 / p->page_bytes);
    o->big = (int)(65536 / p->page_bytes);
    o->unit_pages = (int)(bytes / p->page_bytes);
    o->units = p->chunks * (uint64_t)(2097152 / bytes);
    o->draw = p->seed;
    return o;
}

void oracle_free(struct oracle *o)
{
    free(o->block);
    free(o);
}

static int is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static uint64_t draw(struct oracle *o, uint64_t n)
{
    o->draw ^= o->draw << 13;
    o->draw ^= o->draw >> 7;
    o->draw ^= o->draw << 17;
    return n > 1 ? o->draw % n : 0;
}

static int has_counters(const struct oracle *o)
{
    return is(o->migrate, "counter") || is(o->migrate, "oversub") || is(o->migrate, "adaptive");
}

static uint64_t used_by_all(const struct oracle *o)
{
    uint64_t used = 0;
    for (int i = 0; i < SPACES; i++)
        used += o->used[i];
    return used;
}

static struct block *find(struct oracle *o, int asid, uint64_t va)
{
    for (int i = 0; i < o->blocks; i++) {
        struct block *b = &o->block[i];
        const uint64_t page = va % 2097152 / o->p.page_bytes;
        if (b->alive && b->asid == asid && b->number == va / 2097152 && page >= (uint64_t)b->first &&
            page < (uint64_t)b->end)
            return b;
    }
    return NULL;
}

static void list(struct oracle *o, const char *name, const int *set)
{
    int any = 0;
    fprintf(o->out, " %s=", name);
    for (int i = 0; i < 512; i++) {
        int j = i;
        if (!set[i])
            continue;
        while (j < 511 && set[j + 1])
            j++;
        fprintf(o->out, any++ ? ",%d" : "%d", i);
        if (j > i)
            fprintf(o->out, "-%d", j);
        i = j;
    }
    if (!any)
        fputc('-', o->out);
}

/* ---- thrashing ---- */

static int fast(const struct oracle *o, const struct page *g, int place)
{
    return o->p.c2c || g->seen == place || !g->seen;
}

static int reach(const struct oracle *o, const struct page *g, int place)
{
    return place == HOST || o->p.c2c || g->seen == GPU;
}

static void forget(struct page *g)
{
    if (g->held)
        g->end = 0;
    g->held = g->seen = g->events = g->pin = 0;
    g->time = g->deadline = 0;
}

static void deadlines(struct oracle *o)
{
    for (int i = 0; i < o->blocks; i++)
        for (int k = 0; o->block[i].alive && k < 512; k++) {
            struct page *g = &o->block[i].page[k];
            if (g->pin && g->deadline && g->deadline <= o->now) {
                g->remote = 0;
                forget(g);
            }
        }
}

static void event(struct oracle *o, struct block *b, const int *copied, int to)
{
    int unpinned = 0;
    for (int i = 0; i < 512; i++)
        unpinned += copied[i] && !b->page[i].pin;
    if (!o->p.thrashing || !unpinned)
        return;
    if (!b->states && b->event && b->event_by != to && o->now - b->event <= o->p.lapse)
        b->states = 1;
    for (int i = 0; b->states && i < 512; i++) {
        struct page *g = &b->page[i];
        const uint64_t last = g->time;
        if (!copied[i] || g->pin)
            continue;
        g->time = o->now;
        g->seen |= to;
        if (!last)
            continue;
        if (o->now - last <= o->p.lapse) {
            g->events = g->events < 7 ? g->events + 1 : 7;
            if (g->events >= (int)o->p.events)
                b->thrashed = o->now;
        } else if (g->events >= (int)o->p.events) {
            forget(g);
        }
    }
    b->event = o->now;
    b->event_by = to;
}

enum answer { NONE, HELD, PIN_HOST = HOST + 10, PIN_GPU = GPU + 10 };

static enum answer pin(struct oracle *o, struct block *b, struct page *g, int place)
{
    if ((!g->pin || g->place != place) && g->held)
        g->held = 0, g->end = 0;
    if (!g->pin) {
        g->holds = 0;
        g->deadline = o->p.pin ? o->now + o->p.pin * o->p.lapse : 0;
        b->ever_pinned = 1;
    }
    g->pin = place;
    return (enum answer)(place + 10);
}

static enum answer hold(struct page *g, int w)
{
    if (!(g->held & w) && !g->pin)
        g->holds = g->holds < 255 ? g->holds + 1 : 255;
    g->held |= w;
    return HELD;
}

static enum answer ask(struct oracle *o, struct block *b, struct page *g, int w)
{
    if (!b->states)
        return NONE;
    if (b->thrashed && o->now - b->thrashed > o->p.epoch * o->p.lapse && !b->ever_pinned &&
        b->resets < (int)o->p.resets) {
        for (int i = 0; i < 512; i++) {
            struct page *q = &b->page[i];
            forget(q);
            q->holds = q->free = 0;
            q->end = 0;
        }
        b->resets++;
        b->states = 0;
        b->event = b->thrashed = 0;
        return NONE;
    }
    if (g->events < (int)o->p.events)
        return NONE;
    if (g->held & w) {
        if (o->now < g->end && g->free != w)
            return HELD;
        g->held &= ~w;
        if (!g->held)
            g->end = 0;
    }
    if (o->now - g->time > o->p.lapse && !g->pin)
        return NONE;
    g->seen |= w;
    if (o->now > g->end) {
        g->end = o->now + o->p.nap * o->p.lapse;
        g->free = g->free == w ? 0 : w;
    } else if (!g->free) {
        g->free = w;
    }
    if (fast(o, g, g->place)) {
        if (g->place == HOST && reach(o, g, w))
            return w == GPU ? pin(o, b, g, GPU) : NONE;
        return pin(o, b, g, g->place);
    }
    if (g->pin) {
        if (g->free == w)
            return pin(o, b, g, reach(o, g, w) ? w : HOST);
        if (g->pin == HOST || g->pin == w || o->p.c2c)
            return pin(o, b, g, g->pin);
        return hold(g, w);
    }
    if (g->free != w)
        return hold(g, w);
    return g->holds >= (int)o->p.throttles ? pin(o, b, g, w) : NONE;
}

/* ---- eviction ---- */

static int resident(const struct oracle *o, const struct block *b, int unit)
{
    int n = 0;
    for (int i = unit * o->unit_pages; i < (unit + 1) * o->unit_pages; i++)
        n += b->page[i].place == GPU;
    return n;
}

static int units_of(const struct oracle *o)
{
    return o->pages / o->unit_pages;
}

static uint64_t interval(const struct oracle *o)
{
    return o->loads / 64;
}

static void touch(struct oracle *o, struct block *b, int unit, int access)
{
    struct unit *n = &b->unit[unit];
    n->touch = ++o->clock;
    n->accesses += (uint64_t)access;
    if (!n->intervals || n->interval != interval(o))
        n->intervals++;
    n->interval = interval(o);
}

static int may_take(const struct oracle *o, int s)
{
    int64_t free = (int64_t)o->units;
    if (o->used[s] >= o->limit[s])
        return 0;
    for (int i = 0; i < SPACES; i++) {
        free -= (int64_t)o->used[i];
        if (i != s && o->reserve[i] > o->used[i])
            free -= (int64_t)(o->reserve[i] - o->used[i]);
    }
    return free >= 1;
}

static void evict(struct oracle *o, struct block *b, int unit)
{
    int back[512] = {0}, drop[512] = {0};
    for (int i = unit * o->unit_pages; i < (unit + 1) * o->unit_pages; i++) {
        struct page *g = &b->page[i];
        if (g->place != GPU)
            continue;
        if (!o->p.write_back_dirty || g->dirty)
            back[i] = g->had_host = 1;
        else
            drop[i] = 1;
        g->place = g->had_host ? HOST : 0;
        g->dirty = 0;
        g->remote = has_counters(o) && g->place == HOST;
    }
    for (int i = 0; i < 32; i++) {
        int n = 0;
        for (int k = i * o->big; k < (i + 1) * o->big; k++)
            n += back[k] || drop[k];
        b->evictions[i] += n != 0;
    }
    memset(&b->unit[unit], 0, sizeof b->unit[unit]);
    o->used[b->asid]--;
    o->evicted = 1;
    fprintf(o->out, "evict %d:%" PRIu64, b->asid, b->number);
    list(o, "back", back);
    list(o, "drop", drop);
    fputs(" | ", o->out);
}

static int is_dirty(const struct block *b)
{
    int dirty = 0;
    for (int i = 0; i < 512; i++)
        dirty |= b->page[i].place == GPU && b->page[i].dirty;
    return dirty;
}

struct place {
    struct block *b;
    int unit;
};

static uint64_t latest(const struct oracle *o, const struct block *b)
{
    uint64_t t = 0;
    for (int i = 0; i < units_of(o); i++)
        if (b->unit[i].taken && b->unit[i].touch > t)
            t = b->unit[i].touch;
    return t;
}

/* Whether unit a leaves rather than b, by the last touches of blocks or units. */
static int rather(struct oracle *o, struct place a, struct place b)
{
    const struct unit *x = &a.b->unit[a.unit], *y = &b.b->unit[b.unit];
    if (is(o->evict, "driver"))
        return x->loaded < y->loaded;
    if (is(o->evict, "lfu2m") && x->accesses != y->accesses)
        return x->accesses < y->accesses;
    if (is(o->evict, "lfu2m") && is_dirty(a.b) != is_dirty(b.b))
        return !is_dirty(a.b);
    if ((is(o->evict, "lru64k") || is(o->evict, "tbne")) && a.b != b.b)
        return latest(o, a.b) < latest(o, b.b);
    if (is(o->evict, "hpe")) {
        const uint64_t now = interval(o);
        const int i = now - x->interval > 1 ? 2 : (int)(now - x->interval);
        const int k = now - y->interval > 1 ? 2 : (int)(now - y->interval);
        if (i != k)
            return i > k;
        return o->regular ? x->touch > y->touch : x->touch < y->touch;
    }
    return x->touch < y->touch;
}

static void decide(struct oracle *o)
{
    int units = 0, once = 0;
    if (o->decided == interval(o) + 1)
        return;
    o->decided = interval(o) + 1;
    for (int i = 0; i < o->blocks; i++)
        for (int k = 0; o->block[i].alive && k < units_of(o); k++) {
            const struct unit *n = &o->block[i].unit[k];
            if (n->taken && !n->emptied) {
                units++;
                once += n->intervals <= 1;
            }
        }
    o->regular = 2 * once >= units;
}

/* Removes nodes of which less than half is left, children first; returns what is left. */
static int prune(int *left, int first, int n)
{
    int k = n == 1 ? left[first] : prune(left, first, n / 2) + prune(left, first + n / 2, n / 2);
    if (k > 0 && 2 * k < n) {
        memset(left + first, 0, (size_t)n * sizeof *left);
        k = 0;
    }
    return k;
}

static struct block *sorted[MOST_BLOCKS];

static int by_address(const void *x, const void *y)
{
    const struct block *a = *(struct block *const *)x, *b = *(struct block *const *)y;
    return a->asid != b->asid ? a->asid - b->asid : a->va < b->va ? -1 : a->va > b->va;
}

static int sort_blocks(struct oracle *o)
{
    int n = 0;
    for (int i = 0; i < o->blocks; i++)
        if (o->block[i].alive)
            sorted[n++] = &o->block[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_address);
    return n;
}

/* Whether units of b may leave for a block, or, if that is NULL, ahead of need. */
static int may_leave(const struct oracle *o, const struct block *b, const struct block *busy)
{
    if (busy && b->asid == busy->asid)
        return b != busy;
    return o->used[b->asid] > o->reserve[b->asid] && !(busy && o->used[busy->asid] >= o->limit[busy->asid]);
}

static void choose(struct oracle *o, const struct block *busy)
{
    const int n = sort_blocks(o);
    static struct place all[MOST_BLOCKS];
    struct place empty = {0}, victim = {0};
    int candidates = 0;
    for (int i = 0; i < n; i++) {
        struct block *b = sorted[i];
        if (!may_leave(o, b, busy))
            continue;
        for (int k = 0; k < units_of(o); k++) {
            if (!b->unit[k].taken)
                continue;
            if (!b->unit[k].emptied)
                all[candidates++] = (struct place){b, k};
            else if (!empty.b || b->unit[k].emptied < empty.b->unit[empty.unit].emptied)
                empty = (struct place){b, k};
        }
    }
    if (empty.b) {
        evict(o, empty.b, empty.unit);
        return;
    }
    if (is(o->evict, "random")) {
        victim = all[draw(o, (uint64_t)candidates)];
        evict(o, victim.b, victim.unit);
        return;
    }
    if (is(o->evict, "hpe"))
        decide(o);
    victim = all[0];
    for (int i = 1; i < candidates; i++)
        if (rather(o, all[i], victim))
            victim = all[i];
    int left[32], gone[32] = {0};
    for (int i = 0; i < 32 && is(o->evict, "tbne"); i++)
        left[i] = gone[i] = victim.b->unit[i].taken && i != victim.unit;
    if (is(o->evict, "tbne")) {
        prune(left, 0, 32);
        for (int i = 0; i < 32; i++)
            gone[i] = gone[i] && !left[i];
    }
    evict(o, victim.b, victim.unit);
    for (int i = 0; i < 32; i++)
        if (gone[i])
            evict(o, victim.b, i);
}

/* ---- prefetch ---- */

static int marks(const int *m, int from, int to)
{
    int n = 0;
    for (int i = from; i < to; i++)
        n += m[i] != 0;
    return n;
}

static void fill(int *m, int from, int to)
{
    for (int i = from; i < to; i++)
        m[i] = 1;
}

static void mark_part(const int *fault, const int *thrash, int from, int to, int *m)
{
    if (marks(fault, from, to) && !marks(thrash, from, to))
        fill(m, from, to);
}

static void tree(struct oracle *o, const struct block *b, const int *here, const int *fault,
                 const int *thrash, int *out)
{
    int m[512], from = b->first;
    int first = b->first, end = b->end;
    while (first % o->big)
        first++;
    while (end % o->big)
        end--;
    for (int i = 0; i < 512; i++)
        m[i] = here[i] || fault[i];
    if (b->run < (int)o->p.min_faults)
        return;
    if (first >= end) {
        mark_part(fault, thrash, b->first, b->end, m);
    } else {
        mark_part(fault, thrash, b->first, first, m);
        for (int i = first; i < end; i += o->big)
            mark_part(fault, thrash, i, i + o->big, m);
        mark_part(fault, thrash, end, b->end, m);
        from = b->first - (b->first % o->big);
    }
    for (int p = b->first; p < b->end; p++) {
        int size = 1;
        if (!fault[p] || thrash[p])
            continue;
        while (size < b->end - from)
            size *= 2;
        for (; size; size /= 2) { /* the largest first */
            int low = from + (p - from) / size * size, high = low + size;
            high = high > b->end ? b->end : high;
            if (100 * marks(m, low, high) > (int)o->p.threshold * (high - low)) {
                fill(out, low, high);
                break;
            }
        }
    }
}

static int tbn(int *valid, int first, int n)
{
    int k = n == 1 ? valid[first] : tbn(valid, first, n / 2) + tbn(valid, first + n / 2, n / 2);
    if (k < n && 2 * k > n) {
        fill(valid, first, first + n);
        k = n;
    }
    return k;
}

static void along(struct oracle *o, struct block *b, int to, const int *fault, int *out)
{
    const char *design = o->evicted ? o->full : o->prefetch;
    int here[512], thrash[512], n = 0, raw[512] = {0};
    for (int i = 0; i < 512; i++) {
        here[i] = b->page[i].place == to;
        thrash[i] = b->page[i].events >= (int)o->p.events;
        n += fault[i];
    }
    b->run = (b->run_to == to ? b->run : 0) + n;
    b->run_to = to;
    if (to == HOST && !is(design, "tree"))
        return;
    if (is(design, "tree"))
        tree(o, b, here, fault, thrash, raw);
    for (int i = b->first; i < b->end; i++) {
        if (fault[i] && is(design, "sl64"))
            fill(raw, i / o->big * o->big, i / o->big * o->big + o->big);
        if (fault[i] && is(design, "random"))
            raw[b->first + (int)draw(o, (uint64_t)(b->end - b->first))] = 1;
    }
    if (is(design, "tbn")) {
        int before[32], valid[32];
        for (int i = 0; i < 32; i++)
            before[i] = valid[i] =
                marks(here, i * o->big, (i + 1) * o->big) || marks(fault, i * o->big, (i + 1) * o->big);
        tbn(valid, 0, 32);
        for (int i = 0; i < 32; i++)
            if ((valid[i] && !before[i]) || marks(fault, i * o->big, (i + 1) * o->big))
                fill(raw, i * o->big, (i + 1) * o->big);
    }
    for (int i = b->first; i < b->end; i++)
        out[i] = raw[i] && !here[i] && !fault[i] && !thrash[i];
}

/* ---- a block ---- */

struct service {
    int fault[512], prefetch[512], zero[512], copy[512], remote[512], held[512], done[512], cancel[512],
        ignore[512];
};

static void bring(struct oracle *o, struct block *b, struct service *s)
{
    int all[512];
    if (!marks(s->fault, 0, 512))
        return;
    along(o, b, GPU, s->fault, s->prefetch);
    for (int i = 0; i < 512; i++)
        all[i] = s->fault[i] || s->prefetch[i];
    for (int k = 0; k < units_of(o); k++) {
        struct unit *n = &b->unit[k];
        if (!marks(all, k * o->unit_pages, (k + 1) * o->unit_pages) || resident(o, b, k))
            continue;
        while (!n->taken && !may_take(o, b->asid))
            choose(o, b);
        o->used[b->asid] += !n->taken;
        *n = (struct unit){.taken = 1, .loaded = ++o->clock, .interval = interval(o)};
        o->loads++;
    }
    for (int i = 0; i < 512; i++) {
        struct page *g = &b->page[i];
        if (!all[i])
            continue;
        s->zero[i] = g->place == 0;
        s->copy[i] = g->place == HOST;
        g->place = GPU;
        g->remote = 0;
    }
    for (int k = 0; k < units_of(o); k++)
        if (marks(all, k * o->unit_pages, (k + 1) * o->unit_pages))
            touch(o, b, k, 0);
    event(o, b, s->copy, GPU);
}

static int stays(const struct oracle *o, int store)
{
    return is(o->migrate, "host") || (!store && (is(o->migrate, "counter") || is(o->migrate, "adaptive") ||
                                                 (is(o->migrate, "oversub") && o->evicted)));
}

static void print_head(struct oracle *o, int asid, uint64_t number)
{
    fprintf(o->out, "block %d:%" PRIu64, asid, number);
}

static void print_faults(struct oracle *o, const struct service *s)
{
    list(o, "fault", s->fault);
    list(o, "prefetch", s->prefetch);
    list(o, "zero", s->zero);
    list(o, "copy", s->copy);
}

static void print_rest(struct oracle *o, const struct service *s)
{
    list(o, "remote", s->remote);
    list(o, "held", s->held);
    list(o, "done", s->done);
    list(o, "cancel", s->cancel);
    list(o, "ignore", s->ignore);
}

/* The highest access of a page's entries in the batch, and whether there is a load. -1: none. */
static int highest(const struct oracle *o, uint32_t n, int asid, uint64_t page, int *load)
{
    int access = -1;
    *load = 0;
    for (uint32_t i = 0; i < n; i++)
        if (o->entry[i].asid == asid && o->entry[i].page == page) {
            access = o->entry[i].access > access ? o->entry[i].access : access;
            *load |= o->entry[i].access == MP_UVM_READ;
        }
    return access;
}

static void serve_block(struct oracle *o, uint32_t n, struct block *b)
{
    static struct service s;
    int store[512] = {0}, load;
    memset(&s, 0, sizeof s);
    for (int i = b->first; i < b->end; i++) {
        struct page *g = &b->page[i];
        int access = highest(o, n, b->asid, b->number * (uint64_t)o->pages + (uint64_t)i, &load);
        if (access < 0)
            continue;
        if (b->read_only && access >= MP_UVM_WRITE) {
            s.cancel[i] = 1;
            if (!load)
                continue;
            access = MP_UVM_READ;
        }
        store[i] = access >= MP_UVM_WRITE;
        if (g->place == GPU || (g->remote && !(store[i] && has_counters(o) && !g->pin))) {
            s.done[i] = 1;
            continue;
        }
        enum answer a = g->place ? ask(o, b, g, GPU) : NONE;
        if (a == HELD)
            s.held[i] = 1;
        else if (a == PIN_HOST || (a == NONE && g->place == HOST && stays(o, store[i])))
            s.remote[i] = 1;
        else
            s.fault[i] = 1;
    }
    for (int i = 0; i < 512; i++)
        b->page[i].remote |= s.remote[i];
    bring(o, b, &s);
    for (int i = 0; i < 512; i++)
        b->page[i].dirty |= store[i] && b->page[i].place == GPU;
    print_head(o, b->asid, b->number);
    print_faults(o, &s);
    print_rest(o, &s);
    fputs(" | ", o->out);
}

/* ---- a batch ---- */

static uint32_t merged(struct oracle *o, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct entry *e = &o->entry[i], *sm = NULL, *any = NULL;
        for (uint32_t k = 0; k < i; k++) {
            if (o->entry[k].merged)
                continue;
            any = &o->entry[k];
            sm = o->entry[k].sm == e->sm ? any : sm;
        }
        if (sm && sm->page == e->page && sm->asid == e->asid) {
            sm->access = e->access > sm->access ? e->access : sm->access;
            e->merged = 1;
        } else if (any && any->page == e->page && any->asid == e->asid && e->access <= any->access) {
            e->merged = 1;
        }
        count += (uint32_t)e->merged;
    }
    return count;
}

/* The next (space, page) of the batch after this one; 0: there is none. */
static int next(const struct oracle *o, uint32_t n, int *asid, uint64_t *page, int begin)
{
    int found = 0, best_asid = 0;
    uint64_t best = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct entry *e = &o->entry[i];
        if (!begin && (e->asid < *asid || (e->asid == *asid && e->page <= *page)))
            continue;
        if (!found || e->asid < best_asid || (e->asid == best_asid && e->page < best)) {
            found = 1;
            best_asid = e->asid;
            best = e->page;
        }
    }
    *asid = best_asid;
    *page = best;
    return found;
}

static void refuse(struct oracle *o, uint32_t n, int asid, uint64_t number)
{
    static struct service s;
    int load;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < o->pages; i++) {
        const uint64_t page = number * (uint64_t)o->pages + (uint64_t)i;
        const int access = highest(o, n, asid, page, &load);
        if (access >= 0 && !find(o, asid, page * o->p.page_bytes))
            (access == MP_UVM_PREFETCH ? s.ignore : s.cancel)[i] = 1;
    }
    print_head(o, asid, number);
    print_faults(o, &s);
    print_rest(o, &s);
    fputs(" | ", o->out);
}

static void batch(struct oracle *o)
{
    const uint32_t n = o->entries < o->p.batch ? o->entries : o->p.batch;
    int asid = 0, lines = 0, refused_asid = -1;
    uint32_t different = 0, dropped = 0;
    uint64_t page = 0, refused = 0;
    struct block *last = NULL;
    for (int begin = 1; next(o, n, &asid, &page, begin); begin = 0) {
        struct block *b = find(o, asid, page * o->p.page_bytes);
        const uint64_t number = page / (uint64_t)o->pages;
        different++;
        if (b && b != last) {
            serve_block(o, n, b);
            last = b;
            lines++;
        } else if (!b && (refused_asid != asid || refused != number)) {
            refuse(o, n, asid, number);
            refused_asid = asid;
            refused = number;
            lines++;
        }
    }
    const uint32_t joined = merged(o, n);
    o->entries -= n;
    memmove(o->entry, o->entry + n, o->entries * sizeof *o->entry);
    if (o->p.replay == MP_UVM_REPLAY_BATCH_FLUSH && n) {
        dropped = o->entries;
        o->entries = 0;
    }
    int replays = n != 0;
    if (o->p.replay == MP_UVM_REPLAY_BLOCK)
        replays = lines;
    if (o->p.replay == MP_UVM_REPLAY_ONCE)
        replays = n && !o->entries;
    fprintf(o->out, "batch entries=%u merged=%u duplicates=%u dropped=%u left=%u replays=%d", n, joined,
            n - different, dropped, o->entries, replays);
}

/* ---- the other stimuli ---- */

static int quota(struct oracle *o, int s, uint64_t reserve, uint64_t limit)
{
    const uint64_t chunk = (uint64_t)units_of(o);
    uint64_t sum = reserve;
    for (int i = 0; i < SPACES; i++)
        sum += i == s ? 0 : o->reserve[i] / chunk;
    if (o->used[s] || !reserve || limit < reserve || limit > o->p.chunks || sum > o->p.chunks)
        return 0;
    o->has[s] = 1;
    o->reserve[s] = reserve * chunk;
    o->limit[s] = limit * chunk;
    return 1;
}

static int open_managed(struct oracle *o, const struct replay_uvm_stimulus *s)
{
    const uint64_t end = s->va + s->bytes;
    if (!s->bytes || s->va % o->p.page_bytes || s->bytes % o->p.page_bytes)
        return 0;
    for (int i = 0; i < o->ranges; i++)
        if (o->range[i].alive && o->range[i].asid == s->asid && s->va < o->range[i].va + o->range[i].bytes &&
            o->range[i].va < end)
            return 0;
    if (!o->has[s->asid] && !quota(o, s->asid, 1, o->p.chunks))
        return 0;
    struct range *r = &o->range[o->ranges++];
    *r = (struct range){1, s->asid, o->blocks, 0, s->va, s->bytes};
    for (uint64_t a = s->va; a < end; a = (a / 2097152 + 1) * 2097152) {
        const uint64_t base = a / 2097152 * 2097152, stop = end < base + 2097152 ? end : base + 2097152;
        struct block *b = &o->block[o->blocks++];
        b->alive = 1;
        b->asid = s->asid;
        b->read_only = s->read_only;
        b->number = a / 2097152;
        b->va = a;
        b->first = (int)((a - base) / o->p.page_bytes);
        b->end = (int)((stop - base) / o->p.page_bytes);
        r->blocks++;
    }
    fprintf(o->out, "blocks=%d", r->blocks);
    return 1;
}

static int close_managed(struct oracle *o, const struct replay_uvm_stimulus *s)
{
    for (int i = 0; i < o->ranges; i++) {
        struct range *r = &o->range[i];
        int pages = 0, units = 0;
        if (!r->alive || r->asid != s->asid || r->va != s->va)
            continue;
        for (int k = r->first; k < r->first + r->blocks; k++) {
            for (int j = 0; j < 512; j++) {
                pages += o->block[k].page[j].place == GPU;
                units += o->block[k].unit[j].taken;
            }
            o->block[k].alive = 0;
        }
        o->used[r->asid] -= (uint64_t)units;
        r->alive = 0;
        fprintf(o->out, "freed pages=%d units=%d", pages, units);
        return 1;
    }
    return 0;
}

static void fault(struct oracle *o, const struct replay_uvm_stimulus *s)
{
    if (o->entries == o->p.entries) {
        fputs("full", o->out);
        return;
    }
    o->entry[o->entries++] = (struct entry){s->va / o->p.page_bytes, s->asid, (int)s->access, s->sm, 0};
    fprintf(o->out, "entry %u", o->entries);
}

/* n accesses of these big pages of a granule. */
static void count(struct oracle *o, struct block *b, uint32_t bigs, uint32_t accesses)
{
    const int big = __builtin_ctz(bigs), granule = o->p.granule_bytes == 65536 ? big : 0;
    uint64_t threshold = o->p.counter;
    if (!has_counters(o) || (is(o->migrate, "oversub") && !o->evicted)) {
        fputs("remote 0", o->out);
        return;
    }
    if (is(o->migrate, "adaptive") && !o->evicted)
        threshold = 1 + o->p.counter * used_by_all(o) / o->units;
    else if (is(o->migrate, "adaptive"))
        threshold = (uint64_t)o->p.counter * o->p.penalty *
                    (uint64_t)(b->evictions[big] + 1 > 64 ? 64 : b->evictions[big] + 1);
    b->count[granule] += accesses;
    b->count[granule] = b->count[granule] > 65535 ? 65535 : b->count[granule];
    for (int i = 0; i < 32; i++)
        if (bigs >> i & 1 && (o->p.granule_bytes != 65536 || i == granule))
            b->met[i] = 1;
    fprintf(o->out, "remote %" PRIu64, b->count[granule]);
    if (b->noticed[granule] || b->count[granule] < threshold || o->notices == o->p.entries)
        return;
    struct notice *n = &o->notice[o->notices++];
    *n = (struct notice){.asid = b->asid, .granule = granule, .va = b->va};
    for (int i = 0; i < 32; i++)
        n->big[i] = b->met[i] && (o->p.granule_bytes != 65536 || i == granule);
    b->noticed[granule] = 1;
    fputs(" notice", o->out);
}

static void gpu(struct oracle *o, const struct replay_uvm_stimulus *s)
{
    struct block *b = find(o, s->asid, s->va);
    const int index = (int)(s->va % 2097152 / o->p.page_bytes), store = s->access >= MP_UVM_WRITE;
    struct page *g = b ? &b->page[index] : NULL;
    if (!b || (store && b->read_only) || (g->place != GPU && !g->remote) ||
        (g->place == GPU && store && o->p.write_back_dirty && !g->dirty) ||
        (g->remote && store && has_counters(o) && !g->pin)) {
        fputs("fault", o->out);
    } else if (g->place == GPU) {
        g->dirty |= store;
        touch(o, b, index / o->unit_pages, 1);
        fputs("hit", o->out);
    } else {
        count(o, b, UINT32_C(1) << index / o->big, 1);
    }
}

static void counted(struct oracle *o, const struct replay_uvm_stimulus *s)
{
    struct block *b = find(o, s->asid, s->va);
    if (b && s->bigs && s->count)
        count(o, b, s->bigs, s->count);
    else
        fputs("fault", o->out);
}

static void notices(struct oracle *o)
{
    uint32_t done = 0;
    static struct service s;
    while (o->notices && done < 256) {
        const struct notice n = o->notice[0];
        struct block *b = find(o, n.asid, n.va);
        memmove(o->notice, o->notice + 1, --o->notices * sizeof *o->notice);
        done++;
        if (!b)
            continue;
        memset(&s, 0, sizeof s);
        b->count[n.granule] = 0;
        b->noticed[n.granule] = 0;
        for (int i = 0; i < 32; i++)
            if (o->p.granule_bytes != 65536 || i == n.granule)
                b->met[i] = 0;
        for (int i = b->first; i < b->end; i++)
            s.fault[i] = n.big[i / o->big] && b->page[i].place == HOST && !b->page[i].pin;
        bring(o, b, &s);
        print_head(o, b->asid, b->number);
        print_faults(o, &s);
        fputs(" | ", o->out);
    }
    fprintf(o->out, "notices=%u left=%u", done, o->notices);
}

static void evict_ahead(struct oracle *o)
{
    const uint64_t before = used_by_all(o);
    int more = 0; /* a space has more than its reserve */
    for (int i = 0; i < SPACES; i++)
        more |= o->used[i] > o->reserve[i];
    if (more)
        choose(o, NULL);
    fprintf(o->out, "evicted=%" PRIu64 " spare=%" PRIu64, before - used_by_all(o), o->units - used_by_all(o));
}

static void host(struct oracle *o, const struct replay_uvm_stimulus *s)
{
    struct block *b = find(o, s->asid, s->va);
    const int index = (int)(s->va % 2097152 / o->p.page_bytes);
    struct page *g = b ? &b->page[index] : NULL;
    int moved[512] = {0}, more[512] = {0}, copied[512] = {0};
    if (!b || g->place != GPU) {
        fputs(!b ? "refused" : g->place == HOST ? "host" : "zero", o->out);
        if (b)
            g->place = HOST, g->had_host = 1;
        return;
    }
    const enum answer a = ask(o, b, g, HOST);
    if (a == HELD || a == PIN_GPU) {
        if (a == HELD)
            fprintf(o->out, "hold %" PRIu64, g->end);
        else
            fputs("remote", o->out);
        return;
    }
    moved[index] = 1;
    along(o, b, HOST, moved, more);
    for (int i = 0; i < 512; i++) {
        moved[i] |= more[i];
        if (!moved[i])
            continue;
        copied[i] = b->page[i].place == GPU;
        b->page[i].place = HOST;
        b->page[i].had_host = 1;
        b->page[i].dirty = 0;
    }
    g->remote |= a == PIN_HOST;
    for (int k = 0; k < units_of(o); k++)
        if (marks(copied, k * o->unit_pages, (k + 1) * o->unit_pages) && !resident(o, b, k))
            b->unit[k].emptied = ++o->clock;
    event(o, b, copied, HOST);
    fputs("move", o->out);
    FILE *out = o->out;
    char *text = NULL;
    size_t size = 0;
    o->out = open_memstream(&text, &size);
    list(o, "", moved);
    fclose(o->out);
    o->out = out;
    fprintf(out, " %s%s", text + 2, a == PIN_HOST ? " pinned" : "");
    free(text);
}

static void dump(struct oracle *o, int asid)
{
    const int n = sort_blocks(o);
    fprintf(o->out, "units=%" PRIu64, o->used[asid]);
    for (int i = 0; i < n; i++) {
        int set[4][512] = {{0}}, any = 0;
        for (int k = 0; k < 512; k++) {
            const struct page *g = &sorted[i]->page[k];
            set[0][k] = g->place == GPU;
            set[1][k] = g->remote;
            set[2][k] = g->events >= (int)o->p.events;
            set[3][k] = g->pin != 0;
            any |= set[0][k] | set[1][k] | set[2][k] | set[3][k];
        }
        if (!any || sorted[i]->asid != asid)
            continue;
        fprintf(o->out, " | %" PRIu64, sorted[i]->number);
        list(o, "gpu", set[0]);
        list(o, "remote", set[1]);
        list(o, "thrashing", set[2]);
        list(o, "pinned", set[3]);
    }
}

int oracle_respond(struct oracle *o, const struct replay_uvm_stimulus *s, FILE *out)
{
    int accepted = 1;
    if (s->now && s->now < o->now)
        return 0;
    o->now = s->now ? s->now : o->now;
    o->out = out;
    if (s->now)
        deadlines(o);
    switch (s->op) {
    case 'R':
        accepted = open_managed(o, s);
        break;
    case 'Q':
        accepted = quota(o, s->asid, s->reserve, s->limit);
        if (accepted)
            fprintf(out, "reserve=%u limit=%u", s->reserve, s->limit);
        break;
    case 'U':
        accepted = close_managed(o, s);
        break;
    case 'F':
        fault(o, s);
        break;
    case 'B':
        batch(o);
        break;
    case 'C':
        notices(o);
        break;
    case 'E':
        evict_ahead(o);
        break;
    case 'A':
        gpu(o, s);
        break;
    case 'N':
        counted(o, s);
        break;
    case 'H':
        host(o, s);
        break;
    default:
        dump(o, s->asid);
    }
    if (accepted)
        fputc('\n', out);
    return accepted;
}
