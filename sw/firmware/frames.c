/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <string.h>

enum { WORD = 64 };

static uint64_t taken[FRAMES_MEMORY / FRAMES_BYTES / WORD]; /* a bit per frame of the whole memory */

/* Lists of free blocks: those of a memory are stored at the place of its first 2 MB. */
enum { LIST_WORDS = 32 }; /* for each 2 MB; also enough for a memory of 2 MB */
static uint64_t lists[FRAMES_MEMORY / 2097152 * LIST_WORDS];

enum { RETIRED = 64 };
static struct {
    uint64_t frame[RETIRED]; /* addresses */
    unsigned frames;
} retired;

static uint64_t first(const struct frames *f)
{
    return f->base / FRAMES_BYTES;
}

static uint64_t end(const struct frames *f)
{
    return (f->base + f->bytes) / FRAMES_BYTES;
}

/* Runs have 2^0 to 2^9 frames and are aligned to their size, so each is a part of one word, or whole words.
 */
static uint64_t mask_of(uint64_t frame, uint64_t count)
{
    return count >= WORD ? UINT64_MAX : ((1ull << count) - 1) << frame % WORD;
}

static bool all(uint64_t frame, uint64_t count, bool set)
{
    uint64_t mask = mask_of(frame, count);
    for (uint64_t w = frame / WORD; w <= (frame + count - 1) / WORD; w++)
        if ((taken[w] & mask) != (set ? mask : 0))
            return false;
    return true;
}

static void mark(struct frames *f, uint64_t frame, uint64_t count, bool set)
{
    uint64_t mask = mask_of(frame, count);
    for (uint64_t w = frame / WORD; w <= (frame + count - 1) / WORD; w++)
        taken[w] = set ? taken[w] | mask : taken[w] & ~mask;
    f->free += set ? -count * FRAMES_BYTES : count * FRAMES_BYTES;
}

static bool is_run(uint64_t bytes)
{
    return bytes >= FRAMES_BYTES && bytes <= 2097152 && !(bytes & (bytes - 1));
}

static bool is_retired(uint64_t pa, uint64_t bytes)
{
    for (unsigned i = 0; i < retired.frames; i++)
        if (retired.frame[i] - pa < bytes)
            return true;
    return false;
}

enum fw_error frames_retire(uint64_t pa)
{
    if (is_retired(pa & -(uint64_t)FRAMES_BYTES, FRAMES_BYTES))
        return FW_EEXIST;
    if (retired.frames == RETIRED)
        return FW_ENOMEM;
    retired.frame[retired.frames++] = pa & -(uint64_t)FRAMES_BYTES;
    return FW_OK;
}

enum fw_error frames_init(struct frames *f, enum frames_policy policy, uint64_t base, uint64_t bytes)
{
    if (base % 2097152 || bytes % 2097152 || base > FRAMES_MEMORY || bytes > FRAMES_MEMORY - base)
        return FW_EINVAL;
    *f = (struct frames){.policy = policy, .base = base, .bytes = bytes, .free = bytes};
    f->low = first(f);
    f->high = end(f);
    memset(taken + first(f) / WORD, 0, bytes / FRAMES_BYTES / 8);
    if (policy == FRAMES_BUDDY)
        mp_free_blocks_init(&f->blocks, bytes / FRAMES_BYTES, lists + base / 2097152 * LIST_WORDS);
    for (unsigned i = 0; policy != FRAMES_BUDDY && i < retired.frames; i++)
        if (retired.frame[i] - base < bytes)
            mark(f, retired.frame[i] / FRAMES_BYTES, 1, true);
    return FW_OK;
}

/* --- colours --------------------------------------------------------------------------------------- */

unsigned frames_colour_of(const struct frames_colours *colours, uint64_t pa)
{
    unsigned colour = 0;
    for (unsigned i = 0; i < colours->functions; i++)
        colour |= (unsigned)__builtin_parityll(pa & colours->function[i]) << i;
    return colour;
}

