/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/xray.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/graph.h"
#include "cli/out.h"

#define CHAINS 4u /* that the text prints link by link */

static const char *path_of(const struct mp_xray_report *r, uint32_t item)
{
    return r->plan->block[r->item[item].block].path;
}

/* ---- text ---- */

static void print_rest(FILE *f, uint64_t all, uint64_t most)
{
    if (all > most)
        fprintf(f, "  and %" PRIu64 " more; --xray FILE.txt has all\n", all - most);
}

static void print_rooms(const struct mp_xray_report *r, const struct mp_xray_block *b, FILE *f)
{
    for (uint32_t i = 0; i < b->rooms; i++) {
        const struct mp_xray_structure *s = &r->room[b->first_room + i];
        fprintf(f, "%s%s %" PRIu64, i ? ", " : "", s->name, s->used);
        if (s->most)
            fprintf(f, " of %" PRIu64, s->most);
        if (s->most && s->used >= s->most)
            fputs(" (full)", f);
    }
}

/* Numbers of blocks or links, those with the most requests first; *n: that have any. Freed by the caller. */
static uint32_t *busiest(const struct mp_xray_report *r, uint32_t all,
                         uint64_t (*busy)(const struct mp_xray_report *r, uint32_t number), uint32_t *n)
{
    uint32_t *list = cli_alloc(all, sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t at = *n;
        if (!busy(r, i))
            continue;
        for (; at && busy(r, list[at - 1]) < busy(r, i); at--)
            list[at] = list[at - 1];
        list[at] = i;
        (*n)++;
    }
    return list;
}

static uint64_t block_requests(const struct mp_xray_report *r, uint32_t number)
{
    return r->block[number].items;
}

static uint64_t link_requests(const struct mp_xray_report *r, uint32_t number)
{
    return r->edge[number].items;
}

static void print_blocks(const struct mp_xray_report *r, uint32_t most, FILE *f)
{
    static const char *const heads[] = {"block", "requests", "what is taken"};
    struct out_table *t = out_table_new(3, heads);
    uint32_t n, *list = busiest(r, r->plan->blocks, block_requests, &n);
    for (uint32_t i = 0; i < n && i < most; i++) {
        const struct mp_xray_block *b = &r->block[list[i]];
        char *text = NULL;
        size_t size = 0;
        FILE *m = cli_have(open_memstream(&text, &size));
        fputs(b->foreign ? "a foreign module" : "", m);
        print_rooms(r, b, m);
        fclose(m);
        out_cell(t, "%s", r->plan->block[list[i]].path);
        out_count(t, b->items);
        out_cell(t, "%s", text ? text : "");
        free(text);
    }
    out_table_print(t, f);
    print_rest(f, n, most);
    free(list);
}

static void cell_known(struct out_table *t, bool known, uint64_t value)
{
    if (known)
        out_cell(t, "%" PRIu64, value);
    else
        out_cell(t, "-");
}

static void cell_address(struct out_table *t, uint64_t address)
{
    if (address && address != MP_XRAY_UNKNOWN)
        out_cell(t, "0x%" PRIx64, address);
    else
        out_cell(t, "-");
}

static void print_requests(const struct mp_xray_report *r, uint32_t most, FILE *f)
{
    static const char *const heads[] = {"since cycle", "cycles",  "tenant",           "request", "SM",
                                        "warp",        "virtual", "physical address", "block",   "place"};
    struct out_table *t = out_table_new(10, heads);
    char text[MP_XRAY_TEXT];
    for (uint32_t i = 0; i < r->items && i < most; i++) {
        const struct mp_xray_wait *w = &r->item[r->oldest[i]].wait;
        bool dated = w->since != MP_XRAY_UNKNOWN;
        cell_known(t, dated, w->since);
        cell_known(t, dated, r->cycle - w->since);
        cell_known(t, w->from, w->tenant);
        out_cell(t, "%s", mp_xray_op(w));
        cell_known(t, w->from, w->sm);
        cell_known(t, w->from, w->warp);
        cell_address(t, w->va);
        cell_address(t, w->pa);
        out_cell(t, "%s", path_of(r, r->oldest[i]));
        out_cell(t, "%s", mp_xray_place(r, r->oldest[i], text));
    }
    out_table_print(t, f);
    print_rest(f, r->items, most);
}

