/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/block.h"
#include "cli/words.h"

#define FORMATS                                                                                              \
    "  stimulus            response\n"                                                                       \
    "  L SM ASID VPN PFN   WHO PFN CYCLES probes=P load=0|1 out=ASID:VPN   a request\n"                      \
    "  V ASID VPN          invalidated=N     a page is invalidated, N translations gone in all TLBs\n"       \
    "  A ASID              invalidated=N     an address space\n"                                             \
    "  F                   invalidated=N     everything\n"                                                   \
    "  D SM                TAG:MAP ...       the directory of an L1 TLB, oldest entry first\n"               \
    "\n"                                                                                                     \
    "The PFN of a request is what the L2 TLB would answer. WHO is hit (the TLB itself), "                    \
    "smK (the TLB of SM K), or miss (the L2 TLB). P is the number of TLBs that were asked. "                 \
    "load=1: TLB SM has stored the translation, and out is what it evicted for it (- for nothing). "         \
    "A translation has the frame of the TLB it comes from, even if stimuli have given the page "             \
    "another one since.\n"                                                                                   \
    "\n"                                                                                                     \
    "MAP is three digits: whether the left neighbour (SM - 1), the TLB itself and "                          \
    "the right neighbour (SM + 1) hold the page; a * follows if the bit of twice-entry is set. "             \
    "The response is - if the directory is empty or the policy has none.\n"                                  \
    "\n"                                                                                                     \
    "Numbers are decimal or 0x-hex, responses are decimal. VPN and PFN count pages: VPN has at most 45 "     \
    "bits, PFN 40, ASID 16. Blank lines and what follows a # are passed over, without a response. A line "   \
    "that is none of these is refused with its number, after the responses to the lines before it.\n"

/* ---- a stimulus ---- */

enum { SM, ASID, VPN, PFN, OPERANDS };

int replay_neighbours_parse(const char *line, size_t length, uint32_t sms,
                            struct replay_neighbours_stimulus *s, struct mp_error *err)
{
    static const char *const forms[] = {"L SM ASID VPN PFN", "V ASID VPN", "A ASID", "F", "D SM", NULL};
    const struct cli_operand operands[] = {[SM] = {"SM", sms - 1},
                                           [ASID] = {"ASID", UINT16_MAX},
                                           [VPN] = {"VPN", REPLAY_MAX_VPN},
                                           [PFN] = {"PFN", REPLAY_MAX_PFN},
                                           {0}};
    uint64_t value[OPERANDS];
    *s = (struct replay_neighbours_stimulus){0};
    int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op > 0)
        *s = (struct replay_neighbours_stimulus){.op = (char)op,
                                                 .sm = (uint32_t)value[SM],
                                                 .asid = (uint16_t)value[ASID],
                                                 .vpn = value[VPN],
                                                 .pfn = value[PFN]};
    return op < 0 ? -1 : 0;
}

/* ---- its response ---- */

#define NAME_BYTES 48u

static const char *who(const struct replay_neighbours_answer *a, char name[NAME_BYTES])
{
    if (a->from < 0)
        return a->from == REPLAY_FROM_OWN ? "hit" : "miss";
    snprintf(name, NAME_BYTES, "sm%d", a->from);
    return name;
}

static const char *out_of(const struct replay_neighbours_answer *a, char name[NAME_BYTES])
{
    if (!a->full)
        return "-";
    snprintf(name, NAME_BYTES, "%u:%" PRIu64, a->out.asid, a->out.vpn);
    return name;
}

static const char *map_of(const struct mp_directory_entry *e, char map[4])
{
    map[0] = e->bits & MP_DIRECTORY_LEFT ? '1' : '0';
    map[1] = e->bits & MP_DIRECTORY_LOCAL ? '1' : '0';
    map[2] = e->bits & MP_DIRECTORY_RIGHT ? '1' : '0';
    map[3] = 0;
    return map;
}

