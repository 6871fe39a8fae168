/* SPDX-License-Identifier: Apache-2.0 */
/* A frame of 2 MB as MESC's scan sees it: its leaf entries and the entry that points to them, as the memory
 * behind the scan's port; and Algorithm 1 as it reads, which says the accesses and their order. */
#ifndef MP_RTL_MESC_SCAN_TABLE_H
#define MP_RTL_MESC_SCAN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "rtl/mesc_scan/lockstep/mesc_scan_rtl.h"
#include "vm/page_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCAN_PAGES    (MP_SUBREGIONS * MP_SUBREGION_PAGES)
#define SCAN_ACCESSES (SCAN_PAGES + 2u) /* at most: each entry is read once, one is written */
#define SCAN_CHANGES  4u
#define SCAN_PAGE     4096u

struct scan_access {
    bool write;
    uint64_t at;
};

struct scan_table {
    uint64_t entry_at, entry;  /* address and contents of the entry that points to the leaves */
    uint64_t leaf[SCAN_PAGES]; /* in the order of the layout */
    struct scan_change {
        unsigned when; /* before this access, from 0 */
        unsigned leaf;
        uint64_t value;
    } change[SCAN_CHANGES];
    unsigned changes;
    /* of the scan: */
    unsigned accesses; /* more than SCAN_ACCESSES are counted, but not kept */
    struct scan_access access[SCAN_ACCESSES];
    unsigned leaf_reads, writes;
};

/* The index in leaf[] of a page of the frame, 0 to 511. */
unsigned scan_leaf_of(bool heads_first, unsigned page);
/* The page of that index. */
unsigned scan_page_of(bool heads_first, unsigned leaf);

/* Forgets the accesses. */
void scan_table_begin(struct scan_table *t);
/* mesc_scan_memory.access for a struct scan_table. */
void scan_table_access(void *table, bool write, uint64_t at, uint64_t *data);

struct scan_result {
    bool table, changed;         /* the entry points to a table; it was written */
    uint64_t bits;               /* AC and C as the scan answers: 0 without a table */
    uint8_t ends[MP_SUBREGIONS]; /* the page at which each subregion ended; its number of pages if at none */
    bool joins[MP_SUBREGIONS];   /* its head continues the subregion before it */
};

/* Algorithm 1: scans the table. */
struct scan_result scan_algorithm(struct scan_table *t, bool heads_first);
/* Clocks of a calm scan of rtl/ with this result: two for each read, one for the write or its place, one in
 * which the end is taken. t: after it. */
uint64_t scan_clocks(const struct scan_table *t, const struct scan_result *result);

#ifdef __cplusplus
}
#endif
#endif
