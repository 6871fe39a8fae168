/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page colouring (Fractional GPUs, Section IV-E): a tenant gets pages of its colour alone, which is its
 * number modulo the number of colours. There is a free list per colour and no fallback to another one.
 * Beyond the paper, a tenant may have several colours, from which it takes pages in turn.
 *
 * `coloured` is the paper's, in the kernel: a page has one colour. `coloured-user` is that of the authors'
 * later driver: a frame of 2 MB has pages of all colours, each tenant maps it, and software computes which of
 * its pages are the tenant's (map/colours.h). What is allocated is thus a unit: a page, or a colour's part of
 * a frame. Units are numbered by address, the parts of a frame by colour.
 */
#include "vm/frames/coloured.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "map/colours.h"
#include "vm/physmem.h"

enum { NEVER_TAKEN, TAKEN, GIVEN_BACK };

#define NONE UINT32_MAX

struct colour {
    uint32_t low;    /* no unit below was never taken */
    uint32_t high;   /* no unit from here on is free */
    uint32_t newest; /* given back last, or NONE */
    uint64_t table;  /* page tables are in this unit, of which the first bytes are left */
    uint64_t table_left;
};

struct coloured {
    struct mp_frames_params p;
    struct mp_colours colours;
    uint32_t parts; /* units of a frame or page */
    uint32_t units;
    uint8_t *status; /* of each unit */
    struct link {
        uint32_t newer, older;
    } * link; /* among the units that were given back */
    struct colour of[1u << MP_GF2_MODULE];
    bool divided;  /* tenants say how many colours they have */
    struct share { /* the tenant's colours, and which of them comes next for a page and a table */
        uint32_t first, colours, page, table;
    } share[MP_TENANTS];
    uint32_t any_table; /* the colour of the next table, if those of all tenants have all colours */
};

enum { OWN_COLOURS, OWN_SPREAD_TABLES }; /* the parameters' places */

static struct share share_of(const struct coloured *a, uint32_t tenant)
{
    return a->divided ? a->share[tenant] : (struct share){tenant % a->colours.colours, 1, 0, 0};
}

/* The colour in turn, of a tenant's pages or tables. */
static uint32_t in_turn(struct share s, uint32_t *turn)
{
    uint32_t colour = s.first + *turn;
    *turn = (*turn + 1) % s.colours;
    return colour;
}

static uint32_t colour_of(const struct coloured *a, uint32_t unit)
{
    return a->parts > 1 ? unit % a->parts : mp_colour_of(&a->colours, a->p.base + unit * a->p.page_bytes);
}

static uint64_t address_of(const struct coloured *a, uint32_t unit)
{
    return a->p.base + unit / a->parts * a->p.page_bytes;
}

static uint32_t unit_of(const struct coloured *a, uint32_t colour, uint64_t pa)
{
    return (uint32_t)((pa - a->p.base) / a->p.page_bytes) * a->parts + (a->parts > 1 ? colour : 0);
}

static void release(void *state)
{
    struct coloured *a = state;
    free(a->status);
    free(a->link);
}

static int divide(struct coloured *a, struct mp_error *err)
{
    uint32_t next = 0;
    for (uint32_t t = 0; t < MP_TENANTS; next += a->p.colours[t++]) {
        const uint32_t own = a->p.colours[t];
        a->share[t] = (struct share){next, own ? own : 1, 0, 0};
        a->divided |= own != 0;
        if (own > 1 && a->parts > 1)
            return mp_fail(err, "vm.frames: coloured-user: tenants.%" PRIu32 " has %" PRIu32 " colours; 1", t,
                           own);
    }
    return next <= a->colours.colours
               ? 0
               : mp_fail(err, "vm.frames: tenants have %" PRIu32 " colours of %" PRIu32, next,
                         a->colours.colours);
}

