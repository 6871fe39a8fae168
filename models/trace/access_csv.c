/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/access_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/gwt_format.h"
#include "trace/import_group.h"
#include "trace/import_source.h"
#include "trace/import_words.h"

enum column {
    LAUNCH,
    KERNEL,
    GRID,
    BLOCK,
    LOCAL_BYTES,
    GROUP,
    WARP,
    INSTRUCTION,
    WHAT,
    SPACE,
    SOURCE_LINE,
    PC,
    BYTES,
    MASK,
    ADDRESSES,
    TIME,
    COLUMNS
};

static const struct {
    const char *name;
    uint64_t least, most; /* of a number; most 0: text */
    uint64_t usual;       /* where the column is missing or the field is empty */
} columns[COLUMNS] = {
    [LAUNCH] = {"launch", 1, 1u << 20, 1},
    [KERNEL] = {"kernel", 0, 0, 0},
    [GRID] = {"grid", 0, 0, 0},
    [BLOCK] = {"block", 0, 0, 0},
    [LOCAL_BYTES] = {"local_bytes", 0, UINT32_MAX, 0},
    [GROUP] = {"group", 0, GWT_MAX_CTAS - 1, 0},
    [WARP] = {"warp", 0, GWT_MAX_BLOCK / 32 - 1, 0},
    [INSTRUCTION] = {"instruction", 0, UINT32_MAX, 0},
    [WHAT] = {"what", 0, 0, 0},
    [SPACE] = {"space", 0, 0, 0},
    [SOURCE_LINE] = {"line", 0, UINT32_MAX, 0},
    [PC] = {"pc", 0, UINT64_MAX, 0},
    [BYTES] = {"bytes", 1, GWT_MAX_ACCESS, 4},
    [MASK] = {"mask", 1, UINT64_MAX, 0},
    [ADDRESSES] = {"addresses", 0, 0, 0},
    [TIME] = {"time", 0, GWT_MOST_TIME, 0},
};

#define ALL_COLUMNS                                                                                          \
    "launch, kernel, grid, block, local_bytes, group, warp, instruction, what, space, line, pc, bytes, "     \
    "mask, addresses, time"

enum what { LOAD, STORE, ATOMIC, BARRIER, EXIT, LAUNCHED, WHATS };
static const char *const what_names[WHATS] = {"load", "store", "atomic", "barrier", "exit", "launch"};

struct row {
    uint64_t number[COLUMNS];
    char *text[COLUMNS]; /* NULL: empty or missing */
    enum what what;
};

struct launch {
    char *name;
    uint32_t grid[3], block[3], local_bytes; /* grid[0] or block[0] 0: as many as there are rows of */
    uint32_t groups, warps;                  /* one more than the largest number in a row */
    uint64_t time;                           /* ns, before which it does not begin */
};

struct csv {
    struct import_source from;
    uint32_t lanes; /* of a full warp */
    unsigned fields;
    enum column order[COLUMNS];
    struct launch *launch;
    uint32_t launches;
    struct gwt_event event;
};

static int bad_field(struct csv *c, enum column k, const char *text, const char *allowed)
{
    char what[200];
    snprintf(what, sizeof what, "column %s: '%.100s'", columns[k].name, text);
    return import_source_fail(&c->from, what, allowed);
}

/* ---- rows ---- */

/* Cuts the next field off at its comma. Quotes may surround it, and are doubled inside. */
static char *cut_field(char **at)
{
    char *from = *at, *start = from, *to = from;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    } else {
        to = from += strcspn(from, ",");
    }
    *at = *from == ',' ? from + 1 : NULL;
    *to = 0;
    return start;
}

static int read_header(struct csv *c, char *line)
{
    bool there[COLUMNS] = {false};
    while (line) {
        const char *name = cut_field(&line);
        unsigned k = 0;
        while (k < COLUMNS && strcmp(name, columns[k].name) != 0)
            k++;
        if (k == COLUMNS || there[k]) {
            char what[200];
            snprintf(what, sizeof what, "%s column '%.100s'", k == COLUMNS ? "unknown" : "repeated", name);
            return import_source_fail(&c->from, what,
                                      "the first line has names of columns, each once: " ALL_COLUMNS);
        }
        there[k] = true;
        c->order[c->fields++] = (enum column)k;
    }
    return there[GROUP] && there[ADDRESSES]
               ? 0
               : import_source_fail(&c->from, "no column group or addresses",
                                    "both are needed; the others may be missing");
}

