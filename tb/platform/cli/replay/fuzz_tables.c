/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay tables. A line is refused in one line, or what it was taken for reads back as
 * the same; and in every design and format, a page that was mapped is found where it is, and one that was
 * removed is not. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"
#include "vm/page_format.h"
#include "vm/tables/design.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_tables_stimulus *s)
{
    char line[128];
    struct replay_tables_stimulus again;
    int n = snprintf(line, sizeof line, "%c %u 0x%" PRIx64, s->op, s->asid, s->va);
    if (s->op == 'M')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64 " 0x%" PRIx64, s->pa, s->bytes);
    require(replay_tables_parse(line, (size_t)n, &again, NULL) == 0);
    require(again.op == s->op && again.asid == s->asid && again.va == s->va && again.pa == s->pa &&
            again.bytes == s->bytes);
}

static void walk(struct replay_tables *m, const struct replay_tables_stimulus *s, uint64_t pa, uint64_t bytes)
{
    struct replay_tables_stimulus w = *s;
    struct replay_tables_response r;
    w.op = 'W';
    require(replay_tables_apply(m, &w, &r, NULL) == 0);
    require(r.reads > 0 && r.bytes == bytes && (!bytes || r.pa == pa));
}

static void apply(struct replay_tables *m, const struct replay_tables_stimulus *s)
{
    struct replay_tables_response r;
    struct mp_error err = {""};
    if (replay_tables_apply(m, s, &r, &err))
        require(*err.text && !strpbrk(err.text, "\n\r"));
    else if (s->op == 'M')
        walk(m, s, s->pa, s->bytes);
    else if (s->op == 'U')
        walk(m, s, 0, 0);
}

static void replay_text(const struct mp_page_table_design *design, const struct mp_page_format *format,
                        const struct mp_design_values *own, const char *text, size_t size)
{
    if (design->check && design->check(format, format->page_shift, own, NULL))
        return;
    struct replay_tables *m = replay_tables_new(design, own, format);
    require(m != NULL);
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_tables_stimulus s;
        struct mp_error err = {""};
        if (replay_tables_parse(text + at, length, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&s);
            apply(m, &s);
        }
        at += length + 1;
    }
    replay_tables_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned i = 0; mp_page_table_designs[i]; i++) {
        const struct mp_page_table_design *design = mp_page_table_designs[i];
        struct mp_design_values own = mp_design_defaults(&design->design);
        for (unsigned k = 0; k < mp_design_nparams(&design->design); k++)
            own.v[k] = design->design.params[k].least;
        for (unsigned k = 0; mp_page_formats[k]; k++)
            replay_text(design, mp_page_formats[k], &own, (const char *)data, size);
        replay_text(design, mp_page_format(4096), &own, (const char *)data, size);
        replay_text(design, &mp_page_format_mixed, &own, (const char *)data, size);
    }
    return 0;
}
