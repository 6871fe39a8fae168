/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/replay/colours.h"
#include "cli/words.h"
#include "vm/frames/coloured.h"

int replay_colours_init(struct replay_colours *r, const struct mp_gf2 *machine, uint64_t page_bytes,
                        uint32_t colours, struct mp_error *err)
{
    *r = (struct replay_colours){.machine = *machine, .page_bytes = page_bytes};
    if (mp_colours_init(&r->colours, machine, page_bytes, colours, err))
        return -1;
    mp_gf2_tables_init(&r->tables, machine);
    const struct mp_frames_params p = {.bytes = UINT64_C(1) << machine->address_bits,
                                       .page_bytes = page_bytes,
                                       .hash = &r->machine,
                                       .own = {{r->colours.colours}}};
    return mp_frames_init(&r->frames, &mp_frames_coloured, &p, err);
}

void replay_colours_free(struct replay_colours *r)
{
    mp_frames_free(&r->frames);
}

/* ---- a stimulus ---- */

enum { PA, BASE, COLOUR, OFFSET, OPERANDS };

static int check_in_frame(const struct replay_colours *r, uint64_t base, struct mp_error *err)
{
    if (r->page_bytes != MP_COLOURS_PAGE)
        return mp_fail(err, "U: pages of %" PRIu64 " B; only with --page-size %u", r->page_bytes,
                       MP_COLOURS_PAGE);
    if (base % MP_COLOURS_FRAME)
        return mp_fail(err, "BASE '0x%" PRIx64 "' is not the first byte of a frame; a multiple of 0x%x", base,
                       MP_COLOURS_FRAME);
    return 0;
}

int replay_colours_parse(const struct replay_colours *r, const char *line, size_t length,
                         struct replay_colours_stimulus *s, struct mp_error *err)
{
    static const char *const forms[] = {"M PA", "T COLOUR", "G PA", "U BASE COLOUR OFFSET", NULL};
    const uint64_t last = (UINT64_C(1) << r->machine.address_bits) - 1;
    const struct cli_operand operands[] = {[PA] = {"PA", last},
                                           [BASE] = {"BASE", last},
                                           [COLOUR] = {"COLOUR", r->colours.colours - 1},
                                           [OFFSET] = {"OFFSET", MP_COLOURS_FRAME / r->colours.colours - 1},
                                           {0}};
    uint64_t value[OPERANDS];
    *s = (struct replay_colours_stimulus){0};
    int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op < 0 || (op == 'U' && check_in_frame(r, value[BASE], err)))
        return -1;
    if (op)
        *s = (struct replay_colours_stimulus){.op = (char)op,
                                              .pa = value[PA] | value[BASE],
                                              .colour = (uint32_t)value[COLOUR],
                                              .offset = value[OFFSET]};
    return 0;
}

/* ---- its response ---- */

static struct replay_colours_response map(const struct replay_colours *r, uint64_t pa)
{
    const struct mp_gf2_place at = mp_gf2_place(&r->tables, (uint32_t)(pa >> MP_GF2_LINE_SHIFT));
    return (struct replay_colours_response){
        .n = 5,
        .value = {at.module, at.set, at.bank, pa >> r->machine.row_shift, mp_colour_of(&r->colours, pa)}};
}

static struct replay_colours_response take(struct replay_colours *r, uint32_t colour)
{
    uint64_t pa;
    if (mp_frames_take_page(&r->frames, colour, &pa, NULL))
        return (struct replay_colours_response){.word = "none"};
    return (struct replay_colours_response){.n = 1, .value = {pa}};
}

static struct replay_colours_response give(struct replay_colours *r, uint64_t pa)
{
    if (!mp_coloured_is_taken(r->frames.state, pa))
        return (struct replay_colours_response){.word = "refused"};
    mp_frames_give_page(&r->frames, mp_colour_of(&r->colours, pa), pa, 0);
    return (struct replay_colours_response){.word = "given"};
}

struct replay_colours_response replay_colours_respond(struct replay_colours *r,
                                                      const struct replay_colours_stimulus *s)
{
    switch (s->op) {
    case 'M':
        return map(r, s->pa);
    case 'T':
        return take(r, s->colour);
    case 'G':
        return give(r, s->pa);
    default:
        return (struct replay_colours_response){
            .n = 1, .value = {mp_colours_in_frame(&r->colours, s->pa, s->colour, s->offset)}};
    }
}
