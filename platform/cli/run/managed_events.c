/* SPDX-License-Identifier: Apache-2.0 */
/* The trace-event format: a process per server of page faults, with a thread for each kind of action that it
 * does one at a time, services of blocks, which overlap, as asynchronous slices, and counters of pages. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/run/managed.h"

static void begin(struct out_json *j, const char *phase, const char *name, unsigned process)
{
    json_object(j, NULL);
    json_text(j, "ph", phase);
    json_text(j, "name", name);
    json_count(j, "pid", process);
}

static void name_of(struct out_json *j, const char *what, unsigned process, unsigned thread, const char *name)
{
    begin(j, "M", what, process);
    json_count(j, "tid", thread);
    json_object(j, "args");
    json_text(j, "name", name);
    json_end_object(j);
    json_end_object(j);
}

static void write_facts(struct out_json *j, const struct managed *m, const struct managed_action *a)
{
    char page[24];
    snprintf(page, sizeof page, "0x%" PRIx64, a->page);
    json_object(j, "args");
    json_text(j, "tenant", m->name[a->tenant]);
    json_count(j, "began", a->began);
    json_count(j, "ended", a->ended);
    json_text(j, "page", a->page ? page : NULL);
    json_count(j, a->kind == MANAGED_BATCH ? "faults" : "pages", a->pages);
    json_end_object(j);
}

static void write_slice(struct out_json *j, const struct managed *m, const struct managed_server *s,
                        const struct managed_action *a, unsigned process)
{
    const uint64_t from = a->began > s->first ? a->began : s->first,
                   to = a->ended < s->last ? a->ended : s->last;
    begin(j, "X", managed_kinds[a->kind], process);
    json_text(j, "cat", managed_kinds[a->kind]);
    json_count(j, "tid", a->kind + 1u);
    json_count(j, "ts", from);
    json_count(j, "dur", to - from);
    write_facts(j, m, a);
    json_end_object(j);
}

static void write_end(struct out_json *j, const struct managed *m, const struct managed_action *a,
                      unsigned process, size_t id, bool ends)
{
    begin(j, ends ? "e" : "b", managed_kinds[a->kind], process);
    json_text(j, "cat", managed_kinds[a->kind]);
    json_count(j, "id", id);
    json_count(j, "ts", ends ? a->ended : a->began);
    write_facts(j, m, a);
    json_end_object(j);
}

static void write_instant(struct out_json *j, const struct managed *m, const struct managed_action *a,
                          unsigned process)
{
    begin(j, "i", managed_kinds[a->kind], process);
    json_text(j, "cat", managed_kinds[a->kind]);
    json_text(j, "s", "t");
    json_count(j, "tid", a->kind + 1u);
    json_count(j, "ts", a->began);
    write_facts(j, m, a);
    json_end_object(j);
}

/* The number of resident pages of each tenant after the changes of a cycle. */
static void write_resident(struct out_json *j, const struct managed *m, const struct managed_server *s,
                           unsigned process)
{
    for (unsigned t = 0; t < m->config.ntenants; t++) {
        struct {
            uint64_t block, pages;
        } *held = cli_alloc(s->nchanges + 1, sizeof *held);
        uint64_t sum = 0;
        size_t n = 0;
        char name[80];
        snprintf(name, sizeof name, "resident, %s", m->name[t]);
        for (size_t i = 0; i < s->nchanges; i++) {
            const struct managed_change *c = &s->change[i];
            size_t k = 0;
            if (c->tenant != t)
                continue;
            while (k < n && held[k].block != c->block)
                k++;
            n += k == n;
            held[k].block = c->block;
            sum += c->pages - held[k].pages;
            held[k].pages = c->pages;
            begin(j, "C", name, process);
            json_count(j, "ts", c->cycle);
            json_object(j, "args");
            json_count(j, "pages", sum);
            json_end_object(j);
            json_end_object(j);
        }
        free(held);
    }
}

void managed_write_events(const struct managed *m, unsigned process, struct out_json *j)
{
    for (unsigned i = 0; i < m->n; i++, process++) {
        const struct managed_server *s = &m->server[i];
        name_of(j, "process_name", process, 0, s->path);
        for (unsigned k = 0; k < MANAGED_KINDS; k++)
            if (k != MANAGED_SERVICE)
                name_of(j, "thread_name", process, k + 1, managed_kinds[k]);
        for (size_t k = 0; k < s->nactions; k++) {
            const struct managed_action *a = &s->action[k];
            if (a->kind < MANAGED_LANES) {
                write_slice(j, m, s, a, process);
            } else if (a->kind == MANAGED_SERVICE) {
                write_end(j, m, a, process, k + 1, false);
                write_end(j, m, a, process, k + 1, true);
            } else {
                write_instant(j, m, a, process);
            }
        }
        write_resident(j, m, s, process);
    }
}
