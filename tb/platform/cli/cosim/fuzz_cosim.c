/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of cosim, for every block in every mode. A line is refused in one line, or its stimulus
 * is within what the RTL and the lockstep take, and reads back as the same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cosim/cosim.h"
#include "cli/replay/replay.h"
#include "rtl/dws/cosim.h"
#include "rtl/l1_tlb/cosim.h"
#include "rtl/mesc_scan/cosim.h"
#include "rtl/mesc_tlb/cosim.h"
#include "rtl/neidty/cosim.h"
#include "rtl/star/cosim.h"
#include "rtl/uvm_tree/cosim.h"

#define LINE_BYTES 512u

static void require(int truth)
{
    if (!truth)
        abort();
}

/* ---- what a stimulus may be, and how it is written: each function returns the length of its line ---- */

static int tlb(const void *stimulus, unsigned vpn_bits, char line[LINE_BYTES])
{
    const struct replay_tlb_stimulus *s = stimulus;
    require(s->op && strchr("LIVAF", s->op) != NULL);
    require(!(s->asid >> COSIM_STAR_ASID_BITS) && !(s->vpn >> vpn_bits) && s->pfn <= REPLAY_MAX_PFN);
    int n = snprintf(line, LINE_BYTES, "%c", s->op);
    if (s->op != 'F')
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " %u", s->asid);
    if (strchr("LIV", s->op))
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " 0x%" PRIx64, s->vpn);
    if (s->op == 'I')
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " %" PRIu64, s->pfn);
    return n;
}

static int star(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    (void)setup;
    return tlb(stimulus, COSIM_STAR_VPN_BITS, line);
}

static int star_set(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    (void)setup;
    return tlb(stimulus, COSIM_STAR_SET_VPN_BITS, line);
}

static int dws(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    const struct replay_walk *w = stimulus;
    require(w->tenant < setup->tenants);
    return snprintf(line, LINE_BYTES, "%" PRIu64 " %u %" PRIu64, w->arrive, (unsigned)w->tenant, w->id);
}

/* An event of a clock with a page; 0: there is none. */
static int page(uint64_t page, const char *event, char *line)
{
    const uint64_t vpn = page & ((UINT64_C(1) << COSIM_NEIDTY_VPN_BITS) - 1);
    const uint64_t asid = (page & ~(COSIM_NEIDTY_VALID | COSIM_NEIDTY_LOCAL)) >> COSIM_NEIDTY_VPN_BITS;
    require(!(asid >> COSIM_NEIDTY_ASID_BITS));
    return snprintf(line, LINE_BYTES / 8, " %s %" PRIu64 " 0x%" PRIx64, event, asid, vpn);
}

static int neidty(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    static const char *const sides[] = {"own", "left", "right"};
    const struct cosim_neidty_clock *s = stimulus;
    unsigned changes = s->empty;
    char event[16];
    int n = page(s->lookup, "lookup", line);
    (void)setup;
    require(!(s->lookup & (COSIM_NEIDTY_VALID | COSIM_NEIDTY_LOCAL)));
    if (s->empty)
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " empty");
    for (unsigned i = 0; i < COSIM_NEIDTY_SIDES; i++) {
        const uint64_t evicted = s->evicted[i], inserted = s->inserted[i];
        snprintf(event, sizeof event, "%s-", sides[i]);
        require(evicted & COSIM_NEIDTY_VALID ? !(evicted & COSIM_NEIDTY_LOCAL) : !evicted);
        if (evicted)
            n += page(evicted, s->drop ? "drop" : event, line + n);
        snprintf(event, sizeof event, "%s%c", sides[i], inserted & COSIM_NEIDTY_LOCAL ? '*' : '+');
        require(inserted & COSIM_NEIDTY_VALID || !inserted);
        if (inserted)
            n += page(inserted, event, line + n);
        changes += (evicted != 0) + (inserted != 0);
    }
    require(!s->drop || (changes == 1 && s->evicted[COSIM_NEIDTY_LEFT]));
    return n;
}

static int l1_tlb(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    const struct cosim_l1_tlb_clock *s = stimulus;
    int n = page(s->lookup, s->use ? "lookup" : "show", line);
    (void)setup;
    require(!(s->lookup >> (COSIM_L1_TLB_ASID_BITS + COSIM_L1_TLB_VPN_BITS)));
    require(!(s->page >> (COSIM_L1_TLB_ASID_BITS + COSIM_L1_TLB_VPN_BITS)));
    require(!(s->pfn >> COSIM_L1_TLB_PFN_BITS) && (s->insert || !s->pfn));
    require(s->insert || s->drop ? s->insert != s->drop : !s->page);
    if (s->insert || s->drop)
        n += page(s->page, s->insert ? "insert" : "drop", line + n);
    if (s->insert)
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " %" PRIu64, s->pfn);
    if (s->empty)
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " empty");
    return n;
}