static bool number(const char *text, enum column k, uint64_t *value)
{
    bool good = k == MASK || (text[0] == '0' && (text[1] | 0x20) == 'x')
                    ? import_hex(text, value)
                    : import_count(text, INT64_MAX, value);
    return good && *value >= columns[k].least && *value <= columns[k].most;
}

static int bad_number(struct csv *c, enum column k, const char *text)
{
    char allowed[100];
    snprintf(allowed, sizeof allowed, "allowed are numbers from %" PRIu64 " to %" PRIu64 "%s",
             columns[k].least, columns[k].most, k == MASK ? ", hexadecimal" : "");
    return bad_field(c, k, text, allowed);
}

static int read_what(struct csv *c, struct row *r)
{
    const char *text = r->text[WHAT] ? r->text[WHAT] : what_names[LOAD];
    unsigned w = 0;
    while (w < WHATS && strcmp(text, what_names[w]) != 0)
        w++;
    r->what = (enum what)w;
    return w < WHATS ? 0
                     : bad_field(c, WHAT, text, "allowed are load, store, atomic, barrier, exit and launch");
}

/* The fields of a line, whose text stays in it. */
static int read_row(struct csv *c, char *line, struct row *r)
{
    *r = (struct row){.what = LOAD};
    for (unsigned k = 0; k < COLUMNS; k++)
        r->number[k] = columns[k].usual;
    for (unsigned i = 0; line; i++) {
        char *text = cut_field(&line);
        if (i == c->fields)
            return import_source_fail(&c->from, "more fields than the first line has", "one for each column");
        enum column k = c->order[i];
        if (!*text)
            continue;
        r->text[k] = text;
        if (columns[k].most && !number(text, k, &r->number[k]))
            return bad_number(c, k, text);
    }
    return read_what(c, r);
}

/* ---- launches ---- */

static struct launch *launch_of(struct csv *c, uint64_t number)
{
    if (number > c->launches) {
        struct launch *larger = realloc(c->launch, number * sizeof *larger);
        if (!larger)
            return NULL;
        memset(larger + c->launches, 0, (number - c->launches) * sizeof *larger);
        c->launch = larger;
        c->launches = (uint32_t)number;
    }
    return &c->launch[number - 1];
}

/* "64x2x1", or fewer numbers. */
static int read_size(struct csv *c, const struct row *r, enum column k, uint32_t size[3])
{
    char *text = r->text[k], copy[64];
    if (!text)
        return 0;
    snprintf(copy, sizeof copy, "%s", text);
    char *at = copy;
    for (int i = 0; i < 3; i++) {
        uint64_t v = 1;
        size_t n = at ? strcspn(at, "x") : 0;
        char *next = at && at[n] ? at + n + 1 : NULL;
        if (at) {
            at[n] = 0;
            if (!import_count(at, GWT_MAX_CTAS, &v) || !v)
                return bad_field(c, k, text, "it must be X, XxY or XxYxZ");
        }
        size[i] = (uint32_t)v;
        at = next;
    }
    return at ? bad_field(c, k, text, "it must be X, XxY or XxYxZ") : 0;
}

