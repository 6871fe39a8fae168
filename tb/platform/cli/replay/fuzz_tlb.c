/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay tlb. A line is refused in one line, or what it was taken for reads back as
 * the same; and every policy, driven by the lines that were taken, keeps what a TLB promises. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"
#include "tlb/policy.h"

/* Three tenants, for the policies that know them; for MASK one warp. */
static const struct mp_tlb_geometry geometry = {.sets = 2,
                                                .ways = 4,
                                                .sub_entries = 16,
                                                .latency = 40,
                                                .tenants = 3,
                                                .tenant_ways = {2, 1, 1},
                                                .sms = 1,
                                                .warps = 1};
#define CAPACITY (2u * 4u * 16u + 64u) /* and the largest bypass cache */

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_tlb_stimulus *s)
{
    char line[64];
    struct replay_tlb_stimulus again;
    int n = snprintf(line, sizeof line, "%c", s->op);
    if (s->op != 'F')
        n += snprintf(line + n, sizeof line - (size_t)n, " %u", s->asid);
    if (strchr("LIV", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%" PRIx64, s->vpn);
    if (s->op == 'I')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, s->pfn);
    require(replay_tlb_parse(line, (size_t)n, &again, NULL) == 0);
    require(again.op == s->op && again.asid == s->asid && again.vpn == s->vpn && again.pfn == s->pfn);
}

static bool holds(const struct mp_tlb_policy *p, void *state, const struct replay_tlb_stimulus *s,
                  uint64_t *pfn)
{
    struct mp_tlb_hit hit = p->lookup(state, s->asid, s->vpn);
    require(hit.cycles >= geometry.latency);
    *pfn = hit.pfn;
    return hit.found;
}

static void apply(const struct mp_tlb_policy *p, void *state, const struct replay_tlb_stimulus *s)
{
    uint64_t before = p->occupancy(state, s->asid), pfn;
    require(before <= CAPACITY);
    if (s->op == 'I') {
        struct mp_tlb_left left;
        left.count = left.pages = 0;
        struct mp_tlb_insertion in =
            p->insert(state, s->asid, s->vpn, (struct mp_translation){.pfn = s->pfn}, &left);
        require(in.action && in.way < 2 * geometry.ways && left.pages <= CAPACITY);
        require(holds(p, state, s, &pfn) && pfn == s->pfn);
    } else if (s->op == 'V') {
        bool held = holds(p, state, s, &pfn);
        require(p->invalidate_page(state, s->asid, s->vpn, NULL) == held);
        require(!holds(p, state, s, &pfn) && p->occupancy(state, s->asid) == before - held);
    } else if (s->op == 'A') {
        require(p->invalidate_asid(state, s->asid) == before && p->occupancy(state, s->asid) == 0);
    } else if (s->op == 'F') {
        require(p->invalidate_all(state) <= CAPACITY && p->occupancy(state, s->asid) == 0);
    } else {
        holds(p, state, s, &pfn);
    }
}

static void replay_text(const struct mp_tlb_policy *p, const char *text, size_t size)
{
    struct mp_tlb_geometry g = geometry;
    g.own = mp_design_defaults(&p->design);
    void *state = mp_tlb_state(p, &g);
    require(state != NULL);
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_tlb_stimulus s;
        struct mp_error err = {""};
        if (replay_tlb_parse(text + at, length, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&s);
            s.asid = (uint16_t)(s.asid % geometry.tenants);
            apply(p, state, &s);
        }
        at += length + 1;
    }
    free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned i = 0; mp_tlb_policies[i]; i++)
        replay_text(mp_tlb_policies[i], (const char *)data, size);
    return 0;
}
