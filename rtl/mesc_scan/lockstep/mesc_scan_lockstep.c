/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_scan/lockstep/mesc_scan_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "rtl/mesc_scan/lockstep/mesc_scan_cover.h"
#include "vm/contiguity.h"

/* Where the model has its tables. The scanned one may be anywhere. */
#define MEMORY_BYTES (1u << 20)
#define ROOT         0x1000u
#define UPPER        0x2000u
#define MIDDLE       0x3000u
#define LEAVES       0x5000u
#define ENTRIES      512u /* of a table */

struct mesc_scan_lockstep {
    struct rtl_lockstep base;
    const struct mesc_scan_rtl *rtl;
    struct mp_physmem memory; /* of the model */
    struct mp_page_table model;
    struct mesc_scan_cover cover;
    struct scan_table table;
    /* the current scan, and the difference */
    struct scan_table before, expected, got;
    struct scan_result result;
    struct mesc_scan_answer answer;
    uint64_t clocks; /* that a calm scan takes */
    bool calm;
};

/* ---- begin and end ---- */

static void write_model(struct mesc_scan_lockstep *l, uint64_t at, uint64_t value)
{
    mp_physmem_write64(&l->memory, at, value); /* it cannot fail: all tables are inside */
}

struct mesc_scan_lockstep *mesc_scan_lockstep_new(const struct mesc_scan_rtl *rtl, uint64_t seed)
{
    struct mesc_scan_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->cover.now = &l->base.transactions;
    l->model = (struct mp_page_table){.format = mp_page_format(SCAN_PAGE),
                                      .memory = &l->memory,
                                      .root = ROOT,
                                      .heads_first = rtl->heads_first};
    l->table.entry_at = MIDDLE;
    l->table.entry = LEAVES | MP_PTE_VALID;
    l->base.block = rtl->open(seed);
    if (!l->base.block || mp_physmem_init(&l->memory, MEMORY_BYTES) ||
        mp_physmem_write64(&l->memory, ROOT, UPPER | MP_PTE_VALID) ||
        mp_physmem_write64(&l->memory, UPPER, MIDDLE | MP_PTE_VALID) ||
        mp_physmem_write64(&l->memory, MIDDLE, 0) || mp_physmem_write64(&l->memory, LEAVES, 0)) {
        mesc_scan_lockstep_free(l);
        return NULL;
    }
    return l;
}

void mesc_scan_lockstep_free(struct mesc_scan_lockstep *l)
{
    if (!l)
        return;
    if (l->base.block)
        l->base.rtl->close(l->base.block);
    mp_physmem_free(&l->memory);
    free(l);
}

struct rtl_lockstep *mesc_scan_lockstep_base(struct mesc_scan_lockstep *l)
{
    return &l->base;
}

const struct mesc_scan_rtl *mesc_scan_lockstep_rtl(const struct mesc_scan_lockstep *l)
{
    return l->rtl;
}

void mesc_scan_lockstep_mutate(struct mesc_scan_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
}

struct scan_table *mesc_scan_lockstep_table(struct mesc_scan_lockstep *l)
{
    return &l->table;
}

/* ---- what the model answers ---- */

/* The model scans a copy of the table whose entries are elsewhere. Returns false if it does not agree with
 * Algorithm 1, which then is the difference. */
static bool ask_model(struct mesc_scan_lockstep *l)
{
    const struct scan_table *begin = &l->before, *end = &l->expected;
    struct mp_contiguity c = {0};
    uint64_t index = begin->entry_at / 8 % ENTRIES, at = MIDDLE + 8 * index;
    write_model(l, at, (begin->entry & ~MP_PTE_ADDRESS) | LEAVES);
    for (unsigned i = 0; i < SCAN_PAGES; i++)
        write_model(l, LEAVES + 8 * i, begin->leaf[i]);
    bool changed = mp_contiguity_scan_frame(&c, &l->model, index << MP_CONTIGUITY_SHIFT);
    uint64_t entry = mp_physmem_read64(&l->memory, at);
    if (changed == l->result.changed && entry == ((end->entry & ~MP_PTE_ADDRESS) | LEAVES) &&
        c.read == end->leaf_reads && c.written == end->writes)
        return true;
    return rtl_lockstep_differs(&l->base, "model and Algorithm 1");
}

