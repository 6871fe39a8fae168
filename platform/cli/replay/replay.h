/* SPDX-License-Identifier: Apache-2.0 */
/* The stimuli of reference models alone, and what they lead to. */
#ifndef MP_CLI_REPLAY_H
#define MP_CLI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/design.h"
#include "engine/error.h"
#include "tlb/neighbour/neighbour.h"
#include "tlb/prefetch/prefetcher.h"
#include "walk/scheduler/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_page_format;
struct mp_page_table_design;
struct mp_tlb_policy;
struct mp_walk_method;

/* ---- lines of a stimulus file ---- */

#define REPLAY_BUFFER_BYTES 65536u /* longer lines are refused */

struct replay_input {
    const char *name; /* its name in errors */
    int fd;
    bool over;
    uint64_t line; /* number of the line that was returned last, from 1 */
    size_t start, end;
    char *buffer;
};

/* Opens a file; "-" is stdin. -1 with err if it cannot be read. */
int replay_open(struct replay_input *in, const char *file, struct mp_error *err);
void replay_close(struct replay_input *in);

/* Returns 1 with the next line without its end, valid until the next call; 0 at the end of the file; -1 with
 * err. out is flushed before this waits for input, so that a program at the other end of two pipes can write
 * a line and read its response. */
int replay_line(struct replay_input *in, FILE *out, const char **line, size_t *length, struct mp_error *err);

/* ---- the TLB's stimuli, for tests ---- */

struct replay_tlb_stimulus {
    char op; /* 'L', 'I', 'V', 'A' or 'F'; 0 for a blank line or comment */
    uint16_t asid;
    uint64_t vpn, pfn;
};

#define REPLAY_MAX_VPN ((UINT64_C(1) << 45) - 1) /* 57-bit addresses, 4 KB pages */
#define REPLAY_MAX_PFN ((UINT64_C(1) << 40) - 1) /* 52-bit addresses, 4 KB pages */

int replay_tlb_parse(const char *line, size_t length, struct replay_tlb_stimulus *s, struct mp_error *err);

/* ---- neighbouring L1 TLBs, for tests ---- */

struct replay_neighbours_stimulus {
    char op; /* 'L', 'V', 'A', 'F' or 'D'; 0 for a blank line or comment */
    uint32_t sm;
    uint16_t asid;
    uint64_t vpn, pfn;
};

int replay_neighbours_parse(const char *line, size_t length, uint32_t sms,
                            struct replay_neighbours_stimulus *s, struct mp_error *err);

struct replay_neighbours_params {
    const struct mp_neighbour_policy *policy;
    struct mp_design_values values; /* of the policy's parameters */
    uint32_t sms, entries;
    uint32_t latency, below; /* cycles of a look-up; of the L2 TLB */
};

struct replay_neighbours_system {
    struct replay_neighbours_params p;
    void **array;                   /* of each L1 TLB, with the policy subentry */
    struct mp_neighbour *neighbour; /* of each */
};

#define REPLAY_FROM_OWN  (-1)
#define REPLAY_FROM_NEXT (-2)

struct replay_neighbours_answer {
    int from; /* the TLB that answered, or one of these */
    uint64_t pfn, cycles;
    uint32_t probes;
    bool load, full; /* written into the asking TLB; `out` had to leave for it */
    struct mp_neighbour_page out;
};

/* Returns -1 if memory runs out. */
int replay_neighbours_init(struct replay_neighbours_system *s, const struct replay_neighbours_params *p);
void replay_neighbours_free(struct replay_neighbours_system *s);
/* A request, with all messages that it causes. */
struct replay_neighbours_answer replay_neighbours_request(struct replay_neighbours_system *s, uint32_t sm,
                                                          uint16_t asid, uint64_t vpn, uint64_t pfn);
/* Carries out V, A or F; returns the number of translations that left. */
uint32_t replay_neighbours_invalidate(struct replay_neighbours_system *s,
                                      const struct replay_neighbours_stimulus *stimulus);

/* ---- prefetchers, for tests ---- */

struct replay_prefetch_stimulus {
    char op; /* 'M', 'A' or 'F'; 0 for a blank line or comment */
    struct mp_prefetch_miss miss;
};

int replay_prefetch_parse(const char *line, size_t length, struct replay_prefetch_stimulus *s,
                          struct mp_error *err);
/* Carries out a stimulus; returns the number of pages that are named, without those that no address has. */
uint32_t replay_prefetch_apply(const struct mp_prefetcher *design, void *state,
                               const struct replay_prefetch_stimulus *s, uint64_t page[MP_PREFETCH_MOST]);

/* ---- page tables, for tests ---- */

struct replay_tables_stimulus {
    char op; /* 'M', 'U' or 'W'; 0 for a blank line or comment */
    uint16_t asid;
    uint64_t va, pa, bytes; /* bytes: of the page */
};

int replay_tables_parse(const char *line, size_t length, struct replay_tables_stimulus *s,
                        struct mp_error *err);

#define REPLAY_MOST_READS 256u /* of a walk; those after them are not listed */

/* Which members count follows from the stimulus. */
struct replay_tables_response {
    uint64_t tables;    /* bytes of memory that have been written */
    uint64_t pa, bytes; /* bytes: of the page; 0 if it is not mapped */
    uint32_t reads;
    uint64_t read[REPLAY_MOST_READS];
};