static int mesc_tlb(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    const struct cosim_mesc_tlb_stimulus *s = stimulus;
    const unsigned at = (unsigned)(s->vpn / COSIM_MESC_TLB_SUBREGION % COSIM_MESC_TLB_SUBREGIONS);
    const uint64_t first = s->vpn % COSIM_MESC_TLB_SUBREGION + COSIM_MESC_TLB_SUBREGION * (at - s->first);
    require(s->op && strchr("LISVAF", s->op) != NULL);
    require(s->asid < COSIM_MESC_TLB_ASIDS && !(s->vpn >> COSIM_MESC_TLB_VPN_BITS) &&
            !(s->pfn >> COSIM_MESC_TLB_PFN_BITS));
    int n = snprintf(line, LINE_BYTES, "%c", s->op);
    if (s->op != 'F')
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " %u", s->asid);
    if (strchr("LISV", s->op))
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " 0x%" PRIx64, s->vpn);
    if (strchr("IS", s->op))
        n += snprintf(line + n, LINE_BYTES - (size_t)n, " %" PRIu64 " %s", s->pfn, s->read_only ? "r" : "rw");
    if (s->op != 'S')
        return n;
    require(setup->mode != COSIM_MESC_TLB_PAGE);
    require(s->first <= at && at <= s->last && s->last < COSIM_MESC_TLB_SUBREGIONS);
    require(s->pfn >= first &&
            !((s->pfn - first + COSIM_MESC_TLB_SUBREGION * (s->last - s->first + 1u) - 1) >>
              COSIM_MESC_TLB_PFN_BITS));
    return n + snprintf(line + n, LINE_BYTES - (size_t)n, " %u %u", s->first, s->last);
}

static int mesc_scan(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    const struct cosim_mesc_scan_stimulus *s = stimulus;
    (void)setup;
    require(s->pages && s->page + s->pages <= COSIM_MESC_SCAN_PAGES);
    switch (s->op) {
    case 'P':
        require(!((s->value + s->pages - 1) >> COSIM_MESC_SCAN_PFN_BITS));
        return snprintf(line, LINE_BYTES, "P %u 0x%" PRIx64 " %s %u", s->page, s->value,
                        s->read_only ? "r" : "rw", s->pages);
    case 'U':
        return snprintf(line, LINE_BYTES, "U %u %u", s->page, s->pages);
    case 'E':
        return snprintf(line, LINE_BYTES, "E %u 0x%" PRIx64, s->page, s->value);
    case 'T':
        require(!(s->at >> COSIM_MESC_SCAN_AT_BITS) && s->at % 8 == 0);
        require(((s->at ^ s->value) & 0xfffffffff000) != 0);
        return snprintf(line, LINE_BYTES, "T 0x%" PRIx64 " %" PRIu64, s->value, s->at);
    default:
        require(s->op == 'S');
        return snprintf(line, LINE_BYTES, "S");
    }
}

static int uvm_tree(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES])
{
    const struct mp_uvm_unit_request *r = stimulus;
    const uint32_t row = COSIM_UVM_TREE_ROW(setup->mode);
    require(r->page < COSIM_UVM_TREE_PAGES(setup->mode) && r->first < row && !(r->marks >> row));
    require(r->threshold <= COSIM_UVM_TREE_MOST_THRESHOLD);
    switch (r->op) {
    case MP_UVM_UNIT_BEGIN:
        return snprintf(line, LINE_BYTES, "B %" PRIu32 " %" PRIu32 " %" PRIu32, r->first, r->page,
                        r->threshold);
    case MP_UVM_UNIT_LOAD:
        return snprintf(line, LINE_BYTES, "L %" PRIu32 " 0x%" PRIx64, r->page, r->marks);
    default:
        return snprintf(line, LINE_BYTES, "%c %" PRIu32,
                        r->op == MP_UVM_UNIT_QUERY ? 'Q'
                        : r->grow                  ? 'G'
                                                   : 'M',
                        r->page);
    }
}

/* ---- all blocks ---- */

static const struct {
    const struct cosim_block *block;
    int (*write)(const struct cosim_setup *setup, const void *stimulus, char line[LINE_BYTES]);
} writers[] = {{&cosim_star, star},           {&cosim_star_set, star_set}, {&cosim_dws, dws},
               {&cosim_neidty, neidty},       {&cosim_l1_tlb, l1_tlb},     {&cosim_mesc_tlb, mesc_tlb},
               {&cosim_mesc_scan, mesc_scan}, {&cosim_uvm_tree, uvm_tree}};

struct stimulus {
    _Alignas(max_align_t) char bytes[COSIM_STIMULUS_BYTES];
};

/* A block that is not in `writers` is only parsed. */
static void same_again(const struct cosim_block *block, const struct cosim_setup *setup,
                       const struct stimulus *s)
{
    char line[LINE_BYTES], other[LINE_BYTES];
    struct stimulus again = {{0}};
    unsigned i = 0;
    while (i < sizeof writers / sizeof *writers && writers[i].block != block)
        i++;
    if (i == sizeof writers / sizeof *writers)
        return;
    int n = writers[i].write(setup, s, line);
    require(n > 0 && n < (int)LINE_BYTES);
    require(block->parse(setup, line, (size_t)n, &again, NULL) == 1);
    require(writers[i].write(setup, &again, other) == n && !memcmp(line, other, (size_t)n));
}

static void parse(const struct cosim_block *block, const struct cosim_setup *setup, const char *text,
                  size_t size)
{
    struct stimulus s = {{0}};
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct mp_error err = {""};
        int found = block->parse(setup, text + at, length, &s, &err);
        require(found >= -1 && found <= 1);
        if (found < 0) /* a run ends here */
            require(*err.text && !strpbrk(err.text, "\n\r"));
        if (found > 0)
            same_again(block, setup, &s);
        at += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (const struct cosim_block *const *b = cosim_blocks; *b; b++)
        for (unsigned mode = 0; (*b)->modes[mode].name; mode++) {
            const struct cosim_setup setup = {.mode = mode, .stride = 1, .tenants = mode % 2 ? 4 : 2};
            parse(*b, &setup, (const char *)data, size);
        }
    return 0;
}