static int note_launch(struct csv *c, const struct row *r)
{
    struct launch *l = launch_of(c, r->number[LAUNCH]);
    if (!l)
        return import_source_fail(&c->from, "out of memory", "launches must fit");
    if (r->text[KERNEL] && (!l->name || strcmp(l->name, r->text[KERNEL]) != 0)) {
        if (l->name)
            return bad_field(c, KERNEL, r->text[KERNEL], "a launch has one kernel in all of its rows");
        l->name = strdup(r->text[KERNEL]);
        if (!l->name)
            return import_source_fail(&c->from, "out of memory", "launches must fit");
        for (char *at = l->name; *at; at++)
            if (*at < 0x20 || *at > 0x7e)
                *at = '?';
    }
    if (r->text[LOCAL_BYTES])
        l->local_bytes = (uint32_t)r->number[LOCAL_BYTES];
    if (r->text[TIME])
        l->time = r->number[TIME];
    if (read_size(c, r, GRID, l->grid) || read_size(c, r, BLOCK, l->block))
        return -1;
    if (r->what == LAUNCHED)
        return 0;
    if (r->number[GROUP] >= l->groups)
        l->groups = (uint32_t)r->number[GROUP] + 1;
    if (r->number[WARP] >= l->warps)
        l->warps = (uint32_t)r->number[WARP] + 1;
    return 0;
}

static int check_launch(struct csv *c, struct launch *l, unsigned number)
{
    char what[100];
    uint64_t groups, items;
    snprintf(what, sizeof what, "launch %u", number);
    if (!l->grid[0])
        memcpy(l->grid, (uint32_t[3]){l->groups, 1, 1}, sizeof l->grid);
    if (!l->block[0])
        memcpy(l->block, (uint32_t[3]){l->warps * c->lanes, 1, 1}, sizeof l->block);
    if (!l->grid[0])
        return import_source_fail(&c->from, what, "it must have a row, since a later launch has one");
    if (!import_volume(l->grid, GWT_MAX_CTAS, &groups) || groups < l->groups)
        return import_source_fail(&c->from, what,
                                  "its grid must have 1 to 134217728 work-groups, and those of its rows");
    if (!l->block[0] || !import_volume(l->block, GWT_MAX_BLOCK, &items) ||
        gwt_warps_of((uint32_t)items, c->lanes) < l->warps)
        return import_source_fail(&c->from, what,
                                  "its block must have 1 to 4096 work-items, and the warps of its rows");
    return 0;
}

/* ---- events ---- */

/* "0xA" for all lanes, "0xA+S" or "0xA-S" with a distance, or one address for each active lane. */
static int read_addresses(struct csv *c, const struct row *r, uint32_t lanes)
{
    static const char allowed[] =
        "allowed are 0xADDRESS, 0xADDRESS+DISTANCE, or one 0xADDRESS for each active lane, "
        "with spaces between";
    struct gwt_event *e = &c->event;
    char *text = r->text[ADDRESSES];
    if (!text)
        return bad_field(c, ADDRESSES, "", allowed);
    char *sign = strpbrk(text, "+-"), *at = text;
    int64_t step = 0;
    unsigned n = 0;
    if (sign) {
        if (!import_decimal(sign + (*sign == '+'), &step))
            return bad_field(c, ADDRESSES, text, allowed);
        *sign = 0;
    }
    for (const char *word; (word = import_word(&at)); n++)
        if (n == lanes || !import_hex(word, &e->lane[n]))
            return bad_field(c, ADDRESSES, word, allowed);
    e->mask = r->text[MASK] ? r->number[MASK] : n > 1 ? gwt_lane_mask(n) : gwt_lane_mask(lanes);
    const unsigned active = (unsigned)__builtin_popcountll(e->mask);
    if (e->mask & ~gwt_lane_mask(lanes))
        return bad_field(c, MASK, r->text[MASK], "only existing lanes can be active");
    if (n == 1)
        for (unsigned i = 1; i < active; i++)
            e->lane[i] = e->lane[i - 1] + (uint64_t)step;
    else if (n != active || sign)
        return bad_field(c, ADDRESSES, text, allowed);
    for (unsigned i = 0; i < active; i++)
        if (e->lane[i] > GWT_VA_LIMIT - r->number[BYTES])
            return bad_field(c, ADDRESSES, text, "an access must end at or below 2^48");
    return 0;
}

