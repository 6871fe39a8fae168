/* SPDX-License-Identifier: Apache-2.0 */
/* A design of page tables alone: what a driver maps in them, and what a walk of an address reads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/block.h"
#include "cli/words.h"
#include "vm/page_table.h"

#define FORMATS                                                                                              \
    "  stimulus              response\n"                                                                     \
    "  M ASID VA PA BYTES    TABLES              maps the page of BYTES at VA to PA\n"                       \
    "  U ASID VA             PA BYTES            removes the page of VA; - if there is none\n"               \
    "  W ASID VA             PA BYTES READ ...   walks to VA: its physical address, its page's size, and\n"  \
    "                        - READ ...          the addresses that are read, in order; -: a page fault\n"   \
    "\n"                                                                                                     \
    "TABLES is the memory that tables have written until then, in B, by frames of 4096 B. Each address "     \
    "space has its own table, which its first line makes. What a table cannot do is refused, "               \
    "as is a line that is none of these: with its number, after the responses to the lines before it.\n"     \
    "\n"                                                                                                     \
    "Numbers are decimal or 0x-hex, addresses in responses 0x-hex. ASID is 0 to 7. BYTES is a size that "    \
    "the format has; VA and PA of a line M are multiples of it. A read of an entry of 16 B, or of a line "   \
    "of several entries, is named by the address where it begins. Blank lines and what follows a # are "     \
    "passed over, without a response.\n"

#define FRAMES (UINT64_C(1) << 20) /* of 4 KB, for tables; pages are anywhere */
#define VA     ((UINT64_C(1) << 57) - 1)
#define PA     ((UINT64_C(1) << 52) - 1)

/* ---- a stimulus ---- */

enum { ASID, ADDRESS, FRAME, BYTES, OPERANDS };

int replay_tables_parse(const char *line, size_t length, struct replay_tables_stimulus *s,
                        struct mp_error *err)
{
    static const char *const forms[] = {"M ASID VA PA BYTES", "U ASID VA", "W ASID VA", NULL};
    static const struct cli_operand operands[] = {[ASID] = {"ASID", MP_ASIDS - 1},
                                                  [ADDRESS] = {"VA", VA},
                                                  [FRAME] = {"PA", PA},
                                                  [BYTES] = {"BYTES", UINT64_C(1) << 40},
                                                  {0}};
    uint64_t value[OPERANDS];
    *s = (struct replay_tables_stimulus){0};
    int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op > 0)
        *s = (struct replay_tables_stimulus){.op = (char)op,
                                             .asid = (uint16_t)value[ASID],
                                             .va = value[ADDRESS],
                                             .pa = value[FRAME],
                                             .bytes = value[BYTES]};
    return op < 0 ? -1 : 0;
}

/* ---- the tables ---- */

struct replay_tables {
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_design_values own;
    struct mp_page_table of[MP_ASIDS]; /* with a memory if it has been made */
};

struct replay_tables *replay_tables_new(const struct mp_page_table_design *design,
                                        const struct mp_design_values *own,
                                        const struct mp_page_format *format)
{
    const struct mp_frames_params frames = {.bytes = FRAMES * MP_FRAME_BYTES, .page_bytes = MP_FRAME_BYTES};
    struct replay_tables *m = calloc(1, sizeof *m);
    if (!m || mp_physmem_init(&m->memory, frames.bytes) ||
        mp_frames_init(&m->frames, &mp_frames_ascending, &frames, NULL)) {
        replay_tables_free(m);
        return NULL;
    }
    m->own = *own;
    for (uint16_t asid = 0; asid < MP_ASIDS; asid++)
        m->of[asid] =
            (struct mp_page_table){.format = format, .frames = &m->frames, .asid = asid, .design = design};
    return m;
}

void replay_tables_free(struct replay_tables *m)
{
    if (!m)
        return;
    mp_frames_free(&m->frames);
    mp_physmem_free(&m->memory);
    free(m);
}

static int make(struct replay_tables *m, struct mp_page_table *t, struct mp_error *err)
{
    if (t->memory)
        return 0;
    t->memory = &m->memory;
    if (!mp_page_table_start(t, &m->own, err))
        return 0;
    t->memory = NULL;
    return -1;
}

static uint32_t shift_of(uint64_t bytes)
{
    return bytes ? (uint32_t)__builtin_ctzll(bytes) : 0;
}

static int check_map(const struct mp_page_format *f, const struct replay_tables_stimulus *s,
                     struct mp_error *err)
{
    char sizes[128] = "";
    unsigned n = 0;
    for (uint64_t left = f->pages; left && n < sizeof sizes; left &= left - 1)
        n += (unsigned)snprintf(sizes + n, sizeof sizes - n, "%s%" PRIu64, n ? ", " : "",
                                UINT64_C(1) << __builtin_ctzll(left));
    if (s->bytes & (s->bytes - 1) || !mp_page_format_has(f, shift_of(s->bytes)))
        return mp_fail(err, "BYTES: no pages of %" PRIu64 " B in format %s; %s", s->bytes, f->name, sizes);
    if ((s->va | s->pa) & (s->bytes - 1))
        return mp_fail(err, "%s: not aligned to %" PRIu64 " B; a multiple of that",
                       s->va & (s->bytes - 1) ? "VA" : "PA", s->bytes);
    return 0;
}

