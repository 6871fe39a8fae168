/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of pages of a 2 MB block, a bit each: page i is bit i % 64 of word i / 64. */
#ifndef MP_UVM_MASK_H
#define MP_UVM_MASK_H

#include <stdbool.h>
#include <stdint.h>

#define MP_UVM_PAGES 512u /* of 4 KB; blocks of larger pages use the first ones */
#define MP_UVM_WORDS (MP_UVM_PAGES / 64)

struct mp_uvm_mask {
    uint64_t w[MP_UVM_WORDS];
};

/* For each word of masks: MP_UVM_EACH(i) a.w[i] |= b.w[i]; The management core has no vectors, so that its
 * compiler leaves a loop of a few instructions as it is. */
#ifdef __riscv
#define MP_UVM_EACH(i) _Pragma("GCC unroll 8") for (uint32_t i = 0; i < MP_UVM_WORDS; i++)
#else
#define MP_UVM_EACH(i) for (uint32_t i = 0; i < MP_UVM_WORDS; i++)
#endif

static inline bool mp_uvm_has(const struct mp_uvm_mask *m, uint32_t page)
{
    return m->w[page / 64] >> page % 64 & 1;
}

static inline void mp_uvm_add(struct mp_uvm_mask *m, uint32_t page)
{
    m->w[page / 64] |= UINT64_C(1) << page % 64;
}

static inline void mp_uvm_remove(struct mp_uvm_mask *m, uint32_t page)
{
    m->w[page / 64] &= ~(UINT64_C(1) << page % 64);
}

static inline bool mp_uvm_any(const struct mp_uvm_mask *m)
{
    uint64_t any = 0;
    MP_UVM_EACH (i)
        any |= m->w[i];
    return any != 0;
}

/* The management core has no instruction that counts bits, and most words are empty or full. */
static inline uint32_t mp_uvm_bits(uint64_t word)
{
    return !word ? 0 : word == UINT64_MAX ? 64 : (uint32_t)__builtin_popcountll(word);
}

static inline uint32_t mp_uvm_count(const struct mp_uvm_mask *m)
{
    uint32_t n = 0;
    MP_UVM_EACH (i)
        n += mp_uvm_bits(m->w[i]);
    return n;
}

/* The part of word i that pages from `first` to before `end` have. */
static inline uint64_t mp_uvm_part(uint32_t i, uint32_t first, uint32_t end)
{
    const uint32_t base = i * 64;
    if (first >= base + 64 || end <= base || first >= end)
        return 0;
    const uint64_t from = first > base ? UINT64_MAX << (first - base) : UINT64_MAX;
    return end < base + 64 ? from & ((UINT64_C(1) << (end - base)) - 1) : from;
}

/* The big pages of a block, of 16 pages or of one, that have a page of the set: a bit each. */
static inline uint32_t mp_uvm_bigs(const struct mp_uvm_mask *m, uint32_t big)
{
    uint32_t bigs = 0;
    if (big == 1)
        return (uint32_t)m->w[0];
    MP_UVM_EACH (i) {
        uint64_t x = m->w[i];
        if (!x)
            continue;
        for (uint32_t shift = 8; shift; shift /= 2) /* bits 0, 16, 32 and 48 gather those above them */
            x |= x >> shift;
        bigs |= (uint32_t)((x & 1) | (x >> 15 & 2) | (x >> 30 & 4) | (x >> 45 & 8)) << i * 4;
    }
    return bigs;
}

/* Adds all pages of these big pages. */
static inline void mp_uvm_add_bigs(struct mp_uvm_mask *m, uint32_t bigs, uint32_t big)
{
    if (big == 1)
        m->w[0] |= bigs;
    else
        MP_UVM_EACH (i) {
            const uint64_t four = bigs >> i * 4 & 15;
            m->w[i] |= ((four & 1) | (four & 2) << 15 | (four & 4) << 30 | (four & 8) << 45) * 0xffff;
        }
}