static int send_event(struct csv *c, const struct row *r, uint32_t lanes, uint64_t gap)
{
    static const char kinds[] = "LSC";
    struct gwt_event *e = &c->event;
    struct gwt_pc pc = {.pc = r->text[PC] ? r->number[PC] : r->what,
                        .line = (uint32_t)r->number[SOURCE_LINE]};
    e->gap = (uint32_t)gap;
    e->kind = r->what == BARRIER ? GWT_BARRIER : r->what == EXIT ? GWT_EXIT : GWT_ACCESS;
    if (e->kind == GWT_ACCESS) {
        e->op = (uint8_t)r->what;
        e->bytes = (uint32_t)r->number[BYTES];
        pc.kind = kinds[r->what];
        pc.space = r->text[SPACE] && !strcmp(r->text[SPACE], "constant") ? GWT_CONSTANT : GWT_GLOBAL;
        if (read_addresses(c, r, lanes))
            return -1;
    }
    return import_source_send(&c->from, &(struct import_item){.kind = IMPORT_EVENT, .event = e, .pc = pc});
}

/* Where the rows are: of which launch, work-group and warp, and what the warp has issued. */
struct place {
    uint64_t launch, group, warp; /* group, warp: UINT64_MAX: none is open */
    uint64_t next_group;          /* the first one that was not sent */
    uint64_t issued;              /* instructions before the last event */
    uint32_t empty;               /* work-groups without rows */
    bool some, exited;
};

static uint32_t lanes_of(const struct csv *c, const struct place *p)
{
    const uint32_t *b = c->launch[p->launch - 1].block;
    return gwt_lanes_of(b[0] * b[1] * b[2], (uint32_t)p->warp, c->lanes);
}

/* A warp without a row for its end exits after its last event's instruction. */
static int end_warp(struct csv *c, struct place *p)
{
    const struct row exit = {.what = EXIT};
    int bad = p->warp == UINT64_MAX || p->exited ? 0 : send_event(c, &exit, 0, p->some);
    p->warp = UINT64_MAX;
    return bad;
}

static int end_group(struct csv *c, struct place *p)
{
    if (end_warp(c, p))
        return -1;
    int bad = p->group == UINT64_MAX
                  ? 0
                  : import_source_send(&c->from, &(struct import_item){.kind = IMPORT_CTA_END});
    p->group = UINT64_MAX;
    return bad;
}

/* Work-groups without rows exit at once. A wrong number would make many of them. */
static int groups_until(struct csv *c, struct place *p, uint64_t until)
{
    enum { MOST_EMPTY = 1 << 20 };
    for (; p->next_group < until; p->next_group++)
        if (p->empty++ == MOST_EMPTY)
            return import_source_fail(&c->from, "more than 1048576 work-groups without rows",
                                      "number the others from 0");
        else if (import_source_send(
                     &c->from, &(struct import_item){.kind = IMPORT_CTA, .id = (uint32_t)p->next_group}) ||
                 import_source_send(&c->from, &(struct import_item){.kind = IMPORT_CTA_END}))
            return -1;
    return 0;
}

static int end_launch(struct csv *c, struct place *p)
{
    if (!p->launch)
        return 0;
    const uint32_t *grid = c->launch[p->launch - 1].grid;
    return end_group(c, p) || groups_until(c, p, (uint64_t)grid[0] * grid[1] * grid[2]) ||
                   import_source_send(&c->from, &(struct import_item){.kind = IMPORT_KERNEL_END})
               ? -1
               : 0;
}

static int begin_launch(struct csv *c, struct place *p)
{
    struct launch *l = &c->launch[p->launch++];
    static char unnamed[] = "kernel";
    struct gwt_kernel k = {.name = l->name ? l->name : unnamed, .local_bytes = l->local_bytes};
    memcpy(k.grid, l->grid, sizeof k.grid);
    memcpy(k.block, l->block, sizeof k.block);
    p->next_group = 0;
    return import_source_send(&c->from,
                              &(struct import_item){.kind = IMPORT_KERNEL, .kernel = &k, .time = l->time});
}

