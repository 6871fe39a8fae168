/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free memory as blocks of 2^0 to 2^10 pages, aligned to their size; pages are numbered from 0. Buddies that
 * are both free are always merged. A list is a bit per block with summaries, so that the lowest and the
 * highest free block of an order are found in a few steps.
 */
#ifndef MP_VM_FRAMES_FREE_BLOCKS_H
#define MP_VM_FRAMES_FREE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_BLOCK_ORDERS 11u

#define MP_BITS_LEVELS 5u

struct mp_bits {
    uint32_t depth;                 /* levels in use; the last has one word */
    uint64_t *word[MP_BITS_LEVELS]; /* a bit of level l + 1: the word of level l is not 0 */
};

struct mp_free_blocks {
    uint64_t pages, free; /* of the memory; of these in the lists */
    struct mp_bits order[MP_BLOCK_ORDERS];
};

/* The number of words that the lists of a memory need; at most 2^30 pages. */
uint64_t mp_free_blocks_words(uint64_t pages);
/* All pages are free. word: this number of words, for as long as the lists are used. */
void mp_free_blocks_init(struct mp_free_blocks *f, uint64_t pages, uint64_t *word);

/* Takes the block of the smallest sufficient order with the lowest address, and its lowest part of this
 * order. Returns false if there is none. */
bool mp_free_blocks_take(struct mp_free_blocks *f, unsigned order, uint64_t *page);
/* Takes one page: the last of the block of the smallest order with the highest address. */
bool mp_free_blocks_take_highest(struct mp_free_blocks *f, uint64_t *page);
/* Gives back a block, or a part of one. */
void mp_free_blocks_give(struct mp_free_blocks *f, unsigned order, uint64_t page);

/* For a part of memory of this order that begins at `page`, and is not part of a larger free block: counts
 * its free pages; takes all of them at once. */
uint64_t mp_free_blocks_count(const struct mp_free_blocks *f, unsigned order, uint64_t page);
void mp_free_blocks_withdraw(struct mp_free_blocks *f, unsigned order, uint64_t page);

#ifdef __cplusplus
}
#endif
#endif
