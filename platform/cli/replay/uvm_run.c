/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/replay/uvm.h"
#include "cli/words.h"

/* ---- a stimulus ---- */

#define MOST_TIME (UINT64_C(1) << 62)
#define MOST_SM   65535u
#define MOST_VA   ((UINT64_C(1) << MP_UVM_VA_BITS) - 1)

enum { T, SM, ASID, VA, BYTES, RESERVE, LIMIT, ACCESS, BIGS, COUNT, OPERANDS };

static const char *const forms[] = {"R ASID VA BYTES",
                                    "Q ASID RESERVE LIMIT",
                                    "F T SM ASID VA ACCESS",
                                    "B T",
                                    "A T ASID VA ACCESS",
                                    "H T ASID VA ACCESS",
                                    "N T ASID VA BIGS COUNT",
                                    "C T",
                                    "E T",
                                    "U T ASID VA",
                                    "D ASID",
                                    NULL};

static const struct cli_operand operands[] = {[T] = {"T", MOST_TIME},
                                              [SM] = {"SM", MOST_SM},
                                              [ASID] = {"ASID", MP_UVM_SPACES - 1},
                                              [VA] = {"VA", MOST_VA},
                                              [BYTES] = {"BYTES", MOST_VA + 1},
                                              [RESERVE] = {"RESERVE", UINT32_MAX},
                                              [LIMIT] = {"LIMIT", UINT32_MAX},
                                              [ACCESS] = {"ACCESS", .letters = "prwa"},
                                              [BIGS] = {"BIGS", UINT32_MAX},
                                              [COUNT] = {"COUNT", UINT16_MAX},
                                              {0}};

/* Removes the word "ro" from the end of an R line. */
static bool is_read_only(const char *line, size_t *length)
{
    struct cli_words words = cli_words(line, *length);
    size_t n = cli_word(&words);
    if (n != 1 || *words.at != 'R')
        return false;
    while (n && !(n == 2 && !memcmp(words.at, "ro", 2))) {
        words.at += n;
        n = cli_word(&words);
    }
    const char *end = words.at;
    words.at += n;
    if (!n || cli_word(&words))
        return false;
    *length = (size_t)(end - line);
    return true;
}

int replay_uvm_parse(const char *line, size_t length, struct replay_uvm_stimulus *s, struct mp_error *err)
{
    uint64_t value[OPERANDS];
    *s = (struct replay_uvm_stimulus){0};
    const bool read_only = is_read_only(line, &length);
    const int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op <= 0)
        return op;
    if (strchr("FBAHNCEU", op) && !value[T])
        return mp_fail(err, "T '0' is too small; T is in ns, from 1");
    if (strchr("AH", op) && value[ACCESS] == MP_UVM_PREFETCH)
        return mp_fail(err, "ACCESS 'p' is of faults only; r, w or a");
    *s = (struct replay_uvm_stimulus){.op = (char)op,
                                      .asid = (uint8_t)value[ASID],
                                      .read_only = read_only,
                                      .access = (enum mp_uvm_access)value[ACCESS],
                                      .sm = (uint32_t)value[SM],
                                      .reserve = (uint32_t)value[RESERVE],
                                      .limit = (uint32_t)value[LIMIT],
                                      .bigs = (uint32_t)value[BIGS],
                                      .count = (uint32_t)value[COUNT],
                                      .now = value[T],
                                      .va = value[VA],
                                      .bytes = value[BYTES]};
    return 0;
}

/* ---- responses ---- */

/* Pages as 0-15,17, or -. */
static void print_pages(FILE *f, const struct mp_uvm_mask *m)
{
    uint32_t first = mp_uvm_next(m, 0);
    if (first == MP_UVM_PAGES)
        putc_unlocked('-', f);
    for (const char *before = ""; first < MP_UVM_PAGES; before = ",") {
        uint32_t last = first;
        while (last + 1 < MP_UVM_PAGES && mp_uvm_has(m, last + 1))
            last++;
        replay_put_number(f, before, first);
        if (last > first)
            replay_put_number(f, "-", last);
        first = mp_uvm_next(m, last + 1);
    }
}

