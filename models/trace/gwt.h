/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GWT, the GPU warp trace: what a GPU program does to memory, warp by warp, without time.
 * The format is described in models/trace/README.md.
 *
 * Units: addresses and sizes in bytes, gaps in warp-level instructions. Functions that can fail return 0
 * or -1 and fill the error with "FILE: byte OFFSET: WHAT; WHAT IS ALLOWED".
 */
#ifndef MP_TRACE_GWT_H
#define MP_TRACE_GWT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GWT_LANES 32u

enum gwt_op { GWT_LOAD, GWT_STORE, GWT_ATOMIC };
enum gwt_space { GWT_GLOBAL = 1, GWT_CONSTANT = 2 };
enum gwt_event_kind { GWT_ACCESS, GWT_BARRIER, GWT_EXIT };

/* How a warp's addresses relate; GWT_SCATTER means that every lane's address stands alone. */
enum gwt_mode { GWT_SAME, GWT_UNIT, GWT_STRIDE, GWT_SCATTER };

struct gwt_pc {
    uint64_t pc;
    char kind; /* 'L', 'S', 'C' (atomic or builtin) */
    uint32_t space;
    uint32_t line; /* source line, 0 if unknown */
};

struct gwt_kernel {
    char *name;
    uint32_t grid[3];  /* work-groups */
    uint32_t block[3]; /* work-items */
    uint32_t local_bytes;
    uint32_t npcs;
    struct gwt_pc *pcs;
};

/* One decoded event. base is the address of the lowest active lane, stride the distance between
 * neighbouring ACTIVE lanes (0 for GWT_SAME, bytes for GWT_UNIT); lane[] is filled for GWT_SCATTER only,
 * one address per active lane in lane order. */
struct gwt_event {
    uint8_t kind, op, mode;
    uint8_t active; /* number of bits in mask */
    uint32_t gap;
    uint32_t mask;
    uint32_t pc; /* index into the kernel's pc table */
    uint32_t bytes;
    uint64_t base;
    int64_t stride;
    uint64_t lane[GWT_LANES];
};

enum gwt_record_kind {
    GWT_ALLOC,
    GWT_FREE,
    GWT_HOST_WRITE,
    GWT_HOST_READ,
    GWT_KERNEL,
    GWT_CTA,
    GWT_KERNEL_END,
    GWT_END
};

struct gwt_warp; /* one warp's stream; its bytes belong to its CTA */

struct gwt_cta {
    uint32_t id, nwarps;
    struct gwt_warp **warp;
};

struct gwt_record {
    enum gwt_record_kind kind;
    uint64_t id, va, bytes;          /* ALLOC, FREE, HOST_WRITE, HOST_READ */
    const struct gwt_kernel *kernel; /* KERNEL; valid until the next KERNEL or rewind */
    struct gwt_cta *cta;             /* CTA; the receiver gives it back with gwt_cta_release */
};

/* What the whole file holds; known once gwt_open returned, because opening reads and checks it all. */
struct gwt_totals {
    uint64_t kernels, ctas, warps, accesses, barriers, lane_accesses;
    uint64_t instructions;        /* warp instructions: all gaps */
    uint64_t thread_instructions; /* each gap times the lanes active at the event that ends it */
    uint64_t lines, pages;        /* distinct 128-byte lines, 64 KB pages of each access, summed */
    uint64_t footprint_pages;     /* distinct 64 KB pages over the whole trace */
    uint64_t allocated_bytes;     /* sum of the sizes of all allocations */
    uint64_t top;                 /* one past the highest allocated address */
    uint64_t digest[2];           /* XXH3-128 of the uncompressed stream without its checksum: high, low */
};

struct gwt_reader;

/* Opens path (GWT, plain or zstd), reads it once from end to end and refuses it if anything is wrong. */
int gwt_open(struct gwt_reader **out, const char *path, struct mp_error *err);
/* The same from memory, which must stay until gwt_close; name is what errors call it. */
int gwt_open_memory(struct gwt_reader **out, const char *name, const void *data, size_t size,
                    struct mp_error *err);
void gwt_close(struct gwt_reader *r);
const struct gwt_totals *gwt_totals(const struct gwt_reader *r);
uint64_t gwt_file_bytes(const struct gwt_reader *r); /* size as stored */

/* The next record. After GWT_END the reader stays there until gwt_rewind. Between a KERNEL and its KERNEL_END
 * only CTAs come. CTAs may be held and decoded in any order while reading goes on. */
int gwt_next(struct gwt_reader *r, struct gwt_record *record, struct mp_error *err);
int gwt_rewind(struct gwt_reader *r, struct mp_error *err);
void gwt_cta_release(struct gwt_reader *r, struct gwt_cta *cta);

/* The warp's next event; false after GWT_EXIT was returned. Cannot fail: the file was checked at opening. */
bool gwt_warp_next(struct gwt_warp *w, struct gwt_event *event);
uint32_t gwt_warp_lanes(const struct gwt_warp *w); /* existing lanes, 1 to 32 */

/* Writing. The file appears under its name only when gwt_writer_close succeeded. The first failure is kept
 * and reported at close, so the calls in between need no check. A name that ends in .zst is compressed. */
struct gwt_writer;

int gwt_writer_open(struct gwt_writer **out, const char *path, struct mp_error *err);
void gwt_write_alloc(struct gwt_writer *w, uint64_t id, uint64_t va, uint64_t bytes);
void gwt_write_free(struct gwt_writer *w, uint64_t id);
void gwt_write_host(struct gwt_writer *w, enum gwt_record_kind kind, uint64_t va, uint64_t bytes);
void gwt_write_kernel(struct gwt_writer *w, const struct gwt_kernel *kernel);
void gwt_write_cta(struct gwt_writer *w, uint32_t id, uint32_t nwarps);
void gwt_write_warp(struct gwt_writer *w, uint32_t warp, uint32_t lanes); /* begins a warp's stream */
/* An access takes the lanes' addresses in lane[] (one per active lane, whatever the mode field says) and
 * chooses the shortest address mode itself; gap, mask, op, pc and bytes are read too. */
void gwt_write_event(struct gwt_writer *w, const struct gwt_event *event);
void gwt_write_kernel_end(struct gwt_writer *w);
int gwt_writer_close(struct gwt_writer *w, struct mp_error *err); /* frees w; -1: the file was not made */
void gwt_writer_abandon(struct gwt_writer *w);                    /* frees w and leaves no file */

#ifdef __cplusplus
}
#endif
#endif
