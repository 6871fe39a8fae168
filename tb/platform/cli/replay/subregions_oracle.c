/* SPDX-License-Identifier: Apache-2.0 */
#include "subregions_oracle.h"

#include <stdlib.h>
#include <string.h>

struct page {
    bool mapped, read_only;
    uint64_t pfn;
};

struct entry { /* of a TLB; pages 0: vacant */
    uint64_t first, pages, pfn, used;
    bool read_only, sub;
};

struct frame {
    bool table, whole;
    bool c[8];
};

struct upper { /* of the page walk cache */
    bool valid;
    int level;
    uint64_t prefix, used;
    struct frame bits; /* as they were when it was read */
};

struct map { /* of the MSC */
    bool valid, joined[7];
    uint64_t frame, used;
};

struct oracle {
    struct replay_subregions_params p;
    bool subregions, thp, colt_l1, colt_iommu;
    uint64_t now;
    struct page page[ORACLE_PAGES];
    struct frame frame[ORACLE_FRAMES];
    struct entry *l1, *iommu;
    struct upper *pwc;
    struct map *msc;
    struct replay_subregions_response r;
};

struct oracle *oracle_new(const struct replay_subregions_params *p)
{
    struct oracle *o = calloc(1, sizeof *o);
    const char *name = p->design->name;
    o->p = *p;
    o->subregions = !strncmp(name, "mesc", 4);
    o->thp = !strcmp(name, "thp");
    o->colt_l1 = strstr(name, "colt") != NULL;
    o->colt_iommu = strstr(name, "full-colt") != NULL;
    if (p->heads_first)
        o->p.msc = 0;
    o->l1 = calloc(p->l1, sizeof *o->l1);
    o->iommu = calloc(p->sets * p->ways, sizeof *o->iommu);
    o->pwc = calloc(p->pwc + 1, sizeof *o->pwc);
    o->msc = calloc(p->msc + 1, sizeof *o->msc);
    return o;
}

void oracle_free(struct oracle *o)
{
    free(o->l1);
    free(o->iommu);
    free(o->pwc);
    free(o->msc);
    free(o);
}

static struct page none;

static struct page *page(const struct oracle *o, uint64_t vpn)
{
    if (vpn < ORACLE_FIRST || vpn >= ORACLE_FIRST + ORACLE_PAGES)
        return memset(&none, 0, sizeof none);
    return (struct page *)&o->page[vpn - ORACLE_FIRST];
}

static struct frame *frame(struct oracle *o, uint64_t vpn)
{
    return &o->frame[(vpn - ORACLE_FIRST) / 512];
}

bool oracle_maps(const struct oracle *o, uint64_t vpn)
{
    return page(o, vpn)->mapped;
}

uint64_t oracle_pfn(const struct oracle *o, uint64_t vpn)
{
    return page(o, vpn)->pfn;
}

bool oracle_read_only(const struct oracle *o, uint64_t vpn)
{
    return page(o, vpn)->read_only;
}

/* Page b, d pages after page a, continues it. */
static bool goes_on(struct oracle *o, uint64_t a, uint64_t b)
{
    struct page x = *page(o, a), y = *page(o, b);
    return x.mapped && y.mapped && x.pfn + b == y.pfn + a && x.read_only == y.read_only;
}

static bool scan(struct oracle *o, uint64_t vpn)
{
    uint64_t first = vpn / 512 * 512;
    struct frame *f = frame(o, vpn), old = *f;
    f->whole = true;
    for (int r = 0; r < 8; r++) {
        f->c[r] = true;
        for (uint64_t i = 0; i < 64; i++)
            if (!goes_on(o, first + (uint64_t)r * 64, first + (uint64_t)r * 64 + i))
                f->c[r] = false;
        if (!f->c[r] || (r && !goes_on(o, first + (uint64_t)r * 64 - 64, first + (uint64_t)r * 64)))
            f->whole = false;
    }
    return memcmp(&old, f, sizeof old) != 0;
}

/* --- forgetting ----------------------------------------------------------------------------------------- */

static const unsigned prefix_shift[] = {27, 18, 9}; /* of pages, by level */

static void forget_upper(struct oracle *o, uint64_t vpn)
{
    for (uint32_t i = 0; i < o->p.pwc; i++)
        if (o->pwc[i].valid && o->pwc[i].prefix == vpn >> prefix_shift[o->pwc[i].level]) {
            o->pwc[i].valid = false;
            o->r.gone.pwc++;
        }
    for (uint32_t i = 0; i < o->p.msc; i++)
        if (o->msc[i].valid && o->msc[i].frame == vpn / 512) {
            o->msc[i].valid = false;
            o->r.gone.msc++;
        }
}

