/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hashed page table with open addressing and clusters, after Yaniv and Tsafrir, "Hash, Don't Cache (the
 * Page Table)", SIGMETRICS 2016, and Jang et al., "Rethinking Page Table Structure for Fast Address
 * Translation in GPUs: A Fixed-Size Hashed Page Table", PACT 2024. Their texts were not at hand: what follows
 * was chosen here.
 *
 * The table is an array of lines of 128 B, which a walk reads one at a time. A line has 2 clusters, and a
 * cluster the entries of 8 neighbouring pages, as the format has them in a leaf. Bits 55:48 of its entry i,
 * which the format does not use, are byte i of the cluster's tag: the number of its first page / 8, and the
 * address space. Bits 57:56 of entry 0 say whether the cluster is in use (1), was (2), or never was (0).
 *
 * A cluster may be in the line that the hash of its tag selects or one of the next, up to `probes` in all; a
 * walk reads them in order until it finds the tag or a cluster that never was in use. A cluster whose last
 * page goes is marked, and the next cluster that passes there may take its place; nothing else ever moves, so
 * that walks in flight miss nothing. If a new cluster finds no place in its lines, the table is full for it,
 * and mapping the page fails.
 *
 * Each address space has a table. The register with its root also has log2 of its lines in bits 4:0, and the
 * probes less 1 in bits 11:5.
 */
#include "engine/mshr.h"
#include "vm/page_table.h"

#define LINE    128u
#define CLUSTER 64u
#define PAGES   8u /* of a cluster */
#define TAG     (0xffull << 48)
#define USED    (1ull << 56)
#define GONE    (2ull << 56)
#define MARKS   (TAG | USED | GONE)

enum { LINES, PROBES };

static const struct mp_design_param params[] = {
    [LINES] = {"lines", "lines", NULL, 16384, 32, 1u << 22, "mempath",
               "hashed: lines of 128 B, each for 16 pages, in the table of an address space",
               MP_DESIGN_POWER_OF_TWO},
    [PROBES] = {"probes", "lines", NULL, 8, 1, 128, "mempath",
                "hashed: lines in which a page may be; a page that finds no room in them cannot be mapped",
                0},
    {0},
};

/* --- the array ------------------------------------------------------------------------------------------ */

struct hashed {
    uint64_t base, lines, probes;
};

static struct hashed of_root(uint64_t root)
{
    return (struct hashed){root & ~0xfffull, 1ull << (root & 31), (root >> 5 & 127) + 1};
}

static uint64_t tag_of(const struct mp_page_format *f, uint16_t asid, uint64_t va)
{
    return (va >> f->page_shift) / PAGES << 8 | asid;
}

static uint64_t line_at(const struct hashed *h, uint64_t tag, uint64_t probe)
{
    return h->base + LINE * ((mp_mix(tag) + probe) & (h->lines - 1));
}

static uint64_t tag_in(const struct mp_physmem *m, uint64_t cluster)
{
    uint64_t tag = 0;
    for (unsigned i = 0; i < PAGES; i++)
        tag |= (mp_physmem_read64(m, cluster + 8 * i) & TAG) >> 48 << 8 * i;
    return tag;
}

static bool is_of(const struct mp_physmem *m, uint64_t cluster, uint64_t tag)
{
    return mp_physmem_read64(m, cluster) & USED && tag_in(m, cluster) == tag;
}

static bool never_used(const struct mp_physmem *m, uint64_t cluster)
{
    return !(mp_physmem_read64(m, cluster) & (USED | GONE));
}

/* The tag's cluster in the line; 0 if it is not there. *ends: and in no further line. */
static uint64_t find_in(const struct mp_physmem *m, uint64_t line, uint64_t tag, bool *ends)
{
    *ends = false;
    for (uint64_t cluster = line; cluster < line + LINE && !*ends; cluster += CLUSTER) {
        if (is_of(m, cluster, tag))
            return cluster;
        *ends = never_used(m, cluster);
    }
    return 0;
}

/* --- the driver ----------------------------------------------------------------------------------------- */

static int check(const struct mp_page_format *f, uint32_t page_shift, const struct mp_design_values *own,
                 struct mp_error *err)
{
    (void)own;
    if (f == mp_page_format(1ull << page_shift))
        return 0;
    return mp_fail(err,
                   "table: hashed has entries of mempath's format with pages of one size, not of %s; "
                   "vm.format = mempath",
                   f->name);
}

/* Frames of tables come in order, or in the reverse order. */
static int init(struct mp_page_table *t, const struct mp_design_values *own, struct mp_error *err)
{
    const uint64_t lines = own->v[LINES], frames = lines * LINE / MP_FRAME_BYTES;
    const unsigned long long bytes = lines * LINE;
    uint64_t first = 0, at = 0;
    for (uint64_t i = 0; i < frames; i++) {
        if (mp_frames_take_table(t->frames, t->tenant, &at, err))
            return -1;
        first = i ? first : at;
        if (at - first != i * MP_FRAME_BYTES && first - at != i * MP_FRAME_BYTES)
            return mp_fail(
                err,
                "vm.table = hashed needs %llu B in one piece, and frame %llu is elsewhere; vm.frames = "
                "ascending",
                bytes, (unsigned long long)i);
    }
    t->root = (first < at ? first : at) | (uint64_t)__builtin_ctzll(lines) | (own->v[PROBES] - 1) << 5;
    return 0;
}