static void put_request(const struct replay_to *to, const struct replay_neighbours_answer *a)
{
    char name[NAME_BYTES], out[NAME_BYTES];
    if (!to->j) {
        fprintf(to->f, "%s %" PRIu64 " %" PRIu64 " probes=%" PRIu32 " load=%d out=%s\n", who(a, name), a->pfn,
                a->cycles, a->probes, a->load, out_of(a, out));
        return;
    }
    json_text(to->j, "who", who(a, name));
    json_count(to->j, "pfn", a->pfn);
    json_count(to->j, "cycles", a->cycles);
    json_count(to->j, "probes", a->probes);
    json_flag(to->j, "load", a->load);
    json_text(to->j, "out", a->full ? out_of(a, out) : NULL);
}

static void put_entry(const struct replay_to *to, const struct mp_directory_entry *e, bool first)
{
    char map[4];
    bool once = e->bits & MP_DIRECTORY_ONCE;
    if (!to->j) {
        fprintf(to->f, "%s%" PRIu64 ":%s%s", first ? "" : " ", e->tag, map_of(e, map), once ? "*" : "");
        return;
    }
    json_object(to->j, NULL);
    json_count(to->j, "tag", e->tag);
    json_text(to->j, "map", map_of(e, map));
    json_flag(to->j, "once", once);
    json_end_object(to->j);
}

static void put_directory(const struct replay_to *to, const struct mp_directory *d)
{
    uint32_t count = d ? d->count : 0;
    if (to->j)
        json_array(to->j, "directory");
    for (uint32_t i = 0; i < count; i++)
        put_entry(to, &d->entry[i], i == 0);
    if (to->j)
        json_end_array(to->j);
    else
        fputs(count ? "\n" : "-\n", to->f);
}

static void put_invalidated(const struct replay_to *to, uint32_t gone)
{
    if (to->j)
        json_count(to->j, "invalidated", gone);
    else
        fprintf(to->f, "invalidated=%" PRIu32 "\n", gone);
}

/* ---- the command ---- */

struct values {
    struct replay_values of;
    struct replay_neighbours_params p;
    struct replay_neighbours_system system;
};

enum {
    KEY_SMS = 0x100,
    KEY_ENTRIES,
    KEY_LATENCY,
    KEY_BELOW,
    KEY_VALUE /* and above: parameters of the policies, by enum mp_neighbour_value */
};

static const struct argp_option options[] = {
    {"policy", REPLAY_KEY_POLICY, "P", 0, "one of the policies below (default: neidty)", 0},
    {"update", KEY_VALUE + MP_NEIGHBOUR_UPDATE, "U", 0, "one of the update policies below (default: default)",
     0},
    {"sms", KEY_SMS, "N", 0, "L1 TLBs, 3 to 64 (default: 16)", 0},
    {"entries", KEY_ENTRIES, "N", 0, "translations that an L1 TLB holds, 1 to 64 (default: 32)", 0},
    {"directory", KEY_VALUE + MP_NEIGHBOUR_DIRECTORY, "N", 0,
     "neidty: entries of a directory, 1 to 256 (default: 32)", 0},
    {"tag-bits", KEY_VALUE + MP_NEIGHBOUR_TAG_BITS, "N", 0,
     "neidty: bits of a directory's tags, 4 to 52 (default: 18)", 0},
    {"latency", KEY_LATENCY, "CYCLES", 0, "look-up in an L1 TLB, 1 to 10000 (default: 1)", 0},
    {"hop", KEY_VALUE + MP_NEIGHBOUR_HOP, "CYCLES", 0,
     "one way from a TLB to the next, 0 to 10000 (default: 1)", 0},
    {"below", KEY_BELOW, "CYCLES", 0, "answer of the L2 TLB, 1 to 100000 (default: 10)", 0},
    {"group", KEY_VALUE + MP_NEIGHBOUR_GROUP, "N", 0, "ring: TLBs that ask each other, 2 to 64 (default: 4)",
     0},
    {0},
};

