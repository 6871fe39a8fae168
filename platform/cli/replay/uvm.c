/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/uvm.h"

#define FORMATS                                                                                              \
    "  stimulus                response\n"                                                                   \
    "  R ASID VA BYTES [ro]    blocks=K               a managed range, perhaps read only\n"                  \
    "  Q ASID RESERVE LIMIT    reserve=R limit=L      a space's chunks, before it has memory\n"              \
    "  F T SM ASID VA ACCESS   entry K, or full       a fault; K are in the buffer now\n"                    \
    "  B T                     [evict ... |] [block ... |] batch entries=E merged=M duplicates=D "           \
    "dropped=X\n"                                                                                            \
    "                          left=Y replays=R       a batch is served\n"                                   \
    "  A T ASID VA ACCESS      hit, remote C [notice], or fault\n"                                           \
    "                                                 an access of the GPU; C remote ones were counted\n"    \
    "  H T ASID VA ACCESS      zero, host, remote, hold END, move PAGES [pinned], or refused\n"              \
    "                                                 an access of the host\n"                               \
    "  N T ASID VA BIGS COUNT  remote C [notice], or fault\n"                                                \
    "                                                 COUNT accesses of a granule, which hardware counted\n" \
    "  C T                     as B, then notices=K left=L\n"                                                \
    "                                                 notices of access counters are served\n"               \
    "  E T                     [evict ... |] evicted=N spare=F\n"                                            \
    "                                                 units leave before others need them\n"                 \
    "  U T ASID VA             freed pages=P units=U  the range that begins at VA ends\n"                    \
    "  D ASID                  units=U [| N gpu=... remote=... thrashing=... pinned=...]\n"                  \
    "                                                 what a space has\n"                                    \
    "\n"                                                                                                     \
    "Parts of B, C and E: evict ASID:N back=PAGES drop=PAGES is a unit that leaves; block ASID:N fault= "    \
    "prefetch= zero= copy= remote= held= done= cancel= ignore= is the service of a block, which C has up "   \
    "to copy. BIGS has a bit for each 64 KB of the aligned 2 MB. N is the address of the aligned 2 MB, "     \
    "divided by 2 MB. PAGES counts from there: 0-15,17, or "                                                 \
    "- for none. ACCESS is r, w, a (atomic), and of faults also p (prefetch). T is in ns, from 1, and "      \
    "never "                                                                                                 \
    "goes back. Numbers are decimal or 0x-hex, responses are decimal. ASID is at most 7, SM at most 65535, " \
    "VA has at most 57 bits. Blank lines and what follows a # are passed over, without a response. A line "  \
    "that is none of these, a range that overlaps another or is not of whole pages, a range that is not "    \
    "there, and reserves above the pool, are refused with their number, after the responses to the lines "   \
    "before.\n"

struct values {
    struct replay_values of;
    struct mp_uvm_params p;
    struct replay_uvm model;
};

/* ---- options ---- */

enum {
    KEY_PREFETCH = 0x100,
    KEY_PREFETCH_FULL,
    KEY_EVICT,
    KEY_MIGRATE,
    KEY_LINK,
    KEY_REPLAY,
    KEY_WRITEBACK,
    KEY_THRASHING,
    KEY_LAPSE,
    KEY_SEED,
    KEY_NUMBER /* and those after it: position in `numbers` */
};

#define AT(member) offsetof(struct mp_uvm_params, member)

static const size_t numbers[] = {AT(page_bytes), AT(chunks), AT(batch),     AT(entries),       AT(threshold),
                                 AT(min_faults), AT(events), AT(throttles), AT(nap),           AT(epoch),
                                 AT(pin),        AT(resets), AT(counter),   AT(granule_bytes), AT(penalty)};