static void json_pages(struct out_json *j, const char *name, const struct mp_uvm_mask *m)
{
    char text[4 * MP_UVM_PAGES];
    FILE *f = fmemopen(text, sizeof text, "w");
    if (!f)
        return;
    print_pages(f, m);
    fclose(f);
    json_text(j, name, text);
}

struct member {
    const char *name;
    size_t offset;
};

/* The sets of pages of a structure, which end with a NULL name. */
static void put_sets(const struct replay_to *to, const void *of, const struct member *members)
{
    for (const struct member *m = members; m->name; m++) {
        const struct mp_uvm_mask *pages = (const void *)((const char *)of + m->offset);
        if (to->j) {
            json_pages(to->j, m->name, pages);
            continue;
        }
        putc_unlocked(' ', to->f);
        replay_put_text(to->f, m->name);
        putc_unlocked('=', to->f);
        print_pages(to->f, pages);
    }
}

/* Numbers as "a=1 b=2", the first without a blank before it. */
static void put_numbers(const struct replay_to *to, const char *const *names, const uint64_t *values)
{
    for (unsigned i = 0; names[i]; i++)
        if (to->j) {
            json_count(to->j, names[i], values[i]);
        } else {
            replay_put_text(to->f, i ? " " : "");
            replay_put_text(to->f, names[i]);
            replay_put_number(to->f, "=", values[i]);
        }
}

static void put_word(const struct replay_to *to, const char *word)
{
    if (to->j)
        json_text(to->j, "what", word);
    else
        replay_put_text(to->f, word);
}

/* A word, and the block of which the sets are. */
static void begin_part(const struct replay_to *to, const char *what, uint8_t asid, uint64_t block)
{
    if (to->j) {
        json_object(to->j, NULL);
        json_text(to->j, "what", what);
        json_count(to->j, "asid", asid);
        json_count(to->j, "block", block);
        return;
    }
    replay_put_text(to->f, what);
    replay_put_number(to->f, " ", asid);
    replay_put_number(to->f, ":", block);
}

static void end_part(const struct replay_to *to)
{
    if (to->j)
        json_end_object(to->j);
    else
        replay_put_text(to->f, " | ");
}

/* ---- services ---- */

#define SET(structure, name)                                                                                 \
    {                                                                                                        \
#name, offsetof(struct structure, name)                                                              \
    }

static const struct member victim_sets[] = {SET(mp_uvm_victim, back), SET(mp_uvm_victim, drop), {0}};
static const struct member fault_sets[] = {SET(mp_uvm_service, fault),  SET(mp_uvm_service, prefetch),
                                           SET(mp_uvm_service, zero),   SET(mp_uvm_service, copy),
                                           SET(mp_uvm_service, remote), SET(mp_uvm_service, held),
                                           SET(mp_uvm_service, done),   SET(mp_uvm_service, cancel),
                                           SET(mp_uvm_service, ignore), {0}};
static const struct member notice_sets[] = {SET(mp_uvm_service, fault),
                                            SET(mp_uvm_service, prefetch),
                                            SET(mp_uvm_service, zero),
                                            SET(mp_uvm_service, copy),
                                            {0}};
static const struct member state_sets[] = {SET(mp_uvm_state, gpu),
                                           SET(mp_uvm_state, remote),
                                           SET(mp_uvm_state, thrashing),
                                           SET(mp_uvm_state, pinned),
                                           {0}};

static void evicted(void *context, const struct mp_uvm_victim *v)
{
    begin_part(context, "evict", v->asid, v->block);
    put_sets(context, v, victim_sets);
    end_part(context);
}

static void faults_served(void *context, const struct mp_uvm_service *s)
{
    begin_part(context, "block", s->asid, s->block);
    put_sets(context, s, fault_sets);
    end_part(context);
}