/* Pages from `first` to before `end`: whether any is in the set, their number, and all of them added. */
static inline bool mp_uvm_any_in(const struct mp_uvm_mask *m, uint32_t first, uint32_t end)
{
    uint64_t any = 0;
    for (uint32_t i = first / 64; i * 64 < end; i++)
        any |= m->w[i] & mp_uvm_part(i, first, end);
    return any != 0;
}

static inline uint32_t mp_uvm_count_in(const struct mp_uvm_mask *m, uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = first / 64; i * 64 < end; i++)
        n += mp_uvm_bits(m->w[i] & mp_uvm_part(i, first, end));
    return n;
}

static inline void mp_uvm_add_all(struct mp_uvm_mask *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first / 64; i * 64 < end; i++)
        m->w[i] |= mp_uvm_part(i, first, end);
}

/* The lowest bit of a word that is not 0. The management core has no instruction for that, and the compiler's
 * function takes five times the instructions. Each six bits of the number that follow each other are another
 * number (Leiserson, Prokop and Randall, "Using de Bruijn sequences to index a 1 in a computer word"). */
static inline uint32_t mp_uvm_lowest(uint64_t word)
{
#if defined __riscv && !defined __riscv_zbb
    static const uint8_t position[64] = {0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,
                                         62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
                                         63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
                                         46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,  13, 8,  7,  6};
    return position[((word & -word) * UINT64_C(0x03f79d71b4cb0a89)) >> 58];
#else
    return (uint32_t)__builtin_ctzll(word);
#endif
}

/* Removes all others. */
static inline void mp_uvm_keep(struct mp_uvm_mask *m, uint32_t first, uint32_t end)
{
    if (first == 0 && end == MP_UVM_PAGES) /* most blocks are whole */
        return;
    MP_UVM_EACH (i)
        m->w[i] &= mp_uvm_part(i, first, end);
}

/* The first page from `page` on that is in the set, whose words are those of m ^ flip; MP_UVM_PAGES if there
 * is none. */
static inline uint32_t mp_uvm_seek(const struct mp_uvm_mask *m, uint32_t page, uint64_t flip)
{
    uint32_t i = page / 64;
    if (page >= MP_UVM_PAGES)
        return MP_UVM_PAGES;
    uint64_t rest = (m->w[i] ^ flip) & UINT64_MAX << page % 64;
    while (!rest && ++i < MP_UVM_WORDS)
        rest = m->w[i] ^ flip;
    return rest ? i * 64 + mp_uvm_lowest(rest) : MP_UVM_PAGES;
}

/* The first page from `page` on that is not in the set; MP_UVM_PAGES if there is none. */
static inline uint32_t mp_uvm_next_gap(const struct mp_uvm_mask *m, uint32_t page)
{
    return mp_uvm_seek(m, page, UINT64_MAX);
}

/* The page after the last of the set; 0: it is empty. */
static inline uint32_t mp_uvm_end(const struct mp_uvm_mask *m)
{
    for (uint32_t i = MP_UVM_WORDS; i-- > 0;)
        if (m->w[i])
            return i * 64 + 64 - (uint32_t)__builtin_clzll(m->w[i]);
    return 0;
}

/* The first page of the set from `page` on; MP_UVM_PAGES if there is none. Pages ascending:
 * for (uint32_t p = mp_uvm_next(m, 0); p < MP_UVM_PAGES; p = mp_uvm_next(m, p + 1)) */
static inline uint32_t mp_uvm_next(const struct mp_uvm_mask *m, uint32_t page)
{
    return mp_uvm_seek(m, page, 0);
}

#define MP_UVM_EACH_PAGE(p, m)                                                                               \
    for (uint32_t p = mp_uvm_next(m, 0); p < MP_UVM_PAGES; p = mp_uvm_next(m, p + 1))

#endif