/* Formats have different numbers of bits for an address. */
static int map(struct mp_page_table *t, const struct replay_tables_stimulus *s, struct mp_error *err)
{
    uint64_t pa, old;
    uint32_t was = mp_page_table_find(t, s->va, &old);
    if (check_map(t->format, s, err) || mp_page_table_map(t, s->va, s->pa, shift_of(s->bytes), err) < 0)
        return -1;
    mp_page_table_find(t, s->va, &pa);
    if (pa == s->pa)
        return 0;
    mp_page_table_unmap(t, s->va, &pa);
    if (was)
        mp_page_table_map(t, s->va, old, was, NULL); /* it has been there */
    return mp_fail(err, "PA: 0x%" PRIx64 " does not fit an entry of format %s; a lower address", s->pa,
                   t->format->name);
}

static void walk(const struct mp_page_table *t, uint64_t va, struct replay_tables_response *r)
{
    struct mp_table_walk x = {.memory = t->memory,
                              .format = t->format,
                              .root = t->root,
                              .va = va,
                              .asid = t->asid,
                              .heads_first = t->heads_first};
    t->design->begin(&x);
    do
        r->read[r->reads++] = x.at;
    while (t->design->next(&x) && r->reads < REPLAY_MOST_READS);
    r->bytes = mp_page_table_find(t, va, &r->pa);
    r->bytes = r->bytes ? UINT64_C(1) << r->bytes : 0;
}

int replay_tables_apply(struct replay_tables *m, const struct replay_tables_stimulus *s,
                        struct replay_tables_response *r, struct mp_error *err)
{
    struct mp_page_table *t = &m->of[s->asid];
    *r = (struct replay_tables_response){0};
    if (s->va >> t->format->va_bits)
        return mp_fail(err, "VA: 0x%" PRIx64 " has more than the %u bits of format %s; a lower address",
                       s->va, t->format->va_bits, t->format->name);
    if (make(m, t, err) || (s->op == 'M' && map(t, s, err)))
        return -1;
    if (s->op == 'W')
        walk(t, s->va, r);
    if (s->op == 'U') {
        uint32_t page = mp_page_table_unmap(t, s->va, &r->pa);
        r->bytes = page ? UINT64_C(1) << page : 0;
    }
    r->tables = m->memory.present * MP_FRAME_BYTES;
    return 0;
}

/* ---- the command ---- */

struct values {
    struct replay_values of;
    const struct mp_page_table_design *design;
    struct mp_design_values own;
    const char *format, *page;
    struct replay_tables *tables;
};

enum { KEY_FORMAT = 'f', KEY_PAGE = 0x100 };

static const struct argp_option options[] = {
    {"policy", REPLAY_KEY_POLICY, "P", 0, "one of the designs below (default: radix)", 0},
    {"set", REPLAY_KEY_SET, "NAME=VALUE", 0, "a parameter of the design, listed below; may be given for each",
     0},
    {"format", KEY_FORMAT, "NAME", 0, "of the entries, listed below (default: mempath)", 0},
    {"page", KEY_PAGE, "BYTES", 0,
     "mempath's format with pages of this size only: 4096, 65536 or 2097152; mixed: with pages of all three "
     "(default: 4096)",
     0},
    {0},
};

static const char *policy(unsigned i, void *values)
{
    struct values *v = values;
    const struct mp_page_table_design **d = mp_page_table_designs;
    while (*d && i--)
        d++;
    if (v)
        v->design = *d;
    return *d ? (*d)->design.name : NULL;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    (void)err;
    if (key != KEY_FORMAT && key != KEY_PAGE)
        return ARGP_ERR_UNKNOWN;
    *(key == KEY_FORMAT ? &v->format : &v->page) = arg;
    return 0;
}

static const struct mp_page_format *own_format(const struct values *v, struct mp_error *err)
{
    static const uint64_t sizes[] = {4096, 65536, 2097152};
    char name[16];
    if (!strcmp(v->page, "mixed"))
        return &mp_page_format_mixed;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "%" PRIu64, sizes[i]);
        if (!strcmp(v->page, name))
            return mp_page_format(sizes[i]);
    }
    mp_fail(err, "--page: no format with pages of '%s'; 4096, 65536, 2097152 or mixed", v->page);
    return NULL;
}