static void print_chain(const struct mp_xray_report *r, uint32_t item, bool lost, FILE *f)
{
    char text[MP_XRAY_TEXT];
    const char *arrow = "";
    for (uint32_t i = item;; i = r->item[i].next) {
        uint64_t since = r->item[i].wait.since;
        fprintf(f, "  %s%s: %s", arrow, path_of(r, i), mp_xray_place(r, i, text));
        if (since != MP_XRAY_UNKNOWN)
            fprintf(f, ", since cycle %" PRIu64, since);
        if (r->item[i].next == MP_XRAY_NONE) {
            fprintf(f, "; %s\n", mp_xray_why(r, i, lost, text));
            return;
        }
        arrow = r->item[r->item[i].next].block == r->item[i].block ? "  behind " : "  -> ";
        fputc('\n', f);
    }
}

/* Those of the oldest requests, as long as they end in different places. */
static void print_chains(const struct mp_xray_report *r, bool lost, FILE *f)
{
    uint32_t ends[CHAINS], n = 0;
    for (uint32_t i = 0; i < r->items && n < CHAINS; i++) {
        uint32_t end = mp_xray_end(r, r->oldest[i]), k = 0;
        while (k < n && ends[k] != end)
            k++;
        if (k < n)
            continue;
        ends[n++] = end;
        print_chain(r, r->oldest[i], lost, f);
    }
}

static void print_links(const struct mp_xray_report *r, uint32_t most, FILE *f)
{
    static const char *const heads[] = {"block", "waits for", "requests", "oldest since cycle"};
    struct out_table *t = out_table_new(4, heads);
    uint32_t n, *list = busiest(r, r->plan->links, link_requests, &n);
    for (uint32_t i = 0; i < n && i < most; i++) {
        const struct mp_plan_link *l = &r->plan->link[list[i]];
        const struct mp_xray_edge *e = &r->edge[list[i]];
        out_cell(t, "%s", r->plan->block[l->from].path);
        out_cell(t, "%s", r->plan->block[l->to].path);
        out_count(t, e->items);
        cell_known(t, e->since != MP_XRAY_UNKNOWN, e->since);
    }
    out_table_print(t, f);
    print_rest(f, n, most);
    free(list);
}

void xray_text(const struct mp_xray_report *r, const struct xray_about *about, uint32_t most, FILE *f)
{
    fprintf(f, "X-ray of run %" PRId64 ", %s, at cycle %" PRIu64 "%s%s\n", about->run, about->name, r->cycle,
            about->why ? ": " : "", about->why ? about->why : "");
    fputs("\nWhat the oldest requests wait for, link by link:\n", f);
    print_chains(r, about->why != NULL, f);
    fputs("\nBlocks, those with the most requests first:\n", f);
    print_blocks(r, most, f);
    fputs("\nLinks, and the requests without an answer on each:\n", f);
    print_links(r, most, f);
    fprintf(f, "\n%" PRIu32 " requests wait, the oldest first:\n", r->items);
    print_requests(r, most, f);
    fprintf(f, "\nagain, to this cycle: %s\n", about->again);
}

/* ---- JSON ---- */

static void json_known(struct out_json *j, const char *name, bool known, uint64_t value)
{
    if (known)
        json_count(j, name, value);
    else
        json_text(j, name, NULL);
}

