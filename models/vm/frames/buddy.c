/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buddy allocator, as an operating system's, whose memory has been in use before (MESC Sec. III, VI-E):
 * other processes hold pages in it, and what they have freed is scattered. Blocks of 2^0 to 2^10 pages; a
 * request takes the block of the smallest sufficient order with the lowest address and splits it, the lower
 * half first; freed blocks merge with their buddies.
 *
 * Page tables are taken from blocks of 2 MB of which no page of a buffer is taken, as Linux keeps pages that
 * cannot move in page blocks apart from those that can; where no such block is left, from any page.
 *
 * Pages of buffers are taken one by one, as they are faulted; a page that is larger than 4 KB is a block.
 * With `thp`, an aligned 2 MB of a buffer gets a block of order 9 if there is one. With `defrag`, memory is
 * compacted before each buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/frames/allocator.h"
#include "vm/frames/free_blocks.h"
#include "vm/frames/hog.h"
#include "vm/physmem.h"

#define HUGE_ORDER 9u
#define HUGE_PAGES (1u << HUGE_ORDER)
#define EMPTY_MOST 64u   /* used pages of a block that compaction empties */
#define MOVED_MOST 4096u /* pages that one compaction moves */

enum { MEMHOG, TURN, SEED, THP, DEFRAG };

static const struct mp_design_param params[] = {
    {".memhog", "%", NULL, 2, 0, 90, "mempath",
     "buddy: memory that other processes hold before the run; 2: a system that has booted", 0},
    {".turn", "pages", NULL, 16, 1, 1024, "mempath",
     "buddy: pages that one of these processes faults before another does", 0},
    {".seed", "", NULL, 1, 0, UINT32_MAX, "mempath", "buddy: selects the history of these processes", 0},
    {".thp", NULL, NULL, 0, 0, 1, "MESC VI-A", "buddy: aligned 2 MB of a buffer get a large page if possible",
     0},
    {".defrag", NULL, NULL, 0, 0, 1, "MESC VI-E", "buddy: memory is compacted before each buffer", 0},
    {0},
};

struct buddy {
    struct mp_frames_params p;
    uint64_t pages;
    struct mp_free_blocks free;
    uint64_t *word;            /* of these lists */
    uint8_t *movable;          /* by page: a process of the past holds it */
    uint64_t *block;           /* of a compaction: the first pages of blocks to be emptied */
    uint64_t table, table_end; /* the pages of the tables' block that are left */
};

static void release(void *state)
{
    struct buddy *b = state;
    free(b->word);
    free(b->movable);
    free(b->block);
}

static int init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    struct buddy *b = state;
    const struct mp_hog_params hog = {
        .percent = p->own.v[MEMHOG], .turn = p->own.v[TURN], .seed = p->own.v[SEED]};
    *b = (struct buddy){.p = *p, .pages = p->bytes / MP_FRAME_BYTES};
    if (p->page_bytes != MP_FRAME_BYTES)
        return mp_fail(err, "vm.frames: buddy serves pages of %u B, not of %llu B", MP_FRAME_BYTES,
                       (unsigned long long)p->page_bytes);
    b->movable = calloc(b->pages, 1);
    b->block = malloc(b->pages / HUGE_PAGES * sizeof *b->block);
    b->word = malloc(mp_free_blocks_words(b->pages) * sizeof *b->word);
    if (!b->movable || !b->block || !b->word)
        return mp_fail(err, "out of memory");
    mp_free_blocks_init(&b->free, b->pages, b->word);
    if (mp_hog_age(&b->free, b->movable, &hog))
        return mp_fail(err, "out of memory");
    return 0;
}

static int used_up(const struct buddy *b, const char *what, uint64_t bytes, struct mp_error *err)
{
    return mp_fail(
        err,
        "no %s of %llu B is left in the %llu B of memory from 0x%llx on, of which other processes hold "
        "%llu %%; machine.memory_per_slice and vm.memhog set the sizes",
        what, (unsigned long long)bytes, (unsigned long long)b->p.bytes, (unsigned long long)b->p.base,
        (unsigned long long)b->p.own.v[MEMHOG]);
}

static uint64_t address(const struct buddy *b, uint64_t page)
{
    return b->p.base + page * MP_FRAME_BYTES;
}