static const char *policy(unsigned i, void *values)
{
    struct values *v = values;
    const struct mp_neighbour_policy *p = mp_neighbour_policies[i];
    if (v)
        v->p.policy = p;
    return p ? p->design.name : NULL;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_SMS:
        return replay_option("--sms", arg, MP_NEIGHBOURS_LEAST, 64, &v->p.sms, err);
    case KEY_ENTRIES:
        return replay_option("--entries", arg, 1, 64, &v->p.entries, err);
    case KEY_LATENCY:
        return replay_option("--latency", arg, 1, 10000, &v->p.latency, err);
    case KEY_BELOW:
        return replay_option("--below", arg, 1, 100000, &v->p.below, err);
    default: {
        const char *name = mp_design_param_name(&mp_neighbour_parameters[key - KEY_VALUE]);
        return replay_own_add(&v->of.own, name, strlen(name), arg, err);
    }
    }
}

static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    const struct mp_neighbour_policy *p = v->p.policy;
    struct mp_error why;
    if (replay_own_values(&v->of.own, options, &p->design, &v->p.values, err))
        return -1;
    if (mp_neighbour_check(p, &v->p.values, &why))
        return replay_fail_design(options, &why, err);
    if (replay_neighbours_init(&v->system, &v->p))
        cli_have(NULL);
    return 0;
}

static void end(void *values)
{
    struct values *v = values;
    replay_neighbours_free(&v->system);
}

static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    struct replay_neighbours_system *system = &((struct values *)values)->system;
    struct replay_neighbours_stimulus s;
    if (replay_neighbours_parse(line, length, system->p.sms, &s, err))
        return -1;
    if (s.op == 'L') {
        struct replay_neighbours_answer a = replay_neighbours_request(system, s.sm, s.asid, s.vpn, s.pfn);
        put_request(to, &a);
    } else if (s.op == 'D') {
        put_directory(to, system->neighbour[s.sm].directory);
    } else {
        put_invalidated(to, replay_neighbours_invalidate(system, &s));
    }
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct replay_neighbours_params *p = &((const struct values *)values)->p;
    json_text(j, "policy", p->policy->design.name);
    json_count(j, "sms", p->sms);
    json_count(j, "entries", p->entries);
    json_count(j, "latency", p->latency);
    json_count(j, "below", p->below);
    json_text(j, "update", mp_neighbour_updates[p->values.v[MP_NEIGHBOUR_UPDATE]]->design.name);
    json_count(j, "directory", p->values.v[MP_NEIGHBOUR_DIRECTORY]);
    json_count(j, "tag_bits", p->values.v[MP_NEIGHBOUR_TAG_BITS]);
    json_count(j, "hop", p->values.v[MP_NEIGHBOUR_HOP]);
    json_count(j, "group", p->values.v[MP_NEIGHBOUR_GROUP]);
}

static void choices(FILE *f)
{
    fputs("\nPolicies: which TLBs a miss asks before the L2 TLB:\n", f);
    for (unsigned i = 0; mp_neighbour_policies[i]; i++)
        fprintf(f, "  %-20s %s\n", mp_neighbour_policies[i]->design.name,
                mp_neighbour_policies[i]->design.title);
    fputs("\nUpdate policies: whether the TLB that asked stores a neighbour's answer:\n", f);
    for (unsigned i = 0; mp_neighbour_updates[i]; i++)
        fprintf(f, "  %-20s %s\n", mp_neighbour_updates[i]->design.name,
                mp_neighbour_updates[i]->design.title);
}

static const struct values usual = {
    .of = {.chosen = true},
    .p = {.policy = &mp_neighbour_neidty, .sms = 16, .entries = 32, .latency = 1, .below = 10}};

const struct replay_block replay_neighbours = {
    .name = "neighbours",
    .summary = "L1 TLBs that ask each other",
    .about = "Drives the L1 TLBs of a GPU that answer each other's misses, without MSHRs: each line ends, "
             "messages between TLBs included, before the next begins.",
    .formats = FORMATS,
    .choices = choices,
    .examples =
        "  printf 'L 0 1 7 70\\nL 1 1 7 70\\nD 2\\n' | mempath replay neighbours --sms 3 --entries 1 -\n"
        "    miss 70 11 probes=0 load=1 out=-\n"
        "    sm0 70 4 probes=1 load=1 out=-\n"
        "    131079:101\n"
        "  mempath replay neighbours --update twice --directory 16 requests.txt\n"
        "  mempath replay neighbours --policy ring --group 8 --hop 2 requests.txt\n"
        "  mempath replay neighbours --policy direct --json requests.txt",
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