static void json_blocks(struct out_json *j, const struct mp_xray_report *r)
{
    json_array(j, "blocks");
    for (uint32_t i = 0; i < r->plan->blocks; i++) {
        const struct mp_xray_block *b = &r->block[i];
        json_object(j, NULL);
        json_text(j, "path", r->plan->block[i].path);
        json_text(j, "kind", b->foreign ? "foreign" : r->plan->block[i].kind->name);
        json_count(j, "requests", b->items);
        json_array(j, "taken");
        for (uint32_t k = b->first_room; k < b->first_room + b->rooms; k++) {
            json_object(j, NULL);
            json_text(j, "what", r->room[k].name);
            json_count(j, "used", r->room[k].used);
            json_known(j, "of", r->room[k].most, r->room[k].most);
            json_end_object(j);
        }
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

/* In the order of age: a request's number in the file, for `waits_for`. */
static uint32_t *ranks(const struct mp_xray_report *r)
{
    uint32_t *rank = cli_alloc(r->items, sizeof *rank);
    for (uint32_t i = 0; i < r->items; i++)
        rank[r->oldest[i]] = i;
    return rank;
}

static void json_requests(struct out_json *j, const struct mp_xray_report *r, bool lost)
{
    uint32_t *rank = ranks(r);
    char text[MP_XRAY_TEXT];
    json_array(j, "requests");
    for (uint32_t i = 0; i < r->items; i++) {
        const struct mp_xray_item *item = &r->item[r->oldest[i]];
        const struct mp_xray_wait *w = &item->wait;
        json_object(j, NULL);
        json_known(j, "since", w->since != MP_XRAY_UNKNOWN, w->since);
        json_text(j, "request", w->from ? mp_xray_op(w) : NULL);
        json_known(j, "tenant", w->from, w->tenant);
        json_known(j, "sm", w->from, w->sm);
        json_known(j, "warp", w->from, w->warp);
        json_known(j, "virtual", w->va != MP_XRAY_UNKNOWN, w->va);
        json_known(j, "physical", w->pa != MP_XRAY_UNKNOWN, w->pa);
        json_text(j, "block", path_of(r, r->oldest[i]));
        json_text(j, "place", mp_xray_place(r, r->oldest[i], text));
        json_known(j, "waits_for", item->next != MP_XRAY_NONE,
                   item->next == MP_XRAY_NONE ? 0 : rank[item->next]);
        if (item->next == MP_XRAY_NONE)
            json_text(j, "why", mp_xray_why(r, r->oldest[i], lost, text));
        json_end_object(j);
    }
    json_end_array(j);
    free(rank);
}

void xray_json(const struct mp_xray_report *r, const struct xray_about *about, FILE *f)
{
    struct out_json j = {.f = f};
    json_object(&j, NULL);
    json_text(&j, "name", about->name);
    json_count(&j, "run", about->run > 0 ? (uint64_t)about->run : 0);
    json_count(&j, "cycle", r->cycle);
    json_text(&j, "stuck", about->why);
    json_text(&j, "again", about->again);
    json_blocks(&j, r);
    json_requests(&j, r, about->why != NULL);
    json_end_object(&j);
}

/* ---- files ---- */

struct picture {
    const struct mp_xray_report *r;
    const struct xray_about *about;
};

static void draw(const void *picture, FILE *f)
{
    const struct picture *p = picture;
    xray_draw(p->r, p->about, f);
}

static bool ends_in(const char *file, const char *end)
{
    size_t length = strlen(file), tail = strlen(end);
    return length > tail && !strcmp(file + length - tail, end);
}

int xray_check(const char *file, struct mp_error *err)
{
    if (ends_in(file, ".txt") || ends_in(file, ".json") || graph_form(file))
        return 0;
    return mp_fail(err, "--xray: '%s' has no known form; a name that ends in .txt, .json, " GRAPH_FORMS,
                   file);
}

int xray_write(const struct mp_xray_report *r, const struct xray_about *about, const char *file)
{
    const struct picture picture = {r, about};
    char part[PATH_MAX];
    if (graph_form(file))
        return graph_write("--xray", file, draw, &picture);
    snprintf(part, sizeof part, "%s.part", file);
    FILE *f = fopen(part, "w");
    if (f && ends_in(file, ".json"))
        xray_json(r, about, f);
    else if (f)
        xray_text(r, about, XRAY_ALL, f);
    bool written = f && !ferror(f);
    written = f && !fclose(f) && written;
    if (written && !rename(part, file))
        return CLI_DONE;
    int code = cli_fail(CLI_FAILED, "--xray: %s: %s; a writable file is needed", file, strerror(errno));
    unlink(part);
    return code;
}
