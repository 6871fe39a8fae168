/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../../graph/lines.h"

static int read_line(struct lines *l, uint32_t most, uint64_t least_time, struct arrival *a)
{
    uint64_t prompt, tokens;
    const char *at = l->text;
    if (lines_number(l, &at, "time in ns", least_time, ARRIVALS_MOST_TIME, &a->ns) ||
        lines_number(l, &at, "prompt's number of tokens", 1, most - 1, &prompt) ||
        lines_number(l, &at, "number of tokens", 1, most - prompt, &tokens) ||
        lines_end(l, at, "NANOSECONDS PROMPT TOKENS"))
        return -1;
    a->prompt = (uint32_t)prompt;
    a->tokens = (uint32_t)tokens;
    return 0;
}

static int add_line(struct arrivals *a, struct lines *l, uint32_t most, uint32_t *room)
{
    const char *at = lines_skip_blanks(l->text);
    if (!*at || *at == '#')
        return 0;
    if (a->count == ARRIVALS_MOST)
        return mp_fail(l->err, "%s:%lu: more requests; %u are allowed", l->name, l->number, ARRIVALS_MOST);
    if (a->count == *room) {
        *room = *room ? 2 * *room : 64;
        struct arrival *list = realloc(a->list, *room * sizeof *list);
        if (!list)
            return mp_fail(l->err, "%s: out of memory; requests must fit", l->name);
        a->list = list;
    }
    const uint64_t least_time = a->count ? a->list[a->count - 1].ns : 0;
    if (read_line(l, most, least_time, &a->list[a->count]))
        return -1;
    a->count++;
    return 0;
}

int arrivals_read(struct arrivals *a, FILE *f, const char *name, uint32_t most, struct mp_error *err)
{
    struct lines l = {.file = f, .name = name, .err = err};
    uint32_t room = 0;
    int got;
    *a = (struct arrivals){0};
    while ((got = lines_next(&l)) > 0)
        if (add_line(a, &l, most, &room)) {
            got = -1;
            break;
        }
    if (!got && !a->count)
        got = mp_fail(err, "%s:%lu: no request; a line NANOSECONDS PROMPT TOKENS for each", name, l.number);
    lines_free(&l);
    if (got)
        arrivals_free(a);
    return got;
}

void arrivals_free(struct arrivals *a)
{
    free(a->list);
    *a = (struct arrivals){0};
}
