/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of pages: pages of two colours have no module in common, so neither an L2 set nor a DRAM bank. A
 * colour's number consists of those bits of the module's number that are equal for all bytes of a page.
 */
#ifndef MP_MAP_COLOURS_H
#define MP_MAP_COLOURS_H

#include "engine/error.h"
#include "map/gf2.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_colours {
    uint32_t colours, functions; /* 2^functions colours */
    uint64_t function[MP_GF2_MODULE];
};

/* The number of colours that pages of page_bytes, a power of two, can have. */
uint32_t mp_colours_most(const struct mp_gf2 *machine, uint64_t page_bytes);
/* The first functions of the machine that make this number of colours, a power of two; 0: as many as there
 * are. -1 with "colours: ..." if that is impossible. */
int mp_colours_init(struct mp_colours *c, const struct mp_gf2 *machine, uint64_t page_bytes, uint32_t colours,
                    struct mp_error *err);

static inline uint32_t mp_colour_of(const struct mp_colours *c, uint64_t pa)
{
    return mp_gf2_number(c->function, c->functions, pa);
}

/* The frames that tenants of all colours share have 2 MB, and pages of 4 KB give them colours. */
#define MP_COLOURS_FRAME 2097152u
#define MP_COLOURS_PAGE  4096u

/* Where byte `offset` of a colour's part of the frame at `base` is. offset is below 2 MB / colours. c must be
 * of pages of 4 KB. */
uint64_t mp_colours_in_frame(const struct mp_colours *c, uint64_t base, uint32_t colour, uint64_t offset);

/* What a tenant has of each such frame: its buffers are in these parts, one after the other. Software
 * computes the address before each access, with as many instructions as the authors' code has for each
 * function. */
struct mp_colours_part {
    const struct mp_colours *colours;
    uint32_t colour;
    uint32_t shift;        /* log2 of its bytes */
    uint32_t instructions; /* of a warp, before each access */
};

#define MP_COLOURS_INSTRUCTIONS 6u /* for a function */

/* The address of a byte of the tenant's buffers, as if its part of a frame were the first bytes of the
 * frame's page: what is translated. The page's frame and the offset in the part then give the byte. */
static inline uint64_t mp_colours_spread(const struct mp_colours_part *p, uint64_t at)
{
    const uint64_t frame = at >> p->shift;
    if (frame > UINT64_MAX / MP_COLOURS_FRAME)
        return at; /* no address space has it, and the result would be another address */
    return frame * MP_COLOURS_FRAME + (at & ((1ull << p->shift) - 1));
}

/* The inverse. */
static inline uint64_t mp_colours_gather(const struct mp_colours_part *p, uint64_t va)
{
    return (va / MP_COLOURS_FRAME << p->shift) + va % MP_COLOURS_FRAME;
}

#ifdef __cplusplus
}
#endif
#endif