static bool covers(const struct entry *e, uint64_t vpn)
{
    return e->pages && vpn >= e->first && vpn < e->first + e->pages;
}

static void drop(struct oracle *o, struct entry *e, bool l1)
{
    *(l1 ? &o->r.gone.l1 : e->sub ? &o->r.gone.sub : &o->r.gone.iommu) += 1;
    e->pages = 0;
}

static void change(struct oracle *o, uint64_t vpn, struct page to)
{
    *page(o, vpn) = to;
    scan(o, vpn);
    for (uint32_t i = 0; i < o->p.l1; i++)
        if (covers(&o->l1[i], vpn))
            drop(o, &o->l1[i], true);
    for (uint32_t i = 0; i < o->p.sets * o->p.ways; i++)
        if (covers(&o->iommu[i], vpn))
            drop(o, &o->iommu[i], false);
    forget_upper(o, vpn);
    o->r.contiguous = 0;
    for (int r = 0; r < 8; r++)
        o->r.contiguous += (uint32_t)frame(o, vpn)->c[r] << r;
    o->r.whole = frame(o, vpn)->whole;
}

static void empty(struct oracle *o)
{
    for (uint32_t i = 0; i < o->p.l1; i++)
        if (o->l1[i].pages)
            drop(o, &o->l1[i], true);
    for (uint32_t i = 0; i < o->p.sets * o->p.ways; i++)
        if (o->iommu[i].pages)
            drop(o, &o->iommu[i], false);
    for (uint32_t i = 0; i < o->p.pwc; i++) {
        o->r.gone.pwc += o->pwc[i].valid;
        o->pwc[i].valid = false;
    }
    for (uint32_t i = 0; i < o->p.msc; i++) {
        o->r.gone.msc += o->msc[i].valid;
        o->msc[i].valid = false;
    }
}

/* --- TLBs ----------------------------------------------------------------------------------------------- */

/* Puts an entry into one of the ways from `from` on. */
static void put(struct oracle *o, struct entry *way, uint32_t from, uint32_t ways, struct entry e)
{
    uint32_t to = ways;
    for (uint32_t w = 0; w < ways; w++)
        if (way[w].pages && way[w].sub == e.sub && way[w].first >= e.first &&
            way[w].first + way[w].pages <= e.first + e.pages)
            way[w].pages = 0;
    for (uint32_t w = from; w < ways && to == ways; w++)
        if (!way[w].pages)
            to = w;
    for (uint32_t w = from, full = to == ways; full && w < ways; w++)
        if (to == ways || way[w].used < way[to].used)
            to = w;
    e.used = ++o->now;
    way[to] = e;
}

static struct entry part(struct oracle *o, uint64_t first, uint64_t pages, bool sub)
{
    return (struct entry){.first = first,
                          .pages = pages,
                          .pfn = page(o, first)->pfn,
                          .read_only = page(o, first)->read_only,
                          .sub = sub};
}

static void put_l1(struct oracle *o, struct entry e)
{
    e.sub = false;
    put(o, o->l1, 0, o->p.l1, e);
    o->r.l1.first = e.first;
    o->r.l1.pages = (uint32_t)e.pages;
}

static struct entry *iommu_set(struct oracle *o, uint64_t vpn, bool by_frame)
{
    uint64_t set = by_frame ? vpn / 512 : o->colt_iommu ? vpn / 4 : vpn;
    return &o->iommu[set % o->p.sets * o->p.ways];
}

static void put_iommu(struct oracle *o, struct entry e)
{
    uint32_t from = e.sub ? o->p.ways - o->p.sub_ways : 0;
    put(o, iommu_set(o, e.first, e.sub || e.pages == 512), from, o->p.ways, e);
    o->r.iommu.first = e.first;
    o->r.iommu.pages = (uint32_t)e.pages;
    o->r.sub = e.sub;
}

static struct entry *hit(struct oracle *o, struct entry *way, uint32_t ways, uint64_t vpn, bool sub)
{
    struct entry *best = NULL;
    for (uint32_t w = 0; w < ways; w++)
        if (covers(&way[w], vpn) && way[w].sub == sub && (!best || way[w].pages > best->pages))
            best = &way[w];
    if (best)
        best->used = ++o->now;
    return best;
}

static struct entry *look_up_iommu(struct oracle *o, uint64_t vpn)
{
    struct entry *e = NULL;
    o->r.cycles += 20;
    if (o->subregions && (e = hit(o, iommu_set(o, vpn, true), o->p.ways, vpn, true)))
        return e;
    o->r.cycles += o->subregions;
    if (o->thp) { /* the large page first; pages of its set are not compared here */
        struct entry *way = iommu_set(o, vpn, true);
        for (uint32_t w = 0; w < o->p.ways; w++)
            if (covers(&way[w], vpn) && way[w].pages == 512) {
                way[w].used = ++o->now;
                return &way[w];
            }
    }
    return hit(o, iommu_set(o, vpn, false), o->p.ways, vpn, false);
}

