/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GWT, the GPU warp trace: what a GPU program does to memory, warp by warp. Instructions have no times; what
 * is between launches may have one before which it does not happen. The format is described in
 * models/trace/README.md.
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

#define GWT_LANES             64u                 /* the most lanes that a warp can have */
#define GWT_WARP_LANES        32u                 /* lanes of a full warp, unless the trace says 64 */
#define GWT_MOST_INSTRUCTIONS (UINT64_C(1) << 48) /* of a trace whose gaps are scaled */
#define GWT_MOST_TIME         (UINT64_C(1) << 48) /* ns, three days */

enum gwt_op { GWT_LOAD, GWT_STORE, GWT_ATOMIC };
enum gwt_space { GWT_GLOBAL = 1, GWT_CONSTANT = 2 };
enum gwt_event_kind { GWT_ACCESS, GWT_BARRIER, GWT_EXIT };

/* How the addresses of a warp's lanes relate. GWT_SCATTER: no regular relation, so each lane's address is
 * given. */
enum gwt_mode { GWT_SAME, GWT_UNIT, GWT_STRIDE, GWT_SCATTER };

struct gwt_pc {
    uint64_t pc;
    char kind; /* 'L', 'S', 'C' (atomic or builtin) */
    uint32_t space;
    uint32_t line; /* source line, 0 if unknown */
};

/* Which loads and atomics an access waits for, because it, or code since the access before it, uses their
 * values. Access i of the table needs pc[end[i - 1]] to pc[end[i] - 1], which ascend. */
struct gwt_needs {
    uint32_t *end; /* one for each entry of the pc table; NULL: the trace does not say */
    uint32_t *pc;  /* indices into the pc table */
};

struct gwt_kernel {
    char *name;
    uint32_t grid[3];  /* work-groups */
    uint32_t block[3]; /* work-items */
    uint32_t local_bytes;
    uint32_t npcs;
    struct gwt_pc *pcs;
    struct gwt_needs needs;
};

/* One decoded event. base is the address of the lowest active lane. stride is the distance between
 * neighbouring ACTIVE lanes: 0 for GWT_SAME, bytes for GWT_UNIT. lane[] is filled for GWT_SCATTER only and
 * holds one address per active lane, in lane order. */
struct gwt_event {
    uint8_t kind, op, mode;
    uint8_t active; /* number of bits in mask */
    uint32_t gap;
    uint64_t mask;
    uint32_t pc; /* index into the kernel's pc table */
    uint32_t bytes;
    uint64_t base;
    int64_t stride;
    uint64_t lane[GWT_LANES];
};

/*
 * An event as an SM executes it: 24 bytes, read one after the other. The decoder leaves out what only tools
 * read (mask, pc), and a scattered access keeps its lanes' addresses in the trace's own bytes until the SM
 * coalesces it.
 */
struct gwt_step {
    uint64_t base;
    union {
        int64_t stride;
        const uint8_t *deltas; /* GWT_SCATTER: of the lanes after the first, see gwt_step_lanes */
    };
    uint32_t gap;
    uint16_t bytes : 11;
    uint16_t wait : 5; /* 0: for no access; else for all but the newest wait - 1 of the warp */
    uint8_t active;
    uint8_t kind : 2, op : 2, mode : 2;
};

enum gwt_record_kind {
    GWT_ALLOC,
    GWT_FREE,
    GWT_MAP,
    GWT_UNMAP,
    GWT_HOST_WRITE,
    GWT_HOST_READ,
    GWT_TIME,
    GWT_KERNEL,
    GWT_CTA,
    GWT_KERNEL_END,
    GWT_END
};

struct gwt_warp; /* the stream of one warp; its bytes belong to its CTA */

struct gwt_cta {
    uint32_t id, nwarps;
    struct gwt_warp **warp;
};

struct gwt_record {
    enum gwt_record_kind kind;
    uint64_t id, va, bytes; /* ALLOC, FREE; without id: MAP, UNMAP, HOST_WRITE, HOST_READ */
    uint64_t time; /* TIME: ns from the application's start, before which nothing that follows happens */
    const struct gwt_kernel *kernel; /* KERNEL; valid until the next KERNEL or rewind */
    struct gwt_cta *cta;             /* CTA; the receiver returns it with gwt_cta_release */
};

/* Totals of the whole file. They are known when gwt_open returns, because opening reads and checks the
 * whole file. */
struct gwt_totals {
    uint64_t warp_lanes; /* of a full warp: 32 or 64 */
    uint64_t kernels, ctas, warps, accesses, barriers, lane_accesses;
    uint64_t instructions;     /* warp instructions: the sum of all gaps */
    uint64_t recorded;         /* warp instructions before gaps were scaled (gwt_scale); 0: they were not */
    uint64_t with_needs;       /* launches that say what their accesses wait for */
    uint64_t times, last_time; /* records of times, and the last of them (ns) */
    uint64_t thread_instructions; /* each gap times the lanes that are active at the event after it */
    uint64_t lines, pages; /* distinct 128-byte lines and 64 KB pages of each access, summed over accesses */
    uint64_t footprint_pages; /* distinct 64 KB pages of the whole trace */
    uint64_t allocated_bytes; /* sum of the sizes of all allocations and mapped ranges */
    uint64_t top;             /* one past the highest allocated address */
    uint64_t digest[2]; /* XXH3-128 of the uncompressed stream without its checksum: high half, low half */
};