static void notice_served(void *context, const struct mp_uvm_service *s)
{
    begin_part(context, "block", s->asid, s->block);
    put_sets(context, s, notice_sets);
    end_part(context);
}

static void begin_parts(const struct replay_to *to)
{
    if (to->j)
        json_array(to->j, "parts");
}

static void end_parts(const struct replay_to *to)
{
    if (to->j)
        json_end_array(to->j);
}

static void serve_batch(struct mp_uvm *u, const struct replay_to *to)
{
    static const char *const names[] = {"entries", "merged",  "duplicates", "dropped",
                                        "left",    "replays", NULL};
    const struct mp_uvm_report report = {evicted, faults_served, (void *)to};
    begin_parts(to);
    const struct mp_uvm_batch b = mp_uvm_serve(u, &report);
    end_parts(to);
    if (!to->j)
        replay_put_text(to->f, "batch ");
    put_numbers(to, names,
                (const uint64_t[]){b.entries, b.merged, b.duplicates, b.dropped, b.left, b.replays});
}

static void serve_notices(struct mp_uvm *u, const struct replay_to *to)
{
    static const char *const names[] = {"notices", "left", NULL};
    const struct mp_uvm_report report = {evicted, notice_served, (void *)to};
    begin_parts(to);
    const struct mp_uvm_noticed n = mp_uvm_notices(u, &report);
    end_parts(to);
    put_numbers(to, names, (const uint64_t[]){n.notices, n.left});
}

static void evict_ahead(struct mp_uvm *u, const struct replay_to *to)
{
    static const char *const names[] = {"evicted", "spare", NULL};
    const struct mp_uvm_report report = {evicted, faults_served, (void *)to};
    begin_parts(to);
    const uint64_t units = mp_uvm_evict_ahead(u, &report);
    end_parts(to);
    put_numbers(to, names, (const uint64_t[]){units, mp_uvm_spare_units(u)});
}

/* ---- the other stimuli ---- */

static int begin_range(struct mp_uvm *u, const struct replay_uvm_stimulus *s, const struct replay_to *to,
                       struct mp_error *err)
{
    const uint64_t blocks = mp_uvm_open(u, s->asid, s->va, s->bytes, s->read_only, err);
    if (!blocks)
        return -1;
    put_numbers(to, (const char *const[]){"blocks", NULL}, &blocks);
    return 0;
}

static int end_range(struct mp_uvm *u, const struct replay_uvm_stimulus *s, const struct replay_to *to,
                     struct mp_error *err)
{
    struct mp_uvm_freed freed;
    if (mp_uvm_close(u, s->asid, s->va, &freed, err))
        return -1;
    if (!to->j)
        replay_put_text(to->f, "freed ");
    put_numbers(to, (const char *const[]){"pages", "units", NULL},
                (const uint64_t[]){freed.pages, freed.units});
    return 0;
}

static int set_quota(struct mp_uvm *u, const struct replay_uvm_stimulus *s, const struct replay_to *to,
                     struct mp_error *err)
{
    if (mp_uvm_quota(u, s->asid, s->reserve, s->limit, err))
        return -1;
    put_numbers(to, (const char *const[]){"reserve", "limit", NULL},
                (const uint64_t[]){s->reserve, s->limit});
    return 0;
}

static void enter_fault(struct mp_uvm *u, const struct replay_uvm_stimulus *s, const struct replay_to *to)
{
    const uint32_t entries = mp_uvm_fault(u, s->sm, s->asid, s->va, s->access);
    put_word(to, entries ? "entry" : "full");
    if (entries && to->j)
        json_count(to->j, "entries", entries);
    else if (entries)
        replay_put_number(to->f, " ", entries);
}