static int write_cluster(struct mp_page_table *t, uint64_t cluster, uint64_t tag, uint64_t mark,
                         struct mp_error *err)
{
    for (unsigned i = 0; i < PAGES; i++)
        if (mp_physmem_write64(t->memory, cluster + 8 * i, (tag >> 8 * i & 0xff) << 48 | (i ? 0 : mark)))
            return mp_fail(err, "out of memory");
    return 0;
}

/* The place for a new cluster in the line; 0 if there is none. */
static uint64_t room_in(const struct mp_physmem *m, uint64_t line)
{
    for (uint64_t cluster = line; cluster < line + LINE; cluster += CLUSTER)
        if (!(mp_physmem_read64(m, cluster) & USED))
            return cluster;
    return 0;
}

/* The cluster of va's page, which is made if it is missing. -1 with a message: no room. */
static int reach_cluster(struct mp_page_table *t, uint64_t va, uint64_t *cluster, struct mp_error *err)
{
    const struct hashed h = of_root(t->root);
    const uint64_t tag = tag_of(t->format, t->asid, va);
    uint64_t room = 0;
    bool ends = false;
    for (uint64_t probe = 0; probe < h.probes && !ends; probe++) {
        const uint64_t line = line_at(&h, tag, probe);
        if ((*cluster = find_in(t->memory, line, tag, &ends)))
            return 0;
        if (!room)
            room = room_in(t->memory, line);
    }
    if (!room)
        return mp_fail(
            err,
            "page 0x%llx finds no room in the hashed page table of %llu lines; a larger hashed.lines or "
            "hashed.probes",
            (unsigned long long)(va >> t->format->page_shift), (unsigned long long)h.lines);
    *cluster = room;
    return write_cluster(t, room, tag, USED, err);
}

static int reach(struct mp_page_table *t, uint64_t va, uint32_t page_shift, struct mp_error *err)
{
    uint64_t cluster;
    (void)page_shift;
    return reach_cluster(t, va, &cluster, err);
}

static uint64_t place_in(const struct mp_page_format *f, uint64_t cluster, uint64_t va)
{
    return cluster + 8 * ((va >> f->page_shift) % PAGES);
}

/* Its memory exists, so the write cannot fail. */
static void set(struct mp_page_table *t, uint64_t at, uint64_t entry)
{
    mp_physmem_write64(t->memory, at, (mp_physmem_read64(t->memory, at) & MARKS) | entry);
}

static int map(struct mp_page_table *t, uint64_t va, uint64_t pa, uint32_t page_shift, struct mp_error *err)
{
    uint64_t cluster;
    (void)page_shift;
    if (reach_cluster(t, va, &cluster, err))
        return -1;
    set(t, place_in(t->format, cluster, va), pa | MP_PTE_VALID | MP_PTE_LEAF);
    return 0;
}

/* A cluster without pages gives up its place. Walks may still have to pass it, unless nothing can be after
 * it. */
static void leave_if_empty(struct mp_page_table *t, uint64_t cluster)
{
    const struct hashed h = of_root(t->root);
    const uint64_t end = h.base + h.lines * LINE,
                   after = cluster + CLUSTER == end ? h.base : cluster + CLUSTER;
    for (unsigned i = 0; i < PAGES; i++)
        if (mp_physmem_read64(t->memory, cluster + 8 * i) & ~MARKS)
            return;
    write_cluster(t, cluster, 0, never_used(t->memory, after) ? 0 : GONE, NULL);
}

static void change(struct mp_page_table *t, uint64_t va, uint64_t at, uint64_t entry)
{
    const uint64_t cluster = at / CLUSTER * CLUSTER;
    if (!is_of(t->memory, cluster, tag_of(t->format, t->asid, va)))
        return; /* the page has no place */
    set(t, at, entry);
    leave_if_empty(t, cluster);
}

/* --- walks ---------------------------------------------------------------------------------------------- */

static void begin(struct mp_table_walk *x)
{
    const struct hashed h = of_root(x->root);
    x->step = 0; /* number of lines read */
    x->at = line_at(&h, tag_of(x->format, x->asid, x->va), 0);
}

static bool next(struct mp_table_walk *x)
{
    const struct hashed h = of_root(x->root);
    const uint64_t tag = tag_of(x->format, x->asid, x->va);
    bool ends;
    const uint64_t cluster = find_in(x->memory, x->at, tag, &ends);
    x->form = NULL;
    if (!cluster && !ends && ++x->step < h.probes) {
        x->at = line_at(&h, tag, x->step);
        return true;
    }
    x->form = x->format->form[x->format->levels - 1];
    x->number = 0;
    x->entry_at = cluster ? place_in(x->format, cluster, x->va) : x->at;
    x->entry = cluster ? mp_physmem_read64(x->memory, x->entry_at) & ~MARKS : 0;
    return false;
}

const struct mp_page_table_design mp_page_table_hashed = {
    .design = {.name = "hashed",
               .title = "an array of lines with the entries of neighbouring pages, found by a hash",
               .params = params},
    .check = check,
    .init = init,
    .reach = reach,
    .map = map,
    .change = change,
    .begin = begin,
    .next = next,
};