struct replay_tables;

/* Tables of this design and format, which the design has checked. own: the design's parameters. NULL if
 * memory runs out. */
struct replay_tables *replay_tables_new(const struct mp_page_table_design *design,
                                        const struct mp_design_values *own,
                                        const struct mp_page_format *format);
void replay_tables_free(struct replay_tables *m);
/* Carries out a stimulus. -1 with err if the table cannot; what was mapped has not changed then. */
int replay_tables_apply(struct replay_tables *m, const struct replay_tables_stimulus *s,
                        struct replay_tables_response *r, struct mp_error *err);

/* ---- page walks, for tests ---- */

/* A requested walk and its outcome. */
struct replay_walk {
    uint64_t id, line;
    uint64_t arrive, start, finish; /* cycles; of a walk that another has answered, start is finish */
    uint64_t page;                  /* of its tenant; REPLAY_NO_PAGE if none was given */
    uint64_t by;                    /* ID of the walk that answered it, which may be its own */
    uint32_t walker;                /* that of the walk `by` */
    uint16_t sm;                    /* as the request names them; reads: that the walk has before it */
    uint8_t tenant, warp, instruction, reads;
    bool stolen; /* its walker belongs to another tenant */
};

#define REPLAY_NO_PAGE UINT64_MAX

#define REPLAY_MAX_CYCLE ((UINT64_C(1) << 48) - 1)

/* Parses "CYCLE TENANT ID", or this and "SM WARP INSTRUCTION READS", or this and "PAGE". Returns 1; 0 for a
 * blank line or comment; -1 with err. */
int replay_walks_parse(const char *line, size_t length, struct replay_walk *walk, struct mp_error *err);

struct replay_walk_system {
    const struct mp_walk_scheduler *scheduler;
    struct mp_walk_geometry geometry;
    struct mp_walk_rules rules;
    uint64_t latency; /* cycles of every walk, at least 1 */
    uint32_t line;    /* pages whose leaves one line has: walks of a tenant to one line answer each other, and
                         all have a page; 0: none do */
};

/* Computes the outcomes of n walks, which are sorted by arrival. Order in a cycle: completions in walker
 * order, then walks that wait outside, then arrivals. Returns -1 if memory runs out. */
int replay_walks_run(const struct replay_walk_system *system, struct replay_walk *walk, size_t n);

/* ---- subregion contiguity, for tests ---- */

#define REPLAY_MAX_PAGE  ((UINT64_C(1) << 36) - 1) /* 48-bit addresses, 4 KB pages */
#define REPLAY_MAX_PAGES (UINT64_C(1) << 24)       /* of one line */

struct replay_subregions_stimulus {
    char op; /* 'P', 'S', 'U', 'R', 'F' or 'T'; 0 for a blank line or comment */
    bool read_only;
    uint64_t vpn, pfn, pages;
};

int replay_subregions_parse(const char *line, size_t length, struct replay_subregions_stimulus *s,
                            struct mp_error *err);

/* A design that MESC's paper compares: the policies of its two TLBs and the method of its walks. */
struct replay_subregions_design {
    const char *name, *title;
    const struct mp_tlb_policy *l1, *iommu;
    const struct mp_walk_method *method;
};

extern const struct replay_subregions_design replay_subregions_designs[]; /* ends with a NULL name */

struct replay_subregions_params {
    const struct replay_subregions_design *design;
    uint32_t l1;                 /* entries */
    uint32_t sets, ways;         /* of the IOMMU TLB */
    uint32_t sub_ways;           /* without subregion entries: no effect */
    uint32_t msc, msc_ways, pwc; /* entries; 0: there is none */
    bool heads_first;            /* the order of leaves in tables */
};

struct replay_subregions_entry {
    uint64_t first;
    uint32_t pages; /* 0: nothing was inserted */
};

/* All that a stimulus can lead to; which members count follows from it. */
struct replay_subregions_response {
    const char *where; /* T: "l1", "iommu", "sub", a walk's mode, or "fault" */
    bool walked;
    uint64_t pfn;
    bool read_only;
    uint32_t cycles, reads, heads;
    struct replay_subregions_entry l1, iommu;
    bool sub; /* `iommu` is a subregion entry */
    uint64_t mapped;
    struct {
        uint64_t frames, subregions, whole, huge, changed;
    } scan;
    struct {
        uint64_t l1, iommu, sub, msc, pwc;
    } gone;
    uint32_t contiguous; /* a bit for each subregion */
    bool whole;
};

struct replay_subregions_machine;

/* -1, and err is "NAME: ..." with what is allowed. */
int replay_subregions_check(const struct replay_subregions_params *p, struct mp_error *err);
/* Returns NULL if memory runs out. */
struct replay_subregions_machine *replay_subregions_new(const struct replay_subregions_params *p);
void replay_subregions_free(struct replay_subregions_machine *m);
/* Carries out a stimulus. -1 with err if the table does not allow it; nothing has changed then, unless memory
 * for page tables was used up. */
int replay_subregions_apply(struct replay_subregions_machine *m, const struct replay_subregions_stimulus *s,
                            struct replay_subregions_response *r, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