/* An access of the GPU, or those that a notice reports. */
static void put_hit(const struct mp_uvm_hit hit, const struct replay_to *to)
{
    static const char *const words[] = {
        [MP_UVM_FAULTS] = "fault", [MP_UVM_HITS] = "hit", [MP_UVM_REMOTE] = "remote"};
    put_word(to, words[hit.what]);
    if (hit.what != MP_UVM_REMOTE)
        return;
    if (to->j) {
        json_count(to->j, "count", hit.count);
        json_flag(to->j, "notice", hit.notice);
    } else {
        replay_put_number(to->f, " ", hit.count);
        replay_put_text(to->f, hit.notice ? " notice" : "");
    }
}

static void access_of_host(struct mp_uvm *u, const struct replay_uvm_stimulus *s, const struct replay_to *to)
{
    static const char *const words[] = {
        [MP_UVM_REFUSED] = "refused", [MP_UVM_ZEROED] = "zero", [MP_UVM_HOST] = "host",
        [MP_UVM_MAPPED] = "remote",   [MP_UVM_HELD] = "hold",   [MP_UVM_MOVED] = "move"};
    const struct mp_uvm_moved moved = mp_uvm_host(u, s->asid, s->va, s->access);
    put_word(to, words[moved.what]);
    if (moved.what == MP_UVM_HELD) {
        if (to->j)
            json_count(to->j, "end", moved.end);
        else
            replay_put_number(to->f, " ", moved.end);
    } else if (moved.what == MP_UVM_MOVED && to->j) {
        json_pages(to->j, "pages", &moved.pages);
        json_flag(to->j, "pinned", moved.pinned);
    } else if (moved.what == MP_UVM_MOVED) {
        putc_unlocked(' ', to->f);
        print_pages(to->f, &moved.pages);
        replay_put_text(to->f, moved.pinned ? " pinned" : "");
    }
}

static void put_block(void *context, const struct mp_uvm_state *state)
{
    const struct replay_to *to = context;
    if (to->j) {
        json_object(to->j, NULL);
        json_count(to->j, "block", state->block);
    } else {
        replay_put_number(to->f, " | ", state->block);
    }
    put_sets(to, state, state_sets);
    if (to->j)
        json_end_object(to->j);
}

static void dump(const struct mp_uvm *u, uint8_t asid, const struct replay_to *to)
{
    const uint64_t units = mp_uvm_units(u, asid);
    put_numbers(to, (const char *const[]){"units", NULL}, &units);
    if (to->j)
        json_array(to->j, "blocks");
    mp_uvm_dump(u, asid, put_block, (void *)to);
    if (to->j)
        json_end_array(to->j);
}

static int respond(struct mp_uvm *u, const struct replay_uvm_stimulus *s, const struct replay_to *to,
                   struct mp_error *err)
{
    switch (s->op) {
    case 'R':
        return begin_range(u, s, to, err);
    case 'U':
        return end_range(u, s, to, err);
    case 'Q':
        return set_quota(u, s, to, err);
    case 'F':
        return enter_fault(u, s, to), 0;
    case 'B':
        return serve_batch(u, to), 0;
    case 'C':
        return serve_notices(u, to), 0;
    case 'E':
        return evict_ahead(u, to), 0;
    case 'A':
        return put_hit(mp_uvm_gpu(u, s->asid, s->va, s->access), to), 0;
    case 'N':
        return put_hit(mp_uvm_counted(u, s->asid, s->va, s->bigs, s->count), to), 0;
    case 'H':
        return access_of_host(u, s, to), 0;
    default:
        return dump(u, s->asid, to), 0;
    }
}

int replay_uvm_respond(struct replay_uvm *r, const struct replay_uvm_stimulus *s, const struct replay_to *to,
                       struct mp_error *err)
{
    if (s->now && s->now < r->now)
        return mp_fail(err, "T '%" PRIu64 "' is before %" PRIu64 "; time does not go back", s->now, r->now);
    if (s->now)
        mp_uvm_at(r->model, r->now = s->now);
    if (respond(r->model, s, to, err))
        return -1;
    if (!to->j)
        putc_unlocked('\n', to->f);
    return 0;
}