/* ---- comparing ---- */

/* The number of the first access that differs; that of accesses if none does. With a reset only the RTL's are
 * compared. */
static unsigned first_other(const struct mesc_scan_lockstep *l)
{
    const struct scan_table *a = &l->expected, *b = &l->got;
    unsigned most = b->accesses < SCAN_ACCESSES ? b->accesses : SCAN_ACCESSES;
    for (unsigned i = 0; i < most; i++)
        if (i >= a->accesses || a->access[i].write != b->access[i].write ||
            a->access[i].at != b->access[i].at)
            return i;
    return most;
}

static bool same_accesses(const struct mesc_scan_lockstep *l)
{
    unsigned same = first_other(l);
    return same == l->got.accesses && (l->answer.reset || same == l->expected.accesses);
}

static const char *differs(const struct mesc_scan_lockstep *l)
{
    const struct mesc_scan_answer *a = &l->answer;
    uint64_t entry = a->reset && !l->got.writes ? l->before.entry : l->expected.entry;
    if (!same_accesses(l))
        return "accesses";
    if (l->got.entry != entry)
        return "entry of the table";
    if (a->reset)
        return NULL;
    if (a->bits != l->result.bits)
        return "bits";
    if (a->changed != l->result.changed)
        return "changed";
    if (l->calm && l->rtl->timed && a->clocks != l->clocks)
        return "clocks";
    return NULL;
}

bool mesc_scan_lockstep_step(struct mesc_scan_lockstep *l, struct rtl_manner manner)
{
    const struct mesc_scan_memory memory = {scan_table_access, &l->got};
    rtl_lockstep_begin(&l->base, ++l->base.transactions);
    scan_table_begin(&l->table);
    l->before = l->expected = l->got = l->table;
    l->calm = !rtl_manner_rough(&manner);
    l->result = scan_algorithm(&l->expected, l->rtl->heads_first);
    l->clocks = scan_clocks(&l->expected, &l->result);
    if (!l->before.changes && !ask_model(l))
        return false;
    l->rtl->scan(l->base.block, l->table.entry_at, &memory, &l->answer, manner);
    if (l->answer.wrong)
        return rtl_lockstep_breaks(&l->base, l->answer.wrong);
    const char *what = differs(l);
    if (what)
        return rtl_lockstep_differs(&l->base, "%s", what);
    if (l->answer.reset) {
        l->base.resets++;
        mesc_scan_cover_reset(&l->cover, &l->got, l->answer.waits, l->rtl->heads_first);
    } else {
        mesc_scan_cover_scan(&l->cover, &l->before, &l->got, &l->result, l->rtl->heads_first);
    }
    l->table = l->got;
    l->table.changes = 0;
    return true;
}

bool mesc_scan_lockstep_point(const struct mesc_scan_lockstep *l, unsigned number,
                              char name[MP_RTL_POINT_NAME], struct mp_rtl_point *point)
{
    return mesc_scan_cover_point(&l->cover, number, name, point);
}

bool mesc_scan_lockstep_open(const struct mesc_scan_lockstep *l, unsigned number)
{
    return !l->cover.point[number].taken && !(l->base.met && l->base.met[number]);
}

bool mesc_scan_lockstep_lines(const struct mesc_scan_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, l->rtl->heads_first ? "scan/head" : "scan", NULL,
                     each, to);
}

/* ---- a difference ---- */

static void print_number(FILE *out, const char *name, uint64_t model, uint64_t rtl)
{
    fprintf(out, "%c %-12s %16" PRIx64 " %16" PRIx64 "\n", model == rtl ? ' ' : '*', name, model, rtl);
}

