/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/frames/free_blocks.h"

#include <stddef.h>
#include <string.h>

#define NONE UINT64_MAX

/* --- bits with summaries -------------------------------------------------------------------------------- */

/* The number of words of all levels. With `word`, they are zeroed and become those of the bits. */
static uint64_t bits_lay(struct mp_bits *b, uint64_t count, uint64_t *word)
{
    uint64_t words = 0;
    do {
        count = (count + 63) / 64;
        if (word)
            b->word[b->depth++] = memset(word + words, 0, count * sizeof *word);
        words += count;
    } while (count > 1);
    return words;
}

static void bits_set(struct mp_bits *b, uint64_t i)
{
    for (uint32_t l = 0; l < b->depth; l++, i /= 64)
        b->word[l][i / 64] |= 1ull << i % 64;
}

static void bits_clear(struct mp_bits *b, uint64_t i)
{
    for (uint32_t l = 0; l < b->depth; l++, i /= 64)
        if (b->word[l][i / 64] &= ~(1ull << i % 64))
            return;
}

static bool bits_have(const struct mp_bits *b, uint64_t i)
{
    return b->word[0][i / 64] >> i % 64 & 1;
}

static uint64_t bits_lowest(const struct mp_bits *b)
{
    uint64_t i = 0;
    if (!b->word[b->depth - 1][0])
        return NONE;
    for (uint32_t l = b->depth; l-- > 0;)
        i = i * 64 + (uint64_t)__builtin_ctzll(b->word[l][i]);
    return i;
}

static uint64_t bits_highest(const struct mp_bits *b)
{
    uint64_t i = 0;
    if (!b->word[b->depth - 1][0])
        return NONE;
    for (uint32_t l = b->depth; l-- > 0;)
        i = i * 64 + 63 - (uint64_t)__builtin_clzll(b->word[l][i]);
    return i;
}

/* --- blocks --------------------------------------------------------------------------------------------- */

/* One bit more than there are blocks: the buddy of the last one, which is never free. */
static uint64_t bits_of(uint64_t pages, unsigned order)
{
    return (pages >> order) + 1;
}

uint64_t mp_free_blocks_words(uint64_t pages)
{
    uint64_t words = 0;
    for (unsigned o = 0; o < MP_BLOCK_ORDERS; o++)
        words += bits_lay(NULL, bits_of(pages, o), NULL);
    return words;
}

void mp_free_blocks_init(struct mp_free_blocks *f, uint64_t pages, uint64_t *word)
{
    *f = (struct mp_free_blocks){.pages = pages};
    for (unsigned o = 0; o < MP_BLOCK_ORDERS; o++)
        word += bits_lay(&f->order[o], bits_of(pages, o), word);
    for (uint64_t page = 0; page < pages;) {
        unsigned o = MP_BLOCK_ORDERS - 1;
        while (page % (1ull << o) || page + (1ull << o) > pages)
            o--;
        mp_free_blocks_give(f, o, page);
        page += 1ull << o;
    }
}

bool mp_free_blocks_take(struct mp_free_blocks *f, unsigned order, uint64_t *page)
{
    for (unsigned o = order; o < MP_BLOCK_ORDERS; o++) {
        uint64_t block = bits_lowest(&f->order[o]);
        if (block == NONE)
            continue;
        bits_clear(&f->order[o], block);
        for (; o > order; block *= 2)
            bits_set(&f->order[--o], 2 * block + 1);
        *page = block << order;
        f->free -= 1ull << order;
        return true;
    }
    return false;
}

bool mp_free_blocks_take_highest(struct mp_free_blocks *f, uint64_t *page)
{
    for (unsigned o = 0; o < MP_BLOCK_ORDERS; o++) {
        uint64_t block = bits_highest(&f->order[o]);
        if (block == NONE)
            continue;
        bits_clear(&f->order[o], block);
        for (; o; block = 2 * block + 1)
            bits_set(&f->order[--o], 2 * block);
        *page = block;
        f->free--;
        return true;
    }
    return false;
}

void mp_free_blocks_give(struct mp_free_blocks *f, unsigned order, uint64_t page)
{
    uint64_t block = page >> order;
    f->free += 1ull << order;
    for (; order + 1 < MP_BLOCK_ORDERS && bits_have(&f->order[order], block ^ 1); order++, block /= 2)
        bits_clear(&f->order[order], block ^ 1);
    bits_set(&f->order[order], block);
}

uint64_t mp_free_blocks_count(const struct mp_free_blocks *f, unsigned order, uint64_t page)
{
    uint64_t pages = 0;
    for (unsigned o = 0; o <= order; o++)
        for (uint64_t block = page >> o; block < (page + (1ull << order)) >> o; block++)
            pages += (uint64_t)bits_have(&f->order[o], block) << o;
    return pages;
}

void mp_free_blocks_withdraw(struct mp_free_blocks *f, unsigned order, uint64_t page)
{
    f->free -= mp_free_blocks_count(f, order, page);
    for (unsigned o = 0; o <= order; o++)
        for (uint64_t block = page >> o; block < (page + (1ull << order)) >> o; block++)
            bits_clear(&f->order[o], block);
}