static void answer(struct oracle *o, const char *where, uint64_t vpn, const struct entry *e)
{
    o->r.where = where;
    o->r.pfn = e->pfn + (vpn - e->first);
    o->r.read_only = e->read_only;
}

/* --- walks ---------------------------------------------------------------------------------------------- */

static uint64_t place(const struct oracle *o, uint64_t vpn)
{
    uint64_t i = vpn % 512, r = i / 64, in = i % 64;
    if (!o->p.heads_first)
        return i;
    return in == 0 ? r : 8 + 63 * r + in - 1;
}

static struct entry run_of(struct oracle *o, uint64_t vpn)
{
    uint64_t first = vpn, last = vpn, line = place(o, vpn) / 16;
    while (first % 4 && place(o, first - 1) / 16 == line && goes_on(o, first - 1, first))
        first--;
    while (last % 4 != 3 && place(o, last + 1) / 16 == line && goes_on(o, last, last + 1))
        last++;
    return part(o, first, last - first + 1, false);
}

static void fill_pwc(struct oracle *o, int level, uint64_t vpn)
{
    uint32_t to = 0;
    if (!o->p.pwc)
        return;
    for (uint32_t i = 0; i < o->p.pwc; i++) {
        uint64_t age = o->pwc[i].valid ? o->pwc[i].used : 0, oldest = o->pwc[to].valid ? o->pwc[to].used : 0;
        if (age < oldest)
            to = i;
    }
    o->pwc[to] = (struct upper){true, level, vpn >> prefix_shift[level], ++o->now,
                                level == 2 ? *frame(o, vpn) : (struct frame){0}};
}

static struct upper *cached(struct oracle *o, int level, uint64_t vpn)
{
    for (uint32_t i = 0; i < o->p.pwc; i++)
        if (o->pwc[i].valid && o->pwc[i].level == level && o->pwc[i].prefix == vpn >> prefix_shift[level])
            return &o->pwc[i];
    return NULL;
}

/* Whether the entry of this level exists: a frame below it has a table. */
static bool exists(struct oracle *o, int level, uint64_t vpn)
{
    for (uint32_t f = 0; f < ORACLE_FRAMES; f++)
        if (o->frame[f].table &&
            (ORACLE_FIRST + f * 512) >> prefix_shift[level] == vpn >> prefix_shift[level])
            return true;
    return false;
}

static void huge(struct oracle *o, uint64_t vpn)
{
    struct entry e = part(o, vpn / 512 * 512, 512, false);
    answer(o, "huge", vpn, &e);
    put_l1(o, e);
    put_iommu(o, e);
}

/* Reads upper entries. Returns false if the walk has ended, else the bits of the page's frame. */
static bool descend(struct oracle *o, uint64_t vpn, struct frame *bits)
{
    int level = 3;
    if (o->p.pwc)
        o->r.cycles++;
    while (level > 0 && !cached(o, level - 1, vpn))
        level--;
    if (level > 0) {
        struct upper *u = cached(o, level - 1, vpn);
        u->used = ++o->now;
        *bits = u->bits;
    }
    for (; level < 3; level++) {
        o->r.reads++;
        o->r.cycles += 100;
        if (!exists(o, level, vpn)) {
            o->r.where = "fault";
            return false;
        }
        *bits = *frame(o, vpn);
        if (level == 2 && o->thp && bits->whole && page(o, vpn / 512 * 512)->pfn % 512 == 0) {
            huge(o, vpn);
            return false;
        }
        fill_pwc(o, level, vpn);
    }
    return true;
}

static struct map *find_map(struct oracle *o, uint64_t number)
{
    for (uint32_t i = 0; i < o->p.msc; i++)
        if (o->msc[i].valid && o->msc[i].frame == number)
            return &o->msc[i];
    return NULL;
}

static struct map read_map(struct oracle *o, const struct frame *bits, uint64_t vpn)
{
    struct map m = {.valid = true, .frame = vpn / 512};
    for (unsigned i = 0; i < 7; i++)
        m.joined[i] = bits->c[i] && bits->c[i + 1] &&
                      goes_on(o, vpn / 512 * 512 + i * 64, vpn / 512 * 512 + i * 64 + 64);
    return m;
}

