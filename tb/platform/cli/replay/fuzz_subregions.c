/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay subregions. A line is refused in one line, or what it was taken for reads
 * back as the same; and every design, driven by the lines that were taken, answers as its page table does. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"

#define MOST_PAGES 1024u /* of a line; more would take too long */

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_subregions_stimulus *s)
{
    char line[128];
    struct replay_subregions_stimulus again;
    int n = snprintf(line, sizeof line, "%c", s->op);
    if (strchr("PURT", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%" PRIx64, s->vpn);
    if (strchr("PR", s->op))
        n +=
            snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64 " %s", s->pfn, s->read_only ? "r" : "rw");
    if (strchr("PUR", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, s->pages);
    require(replay_subregions_parse(line, (size_t)n, &again, NULL) == 0);
    require(again.op == s->op && again.vpn == s->vpn && again.pfn == s->pfn && again.pages == s->pages &&
            again.read_only == s->read_only);
}

/* After a page has been mapped or changed, it is translated by what the line says. */
static void follows(struct replay_subregions_machine *m, const struct replay_subregions_stimulus *s)
{
    struct replay_subregions_response r;
    const struct replay_subregions_stimulus last = {.op = 'T', .vpn = s->vpn + s->pages - 1, .pages = 1};
    require(replay_subregions_apply(m, &last, &r, NULL) == 0);
    require(!strcmp(r.where, "fault") == (s->op == 'U'));
    if (s->op != 'U')
        require(r.pfn == s->pfn + s->pages - 1 && r.read_only == s->read_only);
}

static void replay_text(const struct replay_subregions_params *p, const char *text, size_t size)
{
    struct replay_subregions_machine *m = replay_subregions_new(p);
    require(m != NULL);
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_subregions_stimulus s;
        struct replay_subregions_response r;
        struct mp_error err = {""};
        if (replay_subregions_parse(text + at, length, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&s);
            s.pages = s.pages > MOST_PAGES ? MOST_PAGES : s.pages;
            if (replay_subregions_apply(m, &s, &r, &err))
                require(*err.text && !strpbrk(err.text, "\n\r"));
            else if (strchr("PUR", s.op))
                follows(m, &s);
        }
        at += length + 1;
    }
    replay_subregions_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned i = 0; replay_subregions_designs[i].name; i++) {
        const struct replay_subregions_params p = {.design = &replay_subregions_designs[i],
                                                   .l1 = 2,
                                                   .sets = 2,
                                                   .ways = 3,
                                                   .sub_ways = 2,
                                                   .msc = 2,
                                                   .msc_ways = 1,
                                                   .pwc = 4,
                                                   .heads_first = size % 2};
        require(replay_subregions_check(&p, NULL) == 0);
        replay_text(&p, (const char *)data, size);
    }
    return 0;
}
