/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's scan inside a run: it scans, or is compared with the model that does. It gets a copy of
 * the frame's leaf entries as the memory behind its port; what it writes goes to the simulated memory. */
#include <inttypes.h>
#include <stdlib.h>

#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_lockstep.h"

#define SEED 1u /* for the RTL's state before its reset */

struct loop_mesc_scan {
    struct rtl_loop loop;
    const struct mesc_scan_rtl *rtl;
    struct mesc_scan_lockstep *lockstep; /* NULL if the RTL decides */
    struct scan_table table;             /* of the RTL that decides */
    uint64_t at;                         /* of the last scan */
};

extern const struct rtl_built mesc_scan_built[];

static const struct mesc_scan_rtl *find_layout(bool heads_first)
{
    for (const struct rtl_built *b = mesc_scan_built; b->rtl; b++)
        if (!b->lines && ((const struct mesc_scan_rtl *)b->rtl)->heads_first == heads_first)
            return b->rtl;
    return NULL;
}

static void close_scan(void *block)
{
    struct loop_mesc_scan *s = block;
    rtl_loop_close(&s->loop);
    mesc_scan_lockstep_free(s->lockstep);
    free(s);
}

static void *open_scan(bool heads_first, const struct mp_rtl_host *host, struct mp_error *err)
{
    const struct mesc_scan_rtl *rtl = find_layout(heads_first);
    if (!rtl) {
        mp_fail(err, "vm.layout: %s is not in the RTL; %s", heads_first ? "head" : "standard",
                heads_first ? "standard" : "head");
        return NULL;
    }
    struct loop_mesc_scan *s = calloc(1, sizeof *s);
    if (s) {
        s->loop = (struct rtl_loop){.host = host, .rtl = &rtl->verilated, .window.waves = host->waves};
        s->rtl = rtl;
        if (host->shadow && (s->lockstep = mesc_scan_lockstep_new(rtl, SEED)))
            s->loop.lockstep = mesc_scan_lockstep_base(s->lockstep);
        else if (!host->shadow)
            s->loop.block = rtl->open(SEED);
        if (s->lockstep || s->loop.block)
            return s;
        close_scan(s);
    }
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- a scan ---- */

static void read_frame(struct scan_table *table, const struct mp_page_table *t, uint64_t at)
{
    table->entry_at = at;
    table->entry = mp_physmem_read64(t->memory, at);
    table->changes = 0;
    for (unsigned i = 0; i < SCAN_PAGES; i++)
        table->leaf[i] = mp_physmem_read64(t->memory, (table->entry & MP_PTE_ADDRESS) + 8 * i);
}

static struct scan_table *compare(struct loop_mesc_scan *s, const struct mp_page_table *t, uint64_t at)
{
    struct scan_table *table = mesc_scan_lockstep_table(s->lockstep);
    read_frame(table, t, at);
    if (!mesc_scan_lockstep_step(s->lockstep, rtl_manner_of(s->loop.transactions)))
        rtl_loop_differs(&s->loop);
    return table;
}

static struct scan_table *alone(struct loop_mesc_scan *s, const struct mp_page_table *t, uint64_t at)
{
    const struct mesc_scan_memory memory = {scan_table_access, &s->table};
    struct mesc_scan_answer answer;
    read_frame(&s->table, t, at);
    scan_table_begin(&s->table);
    s->rtl->scan(s->loop.block, at, &memory, &answer, (struct rtl_manner){0});
    if (answer.wrong)
        rtl_loop_end(&s->loop, "%s", answer.wrong);
    return &s->table;
}

/* Once the run must end, software scans. */
static bool scan(void *block, struct mp_contiguity *c, struct mp_page_table *t, uint64_t at)
{
    struct loop_mesc_scan *s = block;
    if (s->loop.over)
        return mp_contiguity_scan_at(c, t, at);
    s->at = at;
    rtl_loop_begin(&s->loop);
    const struct scan_table *table = s->lockstep ? compare(s, t, at) : alone(s, t, at);
    if (s->loop.over)
        return mp_contiguity_scan_at(c, t, at);
    c->read += table->leaf_reads;
    c->written += table->writes;
    if (table->writes)
        mp_physmem_write64(t->memory, at, table->entry); /* it cannot fail: the table exists */
    return table->writes;
}

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    const struct loop_mesc_scan *s = block;
    if (s->lockstep && rtl_lockstep_difference(s->loop.lockstep))
        mesc_scan_lockstep_report(s->lockstep, out, full);
    else
        fprintf(out, "%s in scan %" PRIu64 ", of the entry at 0x%" PRIx64 "\n", s->loop.trouble,
                s->loop.transactions, s->at);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_mesc_scan *s = block;
    return s->lockstep && mesc_scan_lockstep_point(s->lockstep, number, name, p);
}

static const struct mp_rtl_scan whole = {.scanner = scan, .open = open_scan};

RTL_LOOP_EXPORT(close_scan, .scan = &whole);