static const struct argp_option options[] = {
    {"prefetch", KEY_PREFETCH, "DESIGN", 0, "pages that come along, one of those below (default: tree)", 0},
    {"prefetch-full", KEY_PREFETCH_FULL, "DESIGN", 0, "after the first eviction (default: same)", 0},
    {"evict", KEY_EVICT, "DESIGN", 0, "units that leave (default: driver)", 0},
    {"migrate", KEY_MIGRATE, "DESIGN", 0, "when pages of the host move (default: first-touch)", 0},
    {"link", KEY_LINK, "L", 0, "pcie, or c2c: the host maps the GPU's memory, too (default: pcie)", 0},
    {"page", KEY_NUMBER, "B", 0, "4096 or 65536 (default: 4096)", 0},
    {"chunks", KEY_NUMBER + 1, "N", 0, "2 MB of the pool, 1 to 65536 (default: 16)", 0},
    {"batch", KEY_NUMBER + 2, "N", 0, "faults of a batch, 1 to 4096 (default: 256)", 0},
    {"entries", KEY_NUMBER + 3, "N", 0, "of the fault buffer, 1 to 1048576 (default: 4096)", 0},
    {"replay-policy", KEY_REPLAY, "P", 0, "batch_flush, batch, block or once (default: batch_flush)", 0},
    {"threshold", KEY_NUMBER + 4, "PERCENT", 0, "of tree, 1 to 100 (default: 51)", 0},
    {"min-faults", KEY_NUMBER + 5, "N", 0, "of tree, 1 to 20 (default: 1)", 0},
    {"writeback", KEY_WRITEBACK, "W", 0, "all, or dirty: only dirty pages (default: all)", 0},
    {"seed", KEY_SEED, "N", 0, "of draws, not 0 (default: 1)", 0},
    {"thrashing", KEY_THRASHING, "on|off", 0,
     "whether pages that both want are held and pinned (default: on)", 0},
    {"events", KEY_NUMBER + 6, "N", 0, "migrations of a page that thrashes, 1 to 7 (default: 3)", 0},
    {"throttles", KEY_NUMBER + 7, "N", 0, "holds before a page is pinned, 1 to 255 (default: 10)", 0},
    {"lapse", KEY_LAPSE, "NS", 0, "between two events of a page (default: 500000)", 0},
    {"nap", KEY_NUMBER + 8, "LAPSES", 0, "of a hold, 1 to 100 (default: 1)", 0},
    {"epoch", KEY_NUMBER + 9, "LAPSES", 0, "after which a block is forgotten (default: 2000)", 0},
    {"pin", KEY_NUMBER + 10, "LAPSES", 0, "of a pin, 0 for ever (default: 300)", 0},
    {"resets", KEY_NUMBER + 11, "N", 0, "times that a block is forgotten, at most 255 (default: 4)", 0},
    {"counter", KEY_NUMBER + 12, "N", 0, "remote accesses that give a notice, 1 to 65535 (default: 256)", 0},
    {"granule", KEY_NUMBER + 13, "B", 0, "of a counter, 65536 or 2097152 (default: 2097152)", 0},
    {"penalty", KEY_NUMBER + 14, "N", 0, "of adaptive, 1 to 64 (default: 2)", 0},
    {0},
};

/* Finds the word in a list that ends with NULL; -1 with "--NAME: ..." in err. */
static int word(const char *name, const char *arg, const char *const *words, struct mp_error *err)
{
    char all[256];
    size_t n = 0;
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], arg))
            return i;
    for (int i = 0; words[i] && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s",
                              !i             ? ""
                              : words[i + 1] ? ", "
                                             : " or ",
                              words[i]);
    return cli_unknown(err, arg, words, all, "--%s: no '%s'", name, arg);
}

static int design(const char *name, const char *arg, const struct mp_design *const *list,
                  struct mp_error *err)
{
    const char *names[64] = {0};
    for (int i = 0; list[i] && i < 63; i++)
        names[i] = list[i]->name;
    return word(name, arg, names, err);
}

static const char *const replays[] = {[MP_UVM_REPLAY_BATCH_FLUSH] = "batch_flush",
                                      [MP_UVM_REPLAY_BATCH] = "batch",
                                      [MP_UVM_REPLAY_BLOCK] = "block",
                                      [MP_UVM_REPLAY_ONCE] = "once",
                                      NULL};

static int choose(struct mp_uvm_params *p, int key, const char *arg, struct mp_error *err)
{
    static const char *const links[] = {"pcie", "c2c", NULL}, *const dirty[] = {"all", "dirty", NULL};
    static const char *const off_on[] = {"off", "on", NULL};
    int i;
    switch (key) {
    case KEY_PREFETCH:
        if ((i = design("prefetch", arg, mp_uvm_prefetch_designs, err)) >= 0)
            p->prefetch = mp_uvm_prefetches[i];
        return i;
    case KEY_PREFETCH_FULL:
        if (!strcmp(arg, "same"))
            return p->prefetch_full = NULL, 0;
        if ((i = design("prefetch-full", arg, mp_uvm_prefetch_designs, err)) >= 0)
            p->prefetch_full = mp_uvm_prefetches[i];
        return i;
    case KEY_EVICT:
        if ((i = design("evict", arg, mp_uvm_evict_designs, err)) >= 0)
            p->evict = mp_uvm_evicts[i];
        return i;
    case KEY_MIGRATE:
        if ((i = design("migrate", arg, mp_uvm_migrate_designs, err)) >= 0)
            p->migrate = mp_uvm_migrates[i];
        return i;
    case KEY_LINK:
        if ((i = word("link", arg, links, err)) >= 0)
            p->c2c = i;
        return i;
    case KEY_WRITEBACK:
        if ((i = word("writeback", arg, dirty, err)) >= 0)
            p->write_back_dirty = i;
        return i;
    case KEY_THRASHING:
        if ((i = word("thrashing", arg, off_on, err)) >= 0)
            p->thrashing = i;
        return i;
    default:
        if ((i = word("replay-policy", arg, replays, err)) >= 0)
            p->replay = (enum mp_uvm_replay)i;
        return i;
    }
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct mp_uvm_params *p = &((struct values *)values)->p;
    char name[24];
    const struct argp_option *o = options;
    while (o->key != key && o->name)
        o++;
    snprintf(name, sizeof name, "--%s", o->name ? o->name : "");
    if (!o->name)
        return ARGP_ERR_UNKNOWN;
    if (key >= KEY_NUMBER)
        return replay_option(name, arg, 0, UINT32_MAX, (uint32_t *)((char *)p + numbers[key - KEY_NUMBER]),
                             err);
    if (key == KEY_LAPSE || key == KEY_SEED)
        return cli_number(name, arg, 1, UINT64_MAX, key == KEY_LAPSE ? &p->lapse : &p->seed, err);
    return choose(p, key, arg, err) < 0 ? -1 : 0;
}

