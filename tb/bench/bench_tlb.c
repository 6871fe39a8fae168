/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the TLB policies look up and insert: bench_tlb [MILLIONS [POLICY...]]. A TLB of STAR's L3 (1024
 * entries of 16 sub-entries, 8 ways) and four address spaces; times are of one call, CPU time.
 * - repeat: lookups, each page four times, as a warp's lines do;
 * - hit: lookups, in random order, of pages that are there;
 * - miss: lookups of pages that are not;
 * - dense, sparse: misses that are filled, a lookup and an insertion, from three times as many pages as the
 *   TLB holds; all 16 pages of a base, or 3 of them, so that entries are shared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tlb/policy.h"

enum { REACH = 1024 * 16, WINDOW = 1 << 16 };

static uint64_t random_state = 1;

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* CPU time: what else the machine does must not count. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct access {
    uint16_t asid;
    uint64_t vpn;
};

static struct access window[WINDOW];

static void draw_window(uint64_t first, uint64_t bases, const uint32_t *index, uint32_t indices,
                        uint32_t each)
{
    for (uint32_t i = 0; i < WINDOW; i++) {
        if (i % each) {
            window[i] = window[i - 1];
            continue;
        }
        uint64_t base = draw() % bases;
        window[i].asid = (uint16_t)(base / 128 % 4); /* so that a set has all four */
        window[i].vpn = first + base * 16 + index[draw() % indices];
    }
}

static void fill(const struct mp_tlb_policy *p, void *tlb, const struct access *a)
{
    if (!p->lookup(tlb, a->asid, a->vpn).found)
        p->insert(tlb, a->asid, a->vpn, (struct mp_translation){.pfn = a->vpn + 1}, NULL);
}

/* Lookups of the window, which is asked for again and again. Returns M/s. */
static double look_up(const struct mp_tlb_policy *p, void *tlb, uint64_t calls, uint64_t *hits)
{
    *hits = 0;
    double since = seconds();
    for (uint64_t n = 0; n < calls; n++)
        *hits += p->lookup(tlb, window[n % WINDOW].asid, window[n % WINDOW].vpn).found;
    return (double)calls / (seconds() - since) * 1e-6;
}

/* Fills of the window. Returns M/s of lookups and of insertions together. */
static double look_up_and_fill(const struct mp_tlb_policy *p, void *tlb, uint64_t calls)
{
    uint64_t done = calls;
    double since = seconds();
    for (uint64_t n = 0; n < calls; n++) {
        const struct access *a = &window[n % WINDOW];
        if (p->lookup(tlb, a->asid, a->vpn).found)
            continue;
        p->insert(tlb, a->asid, a->vpn, (struct mp_translation){.pfn = a->vpn + 1}, NULL);
        done++;
    }
    return (double)done / (seconds() - since) * 1e-6;
}

static void measure(const struct mp_tlb_policy *p, uint64_t calls)
{
    static const uint32_t all[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint32_t few[3] = {2, 5, 12};
    const struct mp_tlb_geometry g = {.sets = 128,
                                      .ways = 8,
                                      .sub_entries = 16,
                                      .latency = 40,
                                      .own = mp_design_defaults(&p->design),
                                      .sms = 1,
                                      .warps = 1,
                                      .tenants = 4,
                                      .tenant_ways = {2, 2, 2, 2}};
    void *tlb = mp_tlb_state(p, &g);
    if (!tlb)
        exit(1);
    uint64_t hits[3];
    draw_window(0, REACH / 16 / 2, all, 16, 1);
    for (uint32_t i = 0; i < WINDOW; i++)
        fill(p, tlb, &window[i]);
    double hit = look_up(p, tlb, calls, &hits[0]);
    draw_window(0, REACH / 16 / 2, all, 16, 4);
    double repeat = look_up(p, tlb, calls, &hits[1]);
    draw_window(REACH * 16, REACH, all, 16, 1);
    double miss = look_up(p, tlb, calls, &hits[2]);
    draw_window(0, 3 * REACH / 16, all, 16, 1);
    double dense = look_up_and_fill(p, tlb, calls / 4);
    draw_window(0, 3 * REACH / 16, few, 3, 1);
    double sparse = look_up_and_fill(p, tlb, calls / 4);
    printf("%-20s %8.1f %8.1f %8.1f %8.1f %8.1f   hits %.3f %.3f %.3f\n", p->design.name, repeat, hit, miss,
           dense, sparse, (double)hits[1] / (double)calls, (double)hits[0] / (double)calls,
           (double)hits[2] / (double)calls);
    free(tlb);
}

int main(int argc, char **argv)
{
    uint64_t calls = (argc > 1 ? (uint64_t)atol(argv[1]) : 20) * 1000000;
    if (!calls) {
        fprintf(stderr, "usage: bench_tlb [MILLIONS [POLICY...]]\n");
        return 2;
    }
    printf("%-20s %8s %8s %8s %8s %8s   M calls/s\n", "policy", "repeat", "hit", "miss", "dense", "sparse");
    for (unsigned i = 0; argc <= 2 && mp_tlb_policies[i]; i++)
        measure(mp_tlb_policies[i], calls);
    for (int i = 2; i < argc; i++) {
        const struct mp_tlb_policy *p = mp_tlb_policy_find(argv[i]);
        if (!p) {
            fprintf(stderr, "bench_tlb: no policy '%s'\n", argv[i]);
            return 2;
        }
        measure(p, calls);
    }
    return 0;
}
