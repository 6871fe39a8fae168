/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contiguity bits of page tables with pages of 4 KB (vm/page_format.h), which page walks of some machines
 * use. Subregion r of a frame of 2 MB has its bit if all of its 64 pages are mapped to consecutive memory
 * with one permission; the frame has its bit if all subregions have theirs and follow each other in memory
 * (Algorithm 1 of MESC).
 */
#ifndef FW_CONTIGUITY_H
#define FW_CONTIGUITY_H

#include <stdint.h>

#include "vm/page_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the formats of mp_page_format(). */
#define GMMU_VA_BITS 48u
#define GMMU_LEVELS  4u

struct contiguity {
    uint64_t frames;            /* of 2 MB that have a table */
    uint64_t subregions, whole; /* subregions and frames that have their bits */
    uint64_t read, changed;     /* by scans: leaf entries read, frames whose bits have changed */
};

/* Scans the frames of [va, end) in the tables below `root`, gives them their bits, and adds to *c. Walks
 * that have read a frame's old bits may use them until page walk caches are invalidated. */
void contiguity_scan(uint64_t root, uint64_t va, uint64_t end, struct contiguity *c);

/* Counts the bits that the frames have, and reads no leaf. */
struct contiguity contiguity_count(uint64_t root);

#ifdef __cplusplus
}
#endif
#endif
