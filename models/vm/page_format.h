/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of page tables, for drivers and firmware that write them and walkers that read them. Virtual
 * addresses have 48 bits. Level 0 is the root.
 *
 *   page   levels  index bits of each level            a leaf entry maps
 *   4 KB   4       47:39  38:30  29:21  20:12          bits 11:0
 *   64 KB  4       47:39  38:30  29:21  20:16          bits 15:0
 *   2 MB   3       47:39  38:30  29:21                 bits 20:0
 *
 * An entry has 64 bits: bit 0 valid, bit 1 leaf, bit 2 read only (in leaves only), bits 47:12 the physical
 * address of the frame or of the next table. A table takes one frame of 4 KB.
 *
 * Contiguity (MESC Sec. IV-A), with pages of 4 KB: an entry of level 2, which points to the table of a frame
 * of 2 MB, says in bit 52 + r whether subregion r of the frame, 64 pages, is mapped to consecutive pages of
 * memory with one permission, and in bit 60 whether the whole frame is. Walks that do not use these bits
 * ignore them. In all other entries they are reserved. vm/contiguity.h keeps them right.
 */
#ifndef MP_VM_PAGE_FORMAT_H
#define MP_VM_PAGE_FORMAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MAX_LEVELS    4u
#define MP_VA_BITS       48u
#define MP_PTE_VALID     1ull
#define MP_PTE_LEAF      2ull
#define MP_PTE_READ_ONLY 4ull /* stores and atomics fault */
#define MP_PTE_ADDRESS   0x0000fffffffff000ull

#define MP_SUBREGION_SHIFT      18u /* of 256 KB */
#define MP_SUBREGION_PAGES      64u
#define MP_SUBREGIONS           8u  /* of a frame */
#define MP_CONTIGUITY_SHIFT     21u /* of a frame */
#define MP_CONTIGUITY_LEVEL     2u
#define MP_PTE_CONTIGUOUS_SHIFT 52u
#define MP_PTE_CONTIGUOUS       (0xffull << MP_PTE_CONTIGUOUS_SHIFT)
#define MP_PTE_CONTIGUOUS_FRAME (1ull << 60)
#define MP_PTE_CONTIGUITY       (MP_PTE_CONTIGUOUS | MP_PTE_CONTIGUOUS_FRAME)

struct mp_page_format {
    uint32_t page_shift; /* 12, 16 or 21 */
    uint32_t levels;
    uint8_t low_bit[MP_MAX_LEVELS]; /* of each level's index */
    uint8_t bits[MP_MAX_LEVELS];
};

/* Returns NULL unless the size is 4096, 65536 or 2097152. */
const struct mp_page_format *mp_page_format(uint64_t page_bytes);

/* Physical address of the entry that `va` selects in the table at `table` on that level. */
static inline uint64_t mp_pte_address(const struct mp_page_format *f, unsigned level, uint64_t table,
                                      uint64_t va)
{
    return table + 8 * (va >> f->low_bit[level] & ((1ull << f->bits[level]) - 1));
}

#ifdef __cplusplus
}
#endif
#endif
