/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of page tables, as data for what writes them (drivers, firmware) and what reads them (walkers,
 * checks).
 *
 * The tables of a format have numbers. Number 0 is the root; the first `levels` numbers are the way from the
 * root to the smallest pages, so that number and level are the same there. Further numbers are other tables
 * of the last level, whose entries are all leaves. A table is described by its index, and by the forms that a
 * valid entry in it may have: each either points to a table of one number or maps a page of one size.
 *
 * mempath's own formats. Virtual addresses have 48 bits, entries 8 B.
 *
 *   pages      levels  index bits of each level            a leaf entry maps
 *   4 KB       4       47:39  38:30  29:21  20:12          bits 11:0
 *   64 KB      4       47:39  38:30  29:21  20:16          bits 15:0
 *   2 MB       3       47:39  38:30  29:21                 bits 20:0
 *   all three  4       47:39  38:30  29:21  20:12 | 20:16
 *
 * An entry has 64 bits: bit 0 valid, bit 1 leaf, bit 2 read only (in leaves only), bits 47:12 the physical
 * address of the frame or of the next table. A table takes one frame of 4 KB. In the format with all three
 * sizes, an entry of level 2 is a leaf of 2 MB, or points to a table of pages of 4 KB, or, with bit 3 set, to
 * one of pages of 64 KB: all pages of a region of 2 MB have one size.
 *
 * Contiguity (MESC Sec. IV-A), with pages of 4 KB: an entry of level 2, which points to the table of a frame
 * of 2 MB, says in bit 52 + r whether subregion r of the frame, 64 pages, is mapped to consecutive pages of
 * memory with one permission, and in bit 60 whether the whole frame is. Walks that do not use these bits
 * ignore them. In all other entries they are reserved. vm/contiguity.h keeps them right.
 */
#ifndef MP_VM_PAGE_FORMAT_H
#define MP_VM_PAGE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Formats that others have published are in tables/formats.c. Some have entries of two halves (`dual`). */
#define MP_MAX_LEVELS    7u /* entries that a walk reads at most */
#define MP_MAX_TABLES    7u /* numbers of tables in a format */
#define MP_MAX_FORMS     3u /* of the entries in one table */
#define MP_PTE_VALID     1ull
#define MP_PTE_LEAF      2ull
#define MP_PTE_READ_ONLY 4ull /* stores and atomics fault */
#define MP_PTE_64K       8ull /* points to a table of pages of 64 KB */
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

/* The form of a good entry. */
struct mp_pte_form {
    uint64_t bits, value; /* the bits that are fixed, and their values */
    uint64_t known;       /* the bits that are not reserved */
    uint64_t valid;    /* an entry without any of these bits is not valid; the same in all forms of a table */
    uint64_t kind, is; /* the bits that tell the forms of a table apart, and their values */
    uint64_t address;  /* the field of the address, which is (entry & address) << shift */
    uint64_t right, read_only; /* of a leaf: if these bits have this value, stores and atomics fault */
    uint64_t made;             /* a new entry without its address; a leaf then allows all accesses */
    uint64_t ends, ends_is;    /* with a dual entry above: an entry that is not valid with this value of these
                                * bits says    that there is no smaller page either */
    uint8_t shift;
    uint8_t page_shift; /* of a leaf: log2 of its page's bytes; 0: it points to a table */
    uint8_t next;       /* the number of that table */
};

/*
 * dual: the number of the table whose entries have two halves of 8 B, the first for larger pages; 0: none.
 * The first half has a form as other entries. If it is not valid, or leads to an entry that is not and does
 * not end the search, the second half counts. Its form is `other`.
 */
struct mp_page_format {
    const char *name;
    uint32_t page_shift; /* of the smallest page */
    uint32_t levels;
    uint32_t va_bits;
    uint64_t pages; /* the sizes: bit s is set if there are pages of 1 << s B */
    uint8_t dual;
    bool contiguity;                    /* entries of level 2 have contiguity bits */
    uint8_t low_bit[MP_MAX_TABLES];     /* by number of a table: of its index */
    uint8_t bits[MP_MAX_TABLES];        /* of its index */
    uint8_t entry_shift[MP_MAX_TABLES]; /* log2 of the bytes of an entry */
    uint8_t level[MP_MAX_TABLES];
    uint8_t forms[MP_MAX_TABLES];
    struct mp_pte_form form[MP_MAX_TABLES][MP_MAX_FORMS], other;
};

/* mempath's format with pages of one size. Returns NULL unless the size is 4096, 65536 or 2097152. */
const struct mp_page_format *mp_page_format(uint64_t page_bytes);
/* The format of this name with pages of this size: "mempath", or one of tables/formats.c. NULL if there is
 * none. */
const struct mp_page_format *mp_page_format_find(const char *name, uint64_t page_bytes);
/* The formats of tables/formats.c, ends with NULL. */
extern const struct mp_page_format *const mp_page_formats[];
/* mempath's format with pages of all three sizes. */
extern const struct mp_page_format mp_page_format_mixed;

/* Whether there are pages of 1 << page_shift B. */
static inline bool mp_page_format_has(const struct mp_page_format *f, uint32_t page_shift)
{
    return page_shift < 64 && f->pages >> page_shift & 1;
}

static inline uint64_t mp_pte_index(const struct mp_page_format *f, unsigned table, uint64_t va)
{
    return va >> f->low_bit[table] & ((1ull << f->bits[table]) - 1);
}

/* Physical address of the entry that `va` selects in the table of this number at `at`, in a format whose
 * entries have 8 B. */
static inline uint64_t mp_pte_address(const struct mp_page_format *f, unsigned table, uint64_t at,
                                      uint64_t va)
{
    return at + 8 * mp_pte_index(f, table, va);
}

/* Of several forms: the one whose kind this entry is; the first if none fits. */
const struct mp_pte_form *mp_pte_pick(const struct mp_page_format *f, unsigned table, uint64_t entry);

static inline const struct mp_pte_form *mp_pte_form(const struct mp_page_format *f, unsigned table,
                                                    uint64_t entry)
{
    return __builtin_expect(f->forms[table] == 1, 1) ? f->form[table] : mp_pte_pick(f, table, entry);
}

/* The form of entries in this table on the way to pages of this size; NULL if it does not lead to any. */
const struct mp_pte_form *mp_pte_form_to(const struct mp_page_format *f, unsigned table, uint32_t page_shift);

/* The address of the frame or table to which an entry of this form leads. */
static inline uint64_t mp_pte_target(const struct mp_pte_form *form, uint64_t entry)
{
    return (entry & form->address) << form->shift;
}

/* An entry of this form that is not valid says that there is no smaller page either. */
static inline bool mp_pte_ends(const struct mp_pte_form *form, uint64_t entry)
{
    return form->ends && (entry & form->ends) == form->ends_is;
}

static inline bool mp_pte_read_only(const struct mp_pte_form *form, uint64_t entry)
{
    return (entry & form->right) == form->read_only;
}

#ifdef __cplusplus
}
#endif
#endif