/* Page sizes are those of colours: for `coloured-user` 4 KB, whatever the frames have. */
static int init(struct coloured *a, const struct mp_frames_params *p, uint64_t coloured_bytes, bool shared,
                struct mp_error *err)
{
    if (!p->hash)
        return mp_fail(err, "vm.frames: the address map has no colours; machine.hash gtx1080 or v100");
    struct mp_error why;
    if (mp_colours_init(&a->colours, p->hash, coloured_bytes, (uint32_t)p->own.v[OWN_COLOURS], &why))
        return mp_fail(err, "vm.%s", why.text);
    a->p = *p;
    a->parts = shared ? a->colours.colours : 1;
    a->units = (uint32_t)(p->bytes / p->page_bytes) * a->parts;
    a->status = calloc(a->units, sizeof *a->status);
    a->link = calloc(a->units, sizeof *a->link);
    if (!a->status || !a->link)
        return mp_fail(err, "out of memory");
    for (uint32_t c = 0; c < a->colours.colours; c++)
        a->of[c] = (struct colour){.high = a->units, .newest = NONE};
    return divide(a, err);
}

static int init_pages(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    return init(state, p, p->page_bytes, false, err);
}

static int init_user(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    if (p->page_bytes != MP_COLOURS_FRAME)
        return mp_fail(err, "vm.frames: coloured-user has no pages of %" PRIu64 " B; %u", p->page_bytes,
                       MP_COLOURS_FRAME);
    return init(state, p, MP_COLOURS_PAGE, true, err);
}

/* --- free units --- */

static void take_out(struct coloured *a, struct colour *c, uint32_t unit)
{
    const struct link l = a->link[unit];
    if (l.newer == NONE)
        c->newest = l.older;
    else
        a->link[l.newer].older = l.older;
    if (l.older != NONE)
        a->link[l.older].newer = l.newer;
}

static void put_in(struct coloured *a, struct colour *c, uint32_t unit)
{
    a->link[unit] = (struct link){.newer = NONE, .older = c->newest};
    if (c->newest != NONE)
        a->link[c->newest].newer = unit;
    c->newest = unit;
}

/* The unit that was given back last, else the lowest that was never taken, else NONE. */
static uint32_t take_page_unit(struct coloured *a, uint32_t colour)
{
    struct colour *c = &a->of[colour];
    uint32_t unit = c->newest;
    if (unit != NONE) {
        take_out(a, c, unit);
    } else {
        while (c->low < a->units && (a->status[c->low] != NEVER_TAKEN || colour_of(a, c->low) != colour))
            c->low++;
        if (c->low == a->units)
            return NONE;
        unit = c->low++;
    }
    a->status[unit] = TAKEN;
    return unit;
}

/* The highest free unit, or NONE. */
static uint32_t take_table_unit(struct coloured *a, uint32_t colour)
{
    struct colour *c = &a->of[colour];
    while (c->high && (a->status[c->high - 1] == TAKEN || colour_of(a, c->high - 1) != colour))
        c->high--;
    if (!c->high)
        return NONE;
    uint32_t unit = --c->high;
    if (a->status[unit] == GIVEN_BACK)
        take_out(a, c, unit);
    a->status[unit] = TAKEN;
    return unit;
}

/* Colours as a text: "colour 3", or "colours 3 to 5". */
static int used_up(const struct coloured *a, const char *what, uint64_t bytes, struct share s,
                   struct mp_error *err)
{
    char colours[48];
    int n = snprintf(colours, sizeof colours, "colour%s %" PRIu32, s.colours > 1 ? "s" : "", s.first);
    if (s.colours > 1)
        snprintf(colours + n, sizeof colours - (size_t)n, " to %" PRIu32, s.first + s.colours - 1);
    return mp_fail(err,
                   "no %s of %" PRIu64 " B and %s of %" PRIu32 " is left in the %" PRIu64
                   " B of memory from 0x%" PRIx64 " on; machine.memory_per_slice sets the size",
                   what, bytes, colours, a->colours.colours, a->p.bytes, a->p.base);
}