static void keep_map(struct oracle *o, struct map m)
{
    uint32_t sets = o->p.msc / o->p.msc_ways, to = UINT32_MAX;
    if (!o->p.msc)
        return;
    struct map *way = &o->msc[m.frame % sets * o->p.msc_ways];
    for (uint32_t w = 0; w < o->p.msc_ways; w++)
        if (!way[w].valid) {
            to = w;
            break;
        }
    for (uint32_t w = 0, full = to == UINT32_MAX; full && w < o->p.msc_ways; w++)
        if (to == UINT32_MAX || way[w].used < way[to].used)
            to = w;
    m.used = ++o->now;
    way[to] = m;
}

static void subregion(struct oracle *o, const struct frame *bits, uint64_t vpn)
{
    uint64_t r = vpn % 512 / 64, first = r, last = r;
    struct map *found = find_map(o, vpn / 512), m;
    if (found) {
        found->used = ++o->now;
        m = *found;
    } else {
        m = read_map(o, bits, vpn);
        for (unsigned i = 0; i < 8; i++)
            o->r.heads += bits->c[i] && i != r && !o->p.heads_first;
        keep_map(o, m);
    }
    while (first > 0 && m.joined[first - 1])
        first--;
    while (last < 7 && m.joined[last])
        last++;
    struct entry e = part(o, vpn / 512 * 512 + first * 64, (last - first + 1) * 64, true);
    answer(o, "subregion", vpn, &e);
    put_l1(o, o->colt_l1 ? part(o, vpn / 4 * 4, 4, false) : part(o, vpn, 1, false));
    put_iommu(o, e);
}

static void walk(struct oracle *o, uint64_t vpn)
{
    struct frame bits = {0};
    o->r.walked = true;
    if (!descend(o, vpn, &bits))
        return;
    o->r.reads++;
    o->r.cycles += 100;
    uint64_t r = vpn % 512 / 64;
    if (o->subregions && bits.whole) {
        struct entry e = part(o, vpn / 512 * 512, 512, true);
        answer(o, "large", vpn, &e);
        put_l1(o, o->colt_l1 ? part(o, vpn / 4 * 4, 4, false) : part(o, vpn, 1, false));
        put_iommu(o, e);
    } else if (o->subregions && bits.c[r]) {
        subregion(o, &bits, vpn);
    } else if (!page(o, vpn)->mapped) {
        o->r.where = "fault";
    } else {
        struct entry one = part(o, vpn, 1, false), run = run_of(o, vpn);
        answer(o, "page", vpn, &one);
        put_l1(o, o->colt_l1 ? run : one);
        put_iommu(o, o->colt_iommu ? run : one);
    }
}

static void translate(struct oracle *o, uint64_t vpn)
{
    o->r.cycles = 1;
    struct entry *e = hit(o, o->l1, o->p.l1, vpn, false);
    if (e) {
        answer(o, "l1", vpn, e);
        return;
    }
    e = look_up_iommu(o, vpn);
    if (!e) {
        walk(o, vpn);
        return;
    }
    answer(o, e->sub ? "sub" : "iommu", vpn, e);
    bool whole = o->thp || (o->colt_iommu && !e->sub);
    put_l1(o, whole ? *e : e->sub && o->colt_l1 ? part(o, vpn / 4 * 4, 4, false) : part(o, vpn, 1, false));
}

/* --- stimuli -------------------------------------------------------------------------------------------- */

static void scan_all(struct oracle *o)
{
    for (uint32_t f = 0; f < ORACLE_FRAMES; f++) {
        uint64_t vpn = ORACLE_FIRST + f * 512;
        if (!o->frame[f].table)
            continue;
        o->r.scan.frames++;
        if (scan(o, vpn)) {
            o->r.scan.changed++;
            forget_upper(o, vpn);
        }
        for (int r = 0; r < 8; r++)
            o->r.scan.subregions += o->frame[f].c[r];
        o->r.scan.whole += o->frame[f].whole;
        o->r.scan.huge += o->frame[f].whole && page(o, vpn)->pfn % 512 == 0;
    }
}

struct replay_subregions_response oracle_apply(struct oracle *o, const struct replay_subregions_stimulus *s)
{
    memset(&o->r, 0, sizeof o->r);
    for (uint64_t i = 0; i < s->pages && strchr("PUR", s->op); i++) {
        struct page to = {s->op != 'U', s->op != 'U' && s->read_only, s->op != 'U' ? s->pfn + i : 0};
        if (s->op != 'P') {
            change(o, s->vpn + i, to);
            continue;
        }
        *page(o, s->vpn + i) = to;
        frame(o, s->vpn + i)->table = true;
        o->r.mapped++;
    }
    if (s->op == 'S')
        scan_all(o);
    else if (s->op == 'F')
        empty(o);
    else if (s->op == 'T')
        translate(o, s->vpn);
    return o->r;
}
