/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay colours. A line is refused in one line, or what it was taken for reads back
 * as the same; and pages that are taken are of the wanted colour, were free, and can be given back once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/colours.h"
#include "vm/frames/coloured.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_colours *r, const struct replay_colours_stimulus *s)
{
    char line[80];
    struct replay_colours_stimulus again;
    int n = snprintf(line, sizeof line, "%c", s->op);
    if (s->op != 'T')
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%" PRIx64, s->pa);
    if (s->op == 'T' || s->op == 'U')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu32, s->colour);
    if (s->op == 'U')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, s->offset);
    require(replay_colours_parse(r, line, (size_t)n, &again, NULL) == 0);
    require(again.op == s->op && again.pa == s->pa && again.colour == s->colour && again.offset == s->offset);
}

static void apply(struct replay_colours *r, const struct replay_colours_stimulus *s)
{
    bool taken = s->op == 'G' && mp_coloured_is_taken(r->frames.state, s->pa);
    const struct replay_colours_response a = replay_colours_respond(r, s);
    if (s->op == 'M') {
        require(a.n == 5 && a.value[0] < 1u << r->machine.modules && a.value[1] < 1024 &&
                a.value[2] < 1u << r->machine.banks && a.value[4] < r->colours.colours);
    } else if (s->op == 'G') {
        require(!strcmp(a.word, taken ? "given" : "refused"));
        require(!mp_coloured_is_taken(r->frames.state, s->pa));
    } else if (!a.word) {
        require(a.n == 1 && mp_colour_of(&r->colours, a.value[0]) == s->colour);
        require(s->op == 'U' ? a.value[0] - s->pa < MP_COLOURS_FRAME
                             : mp_coloured_is_taken(r->frames.state, a.value[0]));
    }
}

static void replay_text(const struct mp_gf2 *machine, uint64_t page_bytes, const char *text, size_t size)
{
    struct replay_colours r;
    require(replay_colours_init(&r, machine, page_bytes, 0, NULL) == 0);
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_colours_stimulus s;
        struct mp_error err = {""};
        if (replay_colours_parse(&r, text + at, length, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&r, &s);
            apply(&r, &s);
        }
        at += length + 1;
    }
    replay_colours_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_gf2 hidden;
    mp_gf2_hide(&hidden, &mp_gf2_v100, size);
    replay_text(&mp_gf2_gtx1080, 4096, (const char *)data, size);
    replay_text(&mp_gf2_v100, 2097152, (const char *)data, size);
    replay_text(&hidden, 4096, (const char *)data, size);
    return 0;
}
