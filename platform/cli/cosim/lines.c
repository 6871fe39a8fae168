/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the RTL that a co-simulation executed. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cosim/cosim.h"
#include "cli/out.h"
#include "db/db.h"

static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(cli_alloc(bytes, 1), text, bytes);
}

static struct mp_db_cosim_line *find(struct cosim_lines *l, const struct rtl_line *line)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->line[i].line == line->line && !strcmp(l->line[i].file, line->file))
            return &l->line[i];
    return NULL;
}

/* A line that a session did not execute, for no known reason, is open until another session executes it. */
static void add(void *to, const struct rtl_line *line)
{
    struct cosim_lines *l = to;
    struct mp_db_cosim_line *known = find(l, line);
    if (known) {
        known->taken += line->taken;
        if (!line->taken && !line->reason)
            known->reason = NULL;
        return;
    }
    if (l->count == l->room) {
        struct mp_db_cosim_line *more = cli_alloc(2 * l->room + 256, sizeof *more);
        if (l->count)
            memcpy(more, l->line, l->count * sizeof *more);
        free(l->line);
        l->line = more;
        l->room = 2 * l->room + 256;
    }
    l->line[l->count++] = (struct mp_db_cosim_line){.file = copy(line->file),
                                                    .line = line->line,
                                                    .taken = line->taken,
                                                    .text = copy(line->text),
                                                    .reason = line->reason};
}

static int by_file_and_line(const void *a, const void *b)
{
    const struct mp_db_cosim_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

void cosim_lines_take(struct cosim_lines *lines, const struct cosim_rtl *rtl, const void *cosim)
{
    if (!rtl->view.lines(cosim, add, lines))
        cli_have(NULL);
    if (lines->count)
        qsort(lines->line, lines->count, sizeof *lines->line, by_file_and_line);
    lines->taken = lines->explained = 0;
    for (unsigned i = 0; i < lines->count; i++) {
        lines->taken += lines->line[i].taken != 0;
        lines->explained += !lines->line[i].taken && lines->line[i].reason;
    }
}

void cosim_lines_free(struct cosim_lines *lines)
{
    for (unsigned i = 0; i < lines->count; i++) {
        free((char *)(uintptr_t)lines->line[i].file);
        free((char *)(uintptr_t)lines->line[i].text);
    }
    free(lines->line);
}

/* Prints the lines of one file from index `from` on; returns where the next file begins. */
static unsigned print_file(const struct cosim_lines *l, unsigned from, struct out_table *t)
{
    unsigned taken = 0, explained = 0, end = from;
    for (; end < l->count && !strcmp(l->line[end].file, l->line[from].file); end++) {
        taken += l->line[end].taken != 0;
        explained += !l->line[end].taken && l->line[end].reason;
    }
    out_cell(t, "%s", l->line[from].file);
    out_count(t, end - from);
    out_count(t, taken);
    out_count(t, explained);
    out_cell(t, "%.1f", 100.0 * taken / (end - from));
    return end;
}

void cosim_lines_print(const struct cosim_lines *lines)
{
    static const char *const heads[] = {"file", "lines", "taken", "explained", "% taken"};
    static const char *const left[] = {"not taken", "why", "line"};
    struct out_table *t = out_table_new(5, heads);
    for (unsigned i = 0; i < lines->count;)
        i = print_file(lines, i, t);
    out_table_print(t, stdout);
    if (lines->taken == lines->count)
        return;
    t = out_table_new(3, left);
    for (unsigned i = 0; i < lines->count; i++) {
        const struct mp_db_cosim_line *line = &lines->line[i];
        if (line->taken)
            continue;
        out_cell(t, "%s:%u", line->file, line->line);
        out_cell(t, "%s", line->reason ? line->reason : "-");
        out_cell(t, "%s", line->text);
    }
    out_table_print(t, stdout);
}

void cosim_lines_json(const struct cosim_lines *lines, struct out_json *json)
{
    json_count(json, "lines", lines->count);
    json_count(json, "lines_taken", lines->taken);
    json_count(json, "lines_explained", lines->explained);
    json_array(json, "lines_not_taken");
    for (unsigned i = 0; i < lines->count; i++) {
        const struct mp_db_cosim_line *line = &lines->line[i];
        if (line->taken)
            continue;
        json_object(json, NULL);
        json_text(json, "file", line->file);
        json_count(json, "line", line->line);
        json_text(json, "text", line->text);
        json_text(json, "reason", line->reason);
        json_end_object(json);
    }
    json_end_array(json);
}