/* Of a page of this size; 0: 4 KB. */
static unsigned order_of(uint64_t page_bytes)
{
    return page_bytes ? (unsigned)__builtin_ctzll(page_bytes / MP_FRAME_BYTES) : 0;
}

static uint64_t take_pages(void *state, const struct mp_frames_wish *w, uint64_t *pa, struct mp_error *err)
{
    struct buddy *b = state;
    uint64_t page;
    unsigned order = order_of(w->page_bytes);
    bool large =
        !order && b->p.own.v[THP] && w->pages >= HUGE_PAGES && w->va / MP_FRAME_BYTES % HUGE_PAGES == 0;
    bool huge = large && mp_free_blocks_take(&b->free, HUGE_ORDER, &page);
    if (!huge && (order >= MP_BLOCK_ORDERS || !mp_free_blocks_take(&b->free, order, &page))) {
        used_up(b, "page", (uint64_t)MP_FRAME_BYTES << order, err);
        return 0;
    }
    *pa = address(b, page);
    return huge ? HUGE_PAGES : 1;
}

static int take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    struct buddy *b = state;
    (void)tenant;
    if (b->table == b->table_end) {
        bool block = mp_free_blocks_take(&b->free, HUGE_ORDER, &b->table);
        if (!block && !mp_free_blocks_take(&b->free, 0, &b->table))
            return used_up(b, "page table", MP_FRAME_BYTES, err);
        b->table_end = b->table + (block ? HUGE_PAGES : 1);
    }
    *pa = address(b, b->table++);
    return 0;
}

static void give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    struct buddy *b = state;
    (void)tenant;
    mp_free_blocks_give(&b->free, order_of(page_bytes), (pa - b->p.base) / MP_FRAME_BYTES);
}

/* --- compaction ----------------------------------------------------------------------------------------- */

/* The used pages of a block of 2 MB if compaction may empty it, else 0. */
static uint32_t to_move(const struct buddy *b, uint64_t first)
{
    uint32_t used = HUGE_PAGES - (uint32_t)mp_free_blocks_count(&b->free, HUGE_ORDER, first), movable = 0;
    if (!used || used > EMPTY_MOST)
        return 0;
    for (uint32_t i = 0; i < HUGE_PAGES; i++)
        movable += b->movable[first + i];
    return movable == used ? used : 0;
}

/* Moves a block's pages elsewhere. The free parts of all blocks to be emptied are not in the lists meanwhile.
 */
static bool empty_block(struct buddy *b, uint64_t first)
{
    for (uint64_t page = first; page < first + HUGE_PAGES; page++) {
        uint64_t to;
        if (!b->movable[page])
            continue;
        if (!mp_free_blocks_take_highest(&b->free, &to))
            return false;
        b->movable[page] = 0;
        b->movable[to] = 1;
    }
    return true;
}

/* Gives back what of a block is not in use. */
static void give_back(struct buddy *b, uint64_t first)
{
    for (uint64_t page = first; page < first + HUGE_PAGES; page++)
        if (!b->movable[page])
            mp_free_blocks_give(&b->free, 0, page);
}

static void before_buffer(void *state)
{
    struct buddy *b = state;
    uint64_t blocks = b->pages / HUGE_PAGES, count = 0, moved = 0;
    for (uint64_t i = 0; b->p.own.v[DEFRAG] && i < blocks; i++) {
        uint32_t used = to_move(b, i * HUGE_PAGES);
        if (!used)
            continue;
        if ((moved += used) > MOVED_MOST)
            break;
        b->block[count++] = i * HUGE_PAGES;
        mp_free_blocks_withdraw(&b->free, HUGE_ORDER, i * HUGE_PAGES);
    }
    for (uint64_t i = 0; i < count && empty_block(b, b->block[i]); i++)
        ;
    for (uint64_t i = 0; i < count; i++)
        give_back(b, b->block[i]);
}

const struct mp_frame_allocator mp_frames_buddy = {
    .design = {.name = "buddy",
               .title =
                   "a buddy allocator in memory that other processes have used, as an operating system's",
               .params = params},
    .page_bytes = MP_FRAME_BYTES,
    .larger = true,
    .bytes = sizeof(struct buddy),
    .init = init,
    .free = release,
    .before_buffer = before_buffer,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page};
