/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast traces are written, checked and decoded: bench_gwt FILE [WARPS [ACCESSES]]. FILE is made, read and
 * removed; a name that ends in .zst measures compression too. The accesses are a stencil's: unit stride, one
 * full mask.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "trace/gwt.h"

/* CPU time: what else the machine does must not count. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(const char *what, uint64_t events, double since)
{
    double s = seconds() - since;
    printf("%-9s %8.1f M events/s  (%.3f s)\n", what, (double)events / s * 1e-6, s);
}

static inline void fill(struct gwt_event *e, uint32_t warp, uint32_t n)
{
    uint64_t base = (1ull << 32) + warp * 128ull + n / 4 * 65536ull + n % 4 * 4096;
    e->gap = 1 + n % 4;
    e->pc = n % 4;
    e->op = n % 4 == 3 ? GWT_STORE : GWT_LOAD;
    for (unsigned l = 0; l < GWT_WARP_LANES; l++)
        e->lane[l] = base + 4 * l;
}

/* Draws the addresses and writes nothing. Writing a trace takes this time, too. */
static void generate(uint32_t warps, uint32_t accesses)
{
    struct gwt_event e;
    for (uint32_t i = 0; i < warps / 8 * 8; i++)
        for (uint32_t n = 0; n < accesses; n++) {
            fill(&e, i, n);
            __asm__ volatile("" ::"r"(&e) : "memory"); /* or the compiler leaves the work out */
        }
}

static int write_trace(const char *path, uint32_t warps, uint32_t accesses, struct mp_error *err)
{
    struct gwt_pc pcs[4] = {{0x10, 'L', 1, 10}, {0x20, 'L', 1, 10}, {0x30, 'L', 1, 10}, {0x40, 'S', 1, 11}};
    struct gwt_kernel k = {"stencil", {warps / 8, 1, 1}, {256, 1, 1}, 0, 4, pcs, {NULL, NULL}};
    struct gwt_writer *w;
    if (gwt_writer_open(&w, path, err))
        return -1;
    gwt_write_alloc(w, 1, 1ull << 32, 1ull << 36);
    gwt_write_kernel(w, &k);
    struct gwt_event e = {.kind = GWT_ACCESS, .mask = 0xffffffffu, .bytes = 4};
    for (uint32_t i = 0; i < warps / 8 * 8; i++) {
        if (i % 8 == 0)
            gwt_write_cta(w, i / 8, 8);
        gwt_write_warp(w, i % 8, 32);
        for (uint32_t n = 0; n < accesses; n++) {
            fill(&e, i, n);
            gwt_write_event(w, &e);
        }
        gwt_write_event(w, &(struct gwt_event){.kind = GWT_EXIT, .gap = 1});
    }
    gwt_write_kernel_end(w);
    return gwt_writer_close(w, err);
}

static int run(const char *path, uint32_t warps, uint32_t accesses, struct mp_error *err)
{
    uint64_t events = (uint64_t)(warps / 8 * 8) * (accesses + 1), decoded = 0, sum = 0;
    double t = seconds();
    generate(warps, accesses);
    report("generate", events, t);
    t = seconds();
    if (write_trace(path, warps, accesses, err))
        return -1;
    report("write", events, t);
    struct gwt_reader *r;
    t = seconds();
    if (gwt_open(&r, path, err))
        return -1;
    report("validate", events, t);
    struct gwt_record record;
    double decode = 0, all = seconds();
    do {
        if (gwt_next(r, &record, err))
            return -1;
        if (record.kind != GWT_CTA)
            continue;
        struct gwt_event e;
        t = seconds();
        for (uint32_t i = 0; i < record.cta->nwarps; i++)
            while (gwt_warp_next(record.cta->warp[i], &e)) {
                decoded++;
                sum += e.base;
            }
        decode += seconds() - t;
        gwt_cta_release(r, record.cta);
    } while (record.kind != GWT_END);
    report("load+next", decoded, all);
    printf("%-9s %8.1f M events/s  (%.3f s, checksum %llx)\n", "next", (double)decoded / decode * 1e-6,
           decode, (unsigned long long)sum);
    printf("%-9s %8.2f bits/event\n", "stored", 8.0 * (double)gwt_file_bytes(r) / (double)events);
    gwt_close(r);
    return decoded == events ? 0 : mp_fail(err, "%s: other events came back than were written", path);
}

int main(int argc, char **argv)
{
    struct mp_error err;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_gwt FILE [WARPS [ACCESSES]]\n");
        return 2;
    }
    int failed = run(argv[1], argc > 2 ? (uint32_t)atol(argv[2]) : 40000,
                     argc > 3 ? (uint32_t)atol(argv[3]) : 1000, &err);
    if (failed)
        fprintf(stderr, "%s\n", err.text);
    unlink(argv[1]);
    return failed ? 1 : 0;
}