static const struct mp_page_format *find_format(const struct values *v, struct mp_error *err)
{
    const char *names[16] = {"mempath"};
    const struct values *usual = v->of.block->usual;
    if (!strcmp(v->format, names[0]))
        return own_format(v, err);
    for (unsigned i = 0; mp_page_formats[i]; i++) {
        names[i + 1] = mp_page_formats[i]->name;
        if (strcmp(v->format, mp_page_formats[i]->name) != 0)
            continue;
        if (v->page == usual->page)
            return mp_page_formats[i];
        mp_fail(err, "--page: format %s has its own sizes; without --page", v->format);
        return NULL;
    }
    cli_unknown(err, v->format, names, "mempath replay tables --help lists them", "--format: no format '%s'",
                v->format);
    return NULL;
}

static int start(void *values, struct mp_error *err)
{
    static const char of_table[] = "table: ";
    struct values *v = values;
    struct mp_error why;
    const struct mp_page_format *f = find_format(v, err);
    if (!f || replay_own_values(&v->of.own, options, &v->design->design, &v->own, err))
        return -1;
    if (v->design->check && v->design->check(f, f->page_shift, &v->own, &why))
        return strncmp(why.text, of_table, strlen(of_table)) != 0
                   ? replay_fail_design(options, &why, err)
                   : mp_fail(err, "--policy: %s", why.text + strlen(of_table));
    v->tables = cli_have(replay_tables_new(v->design, &v->own, f));
    return 0;
}

static void end(void *values)
{
    replay_tables_free(((struct values *)values)->tables);
}

static void print(FILE *f, const struct replay_tables_stimulus *s, const struct replay_tables_response *r)
{
    if (s->op == 'M')
        replay_put_number(f, "", r->tables);
    else if (r->bytes)
        fprintf(f, "0x%" PRIx64 " %" PRIu64, r->pa, r->bytes);
    else
        replay_put_text(f, "-");
    for (uint32_t i = 0; i < r->reads; i++)
        fprintf(f, " 0x%" PRIx64, r->read[i]);
    replay_put_text(f, "\n");
}

static void print_json(struct out_json *j, const struct replay_tables_stimulus *s,
                       const struct replay_tables_response *r)
{
    if (s->op == 'M') {
        json_count(j, "table_bytes", r->tables);
        return;
    }
    if (r->bytes) {
        json_count(j, "pa", r->pa);
        json_count(j, "bytes", r->bytes);
    } else {
        json_flag(j, "fault", true);
    }
    if (s->op != 'W')
        return;
    json_array(j, "reads");
    for (uint32_t i = 0; i < r->reads; i++)
        json_count(j, NULL, r->read[i]);
    json_end_array(j);
}

static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    struct values *v = values;
    struct replay_tables_stimulus s;
    struct replay_tables_response r;
    if (replay_tables_parse(line, length, &s, err) || replay_tables_apply(v->tables, &s, &r, err))
        return -1;
    if (to->j)
        print_json(to->j, &s, &r);
    else
        print(to->f, &s, &r);
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct values *v = values;
    json_text(j, "policy", v->design->design.name);
    json_text(j, "format", v->format);
    if (!strcmp(v->format, "mempath"))
        json_text(j, "page", v->page);
    for (unsigned i = 0; i < mp_design_nparams(&v->design->design); i++)
        json_count(j, mp_design_param_name(&v->design->design.params[i]), v->own.v[i]);
}

static void choices(FILE *f)
{
    fputs("\nDesigns, with their parameters:\n", f);
    for (const struct mp_page_table_design **d = mp_page_table_designs; *d; d++)
        replay_print_design(f, &(*d)->design);
    fputs("\nFormats, with the sizes of their pages in B:\n  mempath: 4096, 65536, 2097152\n", f);
    for (unsigned i = 0; mp_page_formats[i]; i++) {
        fprintf(f, "  %s:", mp_page_formats[i]->name);
        for (uint64_t left = mp_page_formats[i]->pages; left; left &= left - 1)
            fprintf(f, "%s %" PRIu64, left == mp_page_formats[i]->pages ? "" : ",",
                    UINT64_C(1) << __builtin_ctzll(left));
        fputs("\n", f);
    }
}

static const struct values usual = {
    .of = {.chosen = true}, .design = &mp_page_table_radix, .format = "mempath", .page = "4096"};

const struct replay_block replay_tables = {
    .name = "tables",
    .summary = "page tables: what walks read",
    .about = "Drives a design of page tables in a format, without a GPU: a driver's changes and walks.",
    .formats = FORMATS,
    .choices = choices,
    .examples =
        "  printf 'M 0 0x40000000 0x200000 4096\\nW 0 0x40000010\\nW 0 0\\n' | mempath replay tables -\n"
        "    16384\n"
        "    0x200010 4096 0xfffff000 0xffffe008 0xffffd000 0xffffc000\n"
        "    - 0xfffff000 0xffffe000\n"
        "  mempath replay tables --policy hashed --set lines=64 mapped.txt\n"
        "  mempath replay tables --format nvidia-v3 --json mapped.txt",
    .options = options,
    .usual = &usual,
    .bytes = sizeof usual,
    .policy = policy,
    .option = option,
    .start = start,
    .free = end,
    .head = head,
    .respond = respond,
};