struct gwt_reader;

/* Opens the file at path (GWT, plain or zstd). Reads it once from end to end and refuses it if it has a
 * flaw. */
int gwt_open(struct gwt_reader **out, const char *path, struct mp_error *err);
/* As gwt_open, but a file whose bytes were checked before is not checked again. `folder` holds a small record
 * of each checked file, by the hash of its bytes, which are read at every opening; NULL: none. A folder that
 * cannot be read or written is no error. */
int gwt_open_known(struct gwt_reader **out, const char *path, const char *folder, struct mp_error *err);
/* As gwt_open, but from memory, which must remain valid until gwt_close. Errors call the trace `name`. */
int gwt_open_memory(struct gwt_reader **out, const char *name, const void *data, size_t size,
                    struct mp_error *err);
void gwt_close(struct gwt_reader *r);
const struct gwt_totals *gwt_totals(const struct gwt_reader *r);
uint64_t gwt_file_bytes(const struct gwt_reader *r); /* size of the file as stored, compressed or not */

/* Reads the next record. After GWT_END it returns GWT_END again until gwt_rewind. Between a KERNEL and its
 * KERNEL_END there are only CTAs. The caller may keep CTAs and decode them in any order while reading
 * continues. */
int gwt_next(struct gwt_reader *r, struct gwt_record *record, struct mp_error *err);
int gwt_rewind(struct gwt_reader *r, struct mp_error *err);
/* From now on, the steps of launches that say what their accesses need have a `wait`. */
void gwt_follow_needs(struct gwt_reader *r);
void gwt_cta_release(struct gwt_reader *r, struct gwt_cta *cta);

/* Decodes the warp's next event. Returns false after it has returned GWT_EXIT. It cannot fail, because the
 * file was checked when it was opened. */
bool gwt_warp_next(struct gwt_warp *w, struct gwt_event *event);
/* Decodes the warp's next steps, at most `room` of them, and returns their number: 0 after GWT_EXIT. They
 * are valid until the work-group is released. */
uint32_t gwt_warp_steps(struct gwt_warp *w, struct gwt_step *step, uint32_t room);
/* Writes the address of each active lane of a scattered access, in lane order. */
void gwt_step_lanes(const struct gwt_step *step, uint64_t lane[GWT_LANES]);
uint32_t gwt_warp_lanes(const struct gwt_warp *w); /* lanes that exist, 1 to 64 */

/* Writing. The file appears under its name only when gwt_writer_close succeeds. The first failure is kept
 * and reported at close, so that the calls in between need no check. A name that ends in .zst is
 * compressed. */
struct gwt_writer;

int gwt_writer_open(struct gwt_writer **out, const char *path, struct mp_error *err);
/* Sets the lanes of a full warp, 32 or 64, which are 32 without it. Nothing may be written before. */
void gwt_write_warp_lanes(struct gwt_writer *w, uint32_t lanes);
/* Says that the gaps are not as recorded, and what their sum was: 1 to GWT_MOST_INSTRUCTIONS. Only the lanes
 * of a full warp may be written before. */
void gwt_write_recorded(struct gwt_writer *w, uint64_t instructions);
void gwt_write_alloc(struct gwt_writer *w, uint64_t id, uint64_t va, uint64_t bytes);
void gwt_write_free(struct gwt_writer *w, uint64_t id);
/* kind: GWT_MAP or GWT_UNMAP, of a range outside of buffers. */
void gwt_write_mapping(struct gwt_writer *w, enum gwt_record_kind kind, uint64_t va, uint64_t bytes);
void gwt_write_host(struct gwt_writer *w, enum gwt_record_kind kind, uint64_t va, uint64_t bytes);
/* What is written after it does not happen before this time from the application's start, in ns: 0 to
 * GWT_MOST_TIME. Times do not decrease. */
void gwt_write_time(struct gwt_writer *w, uint64_t ns);
void gwt_write_kernel(struct gwt_writer *w, const struct gwt_kernel *kernel); /* without its needs */
void gwt_write_needs(struct gwt_writer *w, const struct gwt_needs *needs);    /* of the launch that begins */
void gwt_write_cta(struct gwt_writer *w, uint32_t id, uint32_t nwarps);
void gwt_write_warp(struct gwt_writer *w, uint32_t warp, uint32_t lanes); /* begins the stream of a warp */
/* Writes one event. An access takes the lanes' addresses from lane[] (one per active lane, whatever the
 * mode field says) and the fields gap, mask, op, pc and bytes. The writer chooses the shortest address
 * mode. */
void gwt_write_event(struct gwt_writer *w, const struct gwt_event *event);
void gwt_write_kernel_end(struct gwt_writer *w);
int gwt_writer_close(struct gwt_writer *w,
                     struct mp_error *err);    /* frees w; returns -1 if the file was not made */
void gwt_writer_abandon(struct gwt_writer *w); /* frees w and leaves no file */

/* Copies a trace with its gaps scaled, so that it has this number of warp instructions in all, 1 to
 * GWT_MOST_INSTRUCTIONS. Each warp has its share, rounded. The copy of a copy keeps the number of the
 * recording.
 */
int gwt_scale(const char *from, const char *to, uint64_t instructions, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