/* ---- the command ---- */

static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    struct mp_error why;
    v->p.ranges = 65536;
    v->p.sms = 65536;
    v->p.blocks =
        v->p.evict->unit ? 262144 : 65536; /* 512 GB; 128 GB in units of a page, of which there are more */
    if (mp_uvm_check(&v->p, &why))
        return replay_fail_design(options, &why, err);
    v->model.model = mp_uvm_init(cli_alloc(1, mp_uvm_bytes(&v->p)), &v->p);
    return 0;
}

static void end(void *values)
{
    free(((struct values *)values)->model.model);
}

static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    struct replay_uvm_stimulus s;
    return replay_uvm_parse(line, length, &s, err) ||
                   replay_uvm_respond(&((struct values *)values)->model, &s, to, err)
               ? -1
               : 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct mp_uvm_params *p = &((const struct values *)values)->p;
    json_text(j, "prefetch", p->prefetch->design.name);
    json_text(j, "prefetch_full", p->prefetch_full ? p->prefetch_full->design.name : "same");
    json_text(j, "evict", p->evict->design.name);
    json_text(j, "migrate", p->migrate->design.name);
    json_text(j, "link", p->c2c ? "c2c" : "pcie");
    json_text(j, "replay_policy", replays[p->replay]);
    json_text(j, "writeback", p->write_back_dirty ? "dirty" : "all");
    json_flag(j, "thrashing", p->thrashing);
    json_count(j, "lapse", p->lapse);
    json_count(j, "seed", p->seed);
    for (const struct argp_option *o = options; o->name; o++)
        if (o->key >= KEY_NUMBER) {
            char name[24];
            snprintf(name, sizeof name, "%s", o->name);
            for (char *c = name; *c; c++)
                *c = *c == '-' ? '_' : *c;
            json_count(j, name, *(const uint32_t *)((const char *)p + numbers[o->key - KEY_NUMBER]));
        }
}

static void list(FILE *f, const char *title, const struct mp_design *const *designs)
{
    fprintf(f, "\n%s:\n", title);
    for (; *designs; designs++)
        replay_print_design(f, *designs);
}

static void choices(FILE *f)
{
    list(f, "--prefetch", mp_uvm_prefetch_designs);
    list(f, "--evict", mp_uvm_evict_designs);
    list(f, "--migrate", mp_uvm_migrate_designs);
}

static const struct values usual = {.of = {.chosen = true}, .p = MP_UVM_USUAL};

const struct replay_block replay_uvm = {
    .name = "uvm",
    .summary = "unified memory: what a driver decides when pages fault",
    .about =
        "Drives the decisions of a driver of unified memory, without a GPU and without costs: pages move at "
        "faults, some come along, units leave, pages that both processors want are held or pinned.",
    .formats = FORMATS,
    .choices = choices,
    .examples =
        "  printf 'R 0 0x40000000 0x400000\\nF 1 0 0 0x40000000 r\\nB 1\\nD 0\\n' | mempath replay uvm -\n"
        "    blocks=2\n"
        "    entry 1\n"
        "    block 0:512 fault=0 prefetch=1-15 zero=0-15 copy=- remote=- held=- done=- cancel=- ignore=- | "
        "batch entries=1 merged=0 duplicates=0 dropped=0 left=0 replays=1\n"
        "    units=1 | 512 gpu=0-15 remote=- thrashing=- pinned=-\n"
        "  mempath replay uvm --evict lru4k --chunks 64 --prefetch none faults.txt\n"
        "  mempath replay uvm --migrate counter --counter 8 --json faults.txt",
    .options = options,
    .usual = &usual,
    .bytes = sizeof usual,
    .option = option,
    .start = start,
    .free = end,
    .head = head,
    .respond = respond,
};