bool frames_wanted(const struct frames *f, uint64_t pa, uint64_t bytes)
{
    for (uint64_t at = pa; f->colours && at < pa + bytes; at += FRAMES_BYTES)
        if (!(f->wanted >> frames_colour_of(f->colours, at) & 1))
            return false;
    return true;
}

enum fw_error frames_colour(struct frames *f, const struct frames_colours *colours, uint32_t wanted)
{
    if (f->policy != FRAMES_ASCENDING)
        return FW_EUNSUPPORTED;
    if (colours &&
        (!wanted || colours->functions > FRAMES_FUNCTIONS || (uint64_t)wanted >> (1u << colours->functions)))
        return FW_EINVAL;
    f->colours = colours;
    f->wanted = wanted;
    f->low = first(f);
    f->high = end(f);
    return FW_OK;
}

/* --- taking and giving ------------------------------------------------------------------------------ */

static bool may_be_taken(const struct frames *f, uint64_t frame, uint64_t count)
{
    return all(frame, count, false) && frames_wanted(f, frame * FRAMES_BYTES, count * FRAMES_BYTES);
}

/* Whether none of the run can be taken for its colour. */
static bool is_foreign(const struct frames *f, uint64_t frame, uint64_t count)
{
    for (uint64_t i = frame; i < frame + count; i++)
        if (frames_wanted(f, i * FRAMES_BYTES, FRAMES_BYTES))
            return false;
    return true;
}

static unsigned order_of(uint64_t count)
{
    unsigned order = 0;
    while (1ull << order < count)
        order++;
    return order;
}

static enum fw_error take_block(struct frames *f, uint64_t bytes, uint64_t *pa)
{
    uint64_t block, count = bytes / FRAMES_BYTES;
    if (!mp_free_blocks_take(&f->blocks, order_of(count), &block))
        return FW_ENOMEM;
    mark(f, first(f) + block, count, true);
    *pa = f->base + block * FRAMES_BYTES;
    return FW_OK;
}

enum fw_error frames_take_page(struct frames *f, uint64_t bytes, uint64_t *pa)
{
    uint64_t count = bytes / FRAMES_BYTES;
    if (!is_run(bytes))
        return FW_EINVAL;
    if (f->policy == FRAMES_BUDDY)
        return take_block(f, bytes, pa);
    for (uint64_t i = (f->low + count - 1) / count * count; i + count <= f->high; i += count) {
        bool found = may_be_taken(f, i, count);
        if (found)
            mark(f, i, count, true);
        if (i == f->low && (all(i, count, true) || is_foreign(f, i, count)))
            f->low += count;
        if (found) {
            *pa = i * FRAMES_BYTES;
            return FW_OK;
        }
    }
    return FW_ENOMEM;
}

enum fw_error frames_take_table(struct frames *f, uint64_t *pa)
{
    if (f->policy == FRAMES_BUDDY)
        return take_block(f, FRAMES_BYTES, pa);
    for (uint64_t i = f->high; i-- > f->low;) {
        if (!may_be_taken(f, i, 1))
            continue;
        mark(f, i, 1, true);
        f->high = i;
        *pa = i * FRAMES_BYTES;
        return FW_OK;
    }
    return FW_ENOMEM;
}

enum fw_error frames_give(struct frames *f, uint64_t pa, uint64_t bytes)
{
    uint64_t frame = pa / FRAMES_BYTES, count = bytes / FRAMES_BYTES;
    if (!is_run(bytes) || pa % bytes || pa < f->base || pa - f->base >= f->bytes)
        return FW_EINVAL;
    if (!all(frame, count, true))
        return FW_EDOUBLE;
    if (is_retired(pa, bytes))
        return FW_OK;
    mark(f, frame, count, false);
    if (f->policy == FRAMES_BUDDY)
        mp_free_blocks_give(&f->blocks, order_of(count), frame - first(f));
    if (is_foreign(f, frame, count))
        return FW_OK;
    if (frame < f->low)
        f->low = frame;
    if (frame + count > f->high)
        f->high = frame + count;
    return FW_OK;
}

bool frames_taken(uint64_t pa)
{
    return pa < FRAMES_MEMORY && all(pa / FRAMES_BYTES, 1, true);
}