static uint64_t take_pages(void *state, const struct mp_frames_wish *wish, uint64_t *pa, struct mp_error *err)
{
    struct coloured *a = state;
    const struct share s = share_of(a, wish->tenant);
    uint32_t none = 0, *turn = a->divided ? &a->share[wish->tenant].page : &none, unit = NONE;
    for (uint32_t i = 0; i < s.colours && unit == NONE; i++)
        unit = take_page_unit(a, in_turn(s, turn));
    if (unit == NONE) {
        used_up(a, "page", a->p.page_bytes, s, err);
        return 0;
    }
    *pa = address_of(a, unit);
    return 1;
}

/* Makes room for a table in this colour's unit for tables. Returns whether there is room. */
static bool has_table_room(struct coloured *a, uint32_t colour)
{
    struct colour *c = &a->of[colour];
    uint32_t unit;
    if (c->table_left)
        return true;
    if (a->p.page_bytes < MP_FRAME_BYTES || (unit = take_table_unit(a, colour)) == NONE)
        return false;
    c->table = address_of(a, unit);
    c->table_left = a->p.page_bytes / a->parts;
    return true;
}

/* A unit is divided among page tables from its end. */
static int take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    struct coloured *a = state;
    const bool spread = a->p.own.v[OWN_SPREAD_TABLES];
    const struct share s = spread ? (struct share){0, a->colours.colours, 0, 0} : share_of(a, tenant);
    uint32_t none = 0, *turn = spread ? &a->any_table : a->divided ? &a->share[tenant].table : &none;
    uint32_t colour = in_turn(s, turn);
    for (uint32_t i = 1; i < s.colours && !has_table_room(a, colour); i++)
        colour = in_turn(s, turn);
    if (!has_table_room(a, colour))
        return used_up(a, "page table", MP_FRAME_BYTES, s, err);
    struct colour *c = &a->of[colour];
    c->table_left -= MP_FRAME_BYTES;
    *pa = a->parts > 1 ? mp_colours_in_frame(&a->colours, c->table, colour, c->table_left)
                       : c->table + c->table_left;
    return 0;
}

static void give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    struct coloured *a = state;
    uint32_t unit = unit_of(a, share_of(a, tenant).first, pa);
    struct colour *c = &a->of[colour_of(a, unit)];
    (void)page_bytes;
    a->status[unit] = GIVEN_BACK;
    put_in(a, c, unit);
    if (c->high <= unit)
        c->high = unit + 1;
}

static struct mp_colours_part part(const void *state, uint32_t tenant)
{
    const struct coloured *a = state;
    return (struct mp_colours_part){.colours = &a->colours,
                                    .colour = share_of(a, tenant).first,
                                    .shift = (uint32_t)__builtin_ctz(MP_COLOURS_FRAME / a->parts),
                                    .instructions = MP_COLOURS_INSTRUCTIONS * a->colours.functions};
}

bool mp_coloured_is_taken(const void *state, uint64_t pa)
{
    const struct coloured *a = state;
    return a->status[unit_of(a, 0, pa)] == TAKEN;
}

static const struct mp_design_param params[] = {
    {.name = ".colours",
     .unit = "colours",
     .usual = 2,
     .least = 1,
     .most = 1u << MP_GF2_MODULE,
     .source = "Fractional GPUs",
     .text = "colours of pages, a power of two; tenant t has colour t modulo this",
     .flags = MP_DESIGN_POWER_OF_TWO},
    {.name = ".spread_tables",
     .unit = "",
     .usual = 0,
     .least = 0,
     .most = 1,
     .source = "mempath",
     .text = "0: page tables have the tenant's colours; 1: those of all tenants have all colours in turn"},
    {.name = NULL}};

const struct mp_frame_allocator mp_frames_coloured = {
    .design = {.name = "coloured",
               .title =
                   "pages of the tenant's colour alone; freed ones are used again first, last in first out",
               .params = params},
    .bytes = sizeof(struct coloured),
    .init = init_pages,
    .free = release,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page};

const struct mp_frame_allocator mp_frames_coloured_user = {
    .design = {.name = "coloured-user",
               .title = "frames of 2 MB with pages of all colours, of which software uses the tenant's",
               .params = params},
    .bytes = sizeof(struct coloured),
    .init = init_user,
    .free = release,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page,
    .part = part};