static void print_answers(const struct mesc_scan_lockstep *l, FILE *out)
{
    const struct mesc_scan_answer *a = &l->answer;
    fprintf(out, "  %-12s %16s %16s   (hexadecimal)\n", "response", "model", "rtl");
    print_number(out, "accesses", l->expected.accesses, l->got.accesses);
    print_number(out, "entry", l->expected.entry, l->got.entry);
    if (a->wrong || a->reset)
        return;
    print_number(out, "bits", l->result.bits, a->bits);
    print_number(out, "changed", l->result.changed, a->changed);
    if (l->calm && l->rtl->timed)
        print_number(out, "clocks", l->clocks, a->clocks);
}

static void print_access(FILE *out, const char *of, const struct mesc_scan_lockstep *l,
                         const struct scan_table *t, unsigned number)
{
    if (number >= t->accesses || number >= SCAN_ACCESSES) {
        fprintf(out, "    %-6s none\n", of);
        return;
    }
    const struct scan_access *a = &t->access[number];
    uint64_t leaf = (a->at - (l->before.entry & MP_PTE_ADDRESS)) / 8;
    fprintf(out, "    %-6s %s 0x%012" PRIx64, of, a->write ? "writes" : "reads", a->at);
    if (a->at == t->entry_at)
        fputs(", the entry of the table\n", out);
    else if (leaf < SCAN_PAGES)
        fprintf(out, ", page %u\n", scan_page_of(l->rtl->heads_first, (unsigned)leaf));
    else
        fputs(", neither the table's entry nor one of its leaves\n", out);
}

static void print_accesses(const struct mesc_scan_lockstep *l, FILE *out)
{
    unsigned number = first_other(l);
    if (same_accesses(l) || l->base.broken)
        return;
    fprintf(out, "* access %u\n", number + 1);
    print_access(out, "model", l, &l->expected, number);
    print_access(out, "rtl", l, &l->got, number);
}

static void print_subregion(const struct mesc_scan_lockstep *l, unsigned r, bool differs, FILE *out)
{
    uint64_t head = l->before.leaf[scan_leaf_of(l->rtl->heads_first, r * MP_SUBREGION_PAGES)];
    fprintf(out, "%c subregion %u: ", differs ? '*' : ' ', r);
    if (head & MP_PTE_VALID)
        fprintf(out, "first page pfn=0x%09" PRIx64 " %s%s; ", (uint64_t)(head & MP_PTE_ADDRESS) / SCAN_PAGE,
                head & MP_PTE_READ_ONLY ? "r" : "rw", l->result.joins[r] ? ", continues the one before" : "");
    if (l->result.ends[r] == MP_SUBREGION_PAGES)
        fputs("contiguous\n", out);
    else
        fprintf(
            out, "ends at its page %u, whose entry is 0x%016" PRIx64 "\n", l->result.ends[r],
            l->before.leaf[scan_leaf_of(l->rtl->heads_first, r * MP_SUBREGION_PAGES + l->result.ends[r])]);
}

void mesc_scan_lockstep_report(const struct mesc_scan_lockstep *l, FILE *out, bool full)
{
    uint64_t other = l->answer.bits ^ l->result.bits;
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    fprintf(out,
            "transaction %" PRIu64 ", clock %" PRIu64 ": the entry at 0x%012" PRIx64 " is 0x%016" PRIx64 "\n",
            l->base.session + l->base.transactions, rtl_lockstep_clocks(&l->base), l->before.entry_at,
            l->before.entry);
    if (l->answer.reset)
        fputs("a reset came before its end was taken\n", out);
    print_answers(l, out);
    print_accesses(l, out);
    for (unsigned i = 0; i < l->before.changes; i++)
        fprintf(out, "  page %u is 0x%016" PRIx64 " from access %u on\n",
                scan_page_of(l->rtl->heads_first, l->before.change[i].leaf), l->before.change[i].value,
                l->before.change[i].when + 1);
    for (unsigned r = 0; l->result.table && r < MP_SUBREGIONS; r++) {
        bool differs = !l->base.broken && !l->answer.reset && other >> r & 1;
        if (full || differs)
            print_subregion(l, r, differs, out);
    }
}