/* Ends and begins launches, work-groups and warps, up to those of a row. */
static int move_to(struct csv *c, struct place *p, const struct row *r)
{
    while (p->launch < r->number[LAUNCH])
        if (end_launch(c, p) || begin_launch(c, p))
            return -1;
    if (r->what == LAUNCHED)
        return 0;
    if (p->group != r->number[GROUP]) {
        if (end_group(c, p) || groups_until(c, p, r->number[GROUP]) ||
            import_source_send(&c->from,
                               &(struct import_item){.kind = IMPORT_CTA, .id = (uint32_t)r->number[GROUP]}))
            return -1;
        p->group = r->number[GROUP];
        p->next_group = p->group + 1;
    }
    if (p->warp == r->number[WARP])
        return 0;
    if (end_warp(c, p))
        return -1;
    p->warp = r->number[WARP];
    p->issued = 0;
    p->some = p->exited = false;
    return import_source_send(&c->from, &(struct import_item){.kind = IMPORT_WARP, .id = (uint32_t)p->warp});
}

static int sorted_row(struct csv *c, struct place *p, const struct import_keyed *line)
{
    struct row r;
    c->from.line = line->number;
    if (read_row(c, line->text, &r) || move_to(c, p, &r))
        return -1;
    if (r.what == LAUNCHED)
        return 0;
    if (p->exited)
        return import_source_fail(&c->from, "a row after the warp's exit", "the exit is a warp's last row");
    const uint64_t at = r.text[INSTRUCTION] ? r.number[INSTRUCTION] : p->issued + p->some;
    if (at < p->issued)
        return bad_field(c, INSTRUCTION, r.text[INSTRUCTION],
                         "a warp's rows must be in the order of its instructions");
    const uint64_t gap = at - p->issued;
    p->issued = at;
    p->some = true;
    p->exited = r.what == EXIT;
    return send_event(c, &r, lanes_of(c, p), gap);
}

static int send_sorted(struct csv *c, struct import_group *g)
{
    struct place p = {.group = UINT64_MAX, .warp = UINT64_MAX};
    struct import_keyed line;
    int status;
    while (!(status = import_group_next(g, &line, c->from.err)))
        if (sorted_row(c, &p, &line))
            return -1;
    return status > 0 && !end_launch(c, &p) ? 0 : -1;
}

/* ---- the file ---- */

/* A row is read twice: here, and after sorting. */
static int collect(struct csv *c, struct import_group *g)
{
    char *line, *copy = NULL;
    int status;
    while (!(status = import_line(&c->from.lines, &line, c->from.err))) {
        struct row r;
        c->from.line = c->from.lines.line;
        if (!line[strspn(line, " \t")])
            continue;
        if (!c->fields) {
            if (read_header(c, line))
                return -1;
            continue;
        }
        copy = strdup(line);
        if (!copy)
            return import_source_fail(&c->from, "out of memory", "a row must fit");
        int bad = read_row(c, copy, &r) || note_launch(c, &r);
        free(copy);
        const struct import_keyed keyed = {
            r.number[LAUNCH] << 34 | (r.what == LAUNCHED ? 0 : r.number[GROUP] << 7 | r.number[WARP]),
            c->from.line, line};
        if (bad || import_group_add(g, &keyed, c->from.err))
            return -1;
    }
    if (status > 0 && !c->launches)
        return import_source_fail(&c->from, "no row",
                                  "the first line names the columns, the others are events: " ALL_COLUMNS);
    return status < 0 ? -1 : import_group_sort(g, c->from.err);
}

static int parse(struct csv *c)
{
    struct import_group *g = import_group_new(c->from.how->memory);
    int bad = g ? collect(c, g) : import_source_fail(&c->from, "out of memory", "more is needed");
    for (uint32_t i = 0; !bad && i < c->launches; i++)
        bad = check_launch(c, &c->launch[i], i + 1);
    bad = bad || send_sorted(c, g) ? -1 : 0;
    import_group_free(g);
    return bad;
}

int access_csv_parse(const char *path, const struct import_parsing *how, struct mp_error *err)
{
    struct csv *c = calloc(1, sizeof *c);
    if (!c)
        return mp_fail(err, "%s: out of memory", path);
    c->lanes = how->lanes;
    int bad = import_source_open(&c->from, path, how, err);
    if (!bad) {
        bad = parse(c);
        import_lines_close(&c->from.lines);
    }
    for (uint32_t i = 0; i < c->launches; i++)
        free(c->launch[i].name);
    free(c->launch);
    free(c);
    return bad;
}
