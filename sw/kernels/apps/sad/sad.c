/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SAD: how well the blocks of a frame fit another frame shifted by up to 16 pixels in each direction. Exact.
 * As in the paper's artifact, kernels only add: the host provides the sums of 4 x 4 blocks. The reference
 * computes every block's differences from the frames.
 */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { MACROBLOCK = 16, RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, PADDED = 1096 };

static const struct size {
    uint32_t width, height;
} sizes[APP_SCALES] = {{48, 32}, {112, 80}, {176, 144}};

/* The regions of the array, in its order; the kernels describe them. 8 x 4 and 4 x 8 blocks are numbered
 * within their 8 x 8 block. */
static const struct shape {
    unsigned width, height;
} shapes[] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}};

enum { SHAPES = sizeof shapes / sizeof *shapes, BLOCKS = 1 + 2 + 2 + 4 + 8 + 8 + 16 };

struct frames {
    uint8_t *now, *before; /* before has a margin of RANGE on all sides */
    uint32_t width, height;
};

static unsigned blocks_of(const struct shape *s)
{
    return MACROBLOCK * MACROBLOCK / (s->width * s->height);
}

/* The upper left pixel of block number b within its macroblock. */
static void corner(const struct shape *s, unsigned b, uint32_t *x, uint32_t *y)
{
    const bool within_8 = s->width + s->height == 12;
    const unsigned q = within_8 ? b / 2 : 0, inner = within_8 ? b % 2 : b;
    const unsigned across = (within_8 ? 8 : MACROBLOCK) / s->width;
    *x = q % 2 * 8 + inner % across * s->width;
    *y = q / 2 * 8 + inner / across * s->height;
}

static unsigned difference(const struct frames *f, uint32_t x, uint32_t y, const struct shape *s,
                           unsigned position)
{
    const uint32_t pitch = f->width + 2 * RANGE;
    const uint8_t *a = f->now + (size_t)y * f->width + x;
    const uint8_t *b = f->before + (size_t)(y + position / SIDE) * pitch + x + position % SIDE;
    unsigned sum = 0;
    for (unsigned row = 0; row < s->height; row++, a += f->width, b += pitch)
        for (unsigned i = 0; i < s->width; i++)
            sum += (unsigned)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    return sum;
}

/* Calls visit for every block of that shape, with the index of its first sum within the shape's region, until
 * visit does not return 0. */
static int each_block(const struct frames *f, const struct shape *s, uint16_t *region,
                      int (*visit)(const struct frames *f, const struct shape *s, uint32_t x, uint32_t y,
                                   uint16_t *sums, size_t first))
{
    size_t first = 0;
    for (uint32_t top = 0; top < f->height; top += MACROBLOCK)
        for (uint32_t left = 0; left < f->width; left += MACROBLOCK)
            for (unsigned b = 0; b < blocks_of(s); b++, first += PADDED) {
                uint32_t x, y;
                corner(s, b, &x, &y);
                if (visit(f, s, left + x, top + y, region, first))
                    return -1;
            }
    return 0;
}

static int set_block(const struct frames *f, const struct shape *s, uint32_t x, uint32_t y, uint16_t *sums,
                     size_t first)
{
    for (unsigned p = 0; p < POSITIONS; p++)
        sums[first + p] = (uint16_t)difference(f, x, y, s, p);
    return 0;
}

static int check_block(const struct frames *f, const struct shape *s, uint32_t x, uint32_t y, uint16_t *sums,
                       size_t first)
{
    for (unsigned p = 0; p < PADDED; p++) {
        const unsigned expected = p < POSITIONS ? difference(f, x, y, s, p) : 0;
        if (check_int("SAD: sum", first + p, expected, sums[first + p]))
            return -1;
    }
    return 0;
}

static uint8_t *frame(size_t pixels, uint64_t seed)
{
    uint8_t *p = host_alloc(pixels, 1);
    for (size_t i = 0; i < pixels; i++)
        p[i] = (uint8_t)fill_random(seed, i);
    return p;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t width = sizes[scale].width, height = sizes[scale].height;
    const struct frames f = {.now = frame((size_t)width * height, seed),
                             .before = frame((size_t)(width + 2 * RANGE) * (height + 2 * RANGE), seed + 1),
                             .width = width,
                             .height = height};
    const size_t across = width / MACROBLOCK, down = height / MACROBLOCK;
    const size_t unit = across * down * PADDED, bytes = BLOCKS * unit * sizeof(uint16_t);
    uint16_t *sad = device_alloc(d, bytes);
    uint16_t *smallest = sad + (BLOCKS - blocks_of(&shapes[SHAPES - 1])) * unit;
    int result = each_block(&f, &shapes[SHAPES - 1], smallest, set_block);
    device_wrote(d, smallest, blocks_of(&shapes[SHAPES - 1]) * unit * sizeof *sad);

    DEVICE_RUN(d, "larger_8", 2, DEVICE_SIZE(across * 32, down * 4), DEVICE_SIZE(32, 4), &sad);
    DEVICE_RUN(d, "larger_16", 2, DEVICE_SIZE(across * 32, down), DEVICE_SIZE(32, 1), &sad);
    device_read(d, sad, bytes);

    uint16_t *region = sad;
    for (unsigned s = 0; s < SHAPES && !result; region += blocks_of(&shapes[s]) * unit, s++)
        result = each_block(&f, &shapes[s], region, check_block);
    device_free(d, sad);
    free(f.before);
    free(f.now);
    return result;
}

const struct app app_sad = {
    .name = "SAD",
    .title = "Sums of absolute differences of a motion search",
    .suite = "Parboil",
    .size = {"48 x 32 pixels", "112 x 80 pixels", "176 x 144 pixels"},
    .run = run,
};
