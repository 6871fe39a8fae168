/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/block.h"
#include "cli/words.h"
#include "tlb/policy.h"

#define MAX_ENTRIES 1048576u

#define FORMATS                                                                                              \
    "  stimulus         response\n"                                                                          \
    "  L ASID VPN       hit PFN CYCLES, or miss CYCLES      a lookup\n"                                      \
    "  I ASID VPN PFN   ACTION way=W evicted=N              an insertion; N translations are lost\n"         \
    "  V ASID VPN       invalidated=N                       a page is invalidated, N translations gone\n"    \
    "  A ASID           invalidated=N                       an address space\n"                              \
    "  F                invalidated=N                       everything\n"                                    \
    "\n"                                                                                                     \
    "Numbers are decimal or 0x-hex, responses are decimal. VPN and PFN count pages: VPN has at most 45 "     \
    "bits, PFN 40, ASID 16. Blank lines and what follows a # are passed over, without a response. A line "   \
    "that is none of these is refused with its number, after the responses to the lines before it.\n"

/* ---- a stimulus ---- */

enum { ASID, VPN, PFN, OPERANDS };

int replay_tlb_parse(const char *line, size_t length, struct replay_tlb_stimulus *s, struct mp_error *err)
{
    static const char *const forms[] = {"L ASID VPN", "I ASID VPN PFN", "V ASID VPN", "A ASID", "F", NULL};
    static const struct cli_operand operands[] = {
        [ASID] = {"ASID", UINT16_MAX}, [VPN] = {"VPN", REPLAY_MAX_VPN}, [PFN] = {"PFN", REPLAY_MAX_PFN}, {0}};
    uint64_t value[OPERANDS];
    *s = (struct replay_tlb_stimulus){0};
    int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op > 0)
        *s = (struct replay_tlb_stimulus){
            .op = (char)op, .asid = (uint16_t)value[ASID], .vpn = value[VPN], .pfn = value[PFN]};
    return op < 0 ? -1 : 0;
}

/* ---- its response ---- */

struct response {
    const char *what; /* "hit", "miss", an insertion's action, or "invalidated" */
    uint64_t pfn;
    uint32_t cycles, way, count;
};

static struct response response_of(const struct mp_tlb_policy *p, void *state,
                                   const struct replay_tlb_stimulus *s)
{
    struct mp_tlb_hit hit;
    struct mp_tlb_insertion in;
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    switch (s->op) {
    case 'L':
        hit = p->lookup(state, s->asid, s->vpn);
        return (struct response){.what = hit.found ? "hit" : "miss", .pfn = hit.pfn, .cycles = hit.cycles};
    case 'I':
        in = p->insert(state, s->asid, s->vpn, (struct mp_translation){.pfn = s->pfn}, &left);
        return (struct response){.what = in.action, .way = in.way, .count = left.pages};
    case 'V':
        return (struct response){.what = "invalidated",
                                 .count = p->invalidate_page(state, s->asid, s->vpn, NULL)};
    case 'A':
        return (struct response){.what = "invalidated", .count = p->invalidate_asid(state, s->asid)};
    default:
        return (struct response){.what = "invalidated", .count = p->invalidate_all(state)};
    }
}

static void print_line(FILE *out, const struct replay_tlb_stimulus *s, const struct response *r)
{
    replay_put_text(out, r->what);
    if (s->op == 'L') {
        if (*r->what == 'h')
            replay_put_number(out, " ", r->pfn);
        replay_put_number(out, " ", r->cycles);
    } else if (s->op == 'I') {
        replay_put_number(out, " way=", r->way);
        replay_put_number(out, " evicted=", r->count);
    } else {
        replay_put_number(out, "=", r->count);
    }
    putc_unlocked('\n', out);
}

static void print_json(struct out_json *j, const struct replay_tlb_stimulus *s, const struct response *r)
{
    if (s->op == 'L') {
        bool hit = *r->what == 'h';
        json_flag(j, "hit", hit);
        if (hit)
            json_count(j, "pfn", r->pfn);
        json_count(j, "cycles", r->cycles);
    } else if (s->op == 'I') {
        json_text(j, "action", r->what);
        json_count(j, "way", r->way);
        json_count(j, "evicted", r->count);
    } else {
        json_count(j, "invalidated", r->count);
    }
}

/* Stimuli contain no warps. */
static bool replayable(const struct mp_tlb_policy *policy)
{
    return !policy->asked;
}

/* ---- the command ---- */

struct values {
    struct replay_values of;
    const struct mp_tlb_policy *policy;
    void *state;
    uint64_t sets, ways, sub_entries, latency;
    struct mp_design_values values; /* of the policy's own parameters */
    uint32_t tenants, tenant_ways[MP_TENANTS];
};

enum { KEY_SETS = 0x100, KEY_WAYS, KEY_SUBS, KEY_LATENCY, KEY_BASE_LATENCY, KEY_STRIDE, KEY_TENANT_WAYS };

static const struct argp_option options[] = {
    {"policy", REPLAY_KEY_POLICY, "P", 0, "one of the policies below", 0},
    {"sets", KEY_SETS, "N", 0, "any number (default: 128)", 0},
    {"ways", KEY_WAYS, "N", 0, "1 to 64 (default: 8)", 0},
    {"sub-entries", KEY_SUBS, "N", 0, "neighbouring pages of an entry: 1, 2, 4, 8 or 16 (default: 16)", 0},
    {"latency", KEY_LATENCY, "CYCLES", 0, "latency of a lookup (default: 40)", 0},
    {"base-latency", KEY_BASE_LATENCY, "CYCLES", 0, "short for --set base_latency=CYCLES", 0},
    {"stride", KEY_STRIDE, "1|2|4", 0, "short for --set stride=N", 0},
    {"set", REPLAY_KEY_SET, "NAME=VALUE", 0, "a parameter of the policy, listed below; may be given for each",
     0},
    {"tenant-ways", KEY_TENANT_WAYS, "N,N...", 0,
     "for static partitions: the ways of ASID 0, 1, ...; their sum is --ways", 0},
    {0},
};

static int set_policy(struct values *v, const char *name, struct mp_error *err)
{
    const char *names[64] = {0};
    unsigned n = 0;
    for (unsigned i = 0; mp_tlb_policies[i] && n < 63; i++)
        if (replayable(mp_tlb_policies[i]))
            names[n++] = mp_tlb_policies[i]->design.name;
    v->policy = mp_tlb_policy_find(name);
    if (v->policy && !replayable(v->policy))
        return mp_fail(
            err,
            "--policy: %s needs warps, which stimuli do not have; mempath replay tlb --help lists the others",
            name);
    v->of.chosen = v->policy;
    if (v->policy)
        return 0;
    return cli_unknown(err, name, names, "mempath replay tlb --help lists them", "--policy: no policy '%s'",
                       name);
}

static int set_tenant_ways(struct values *v, const char *arg, struct mp_error *err)
{
    char word[16];
    uint64_t ways;
    v->tenants = 0;
    for (const char *at = arg; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (v->tenants == MP_TENANTS)
            return mp_fail(err, "--tenant-ways: more than %u tenants; at most %u", MP_TENANTS, MP_TENANTS);
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (cli_number("--tenant-ways", word, 1, 64, &ways, err))
            return -1;
        v->tenant_ways[v->tenants++] = (uint32_t)ways;
    }
    return 0;
}

static int set_sub_entries(struct values *v, const char *arg, struct mp_error *err)
{
    if (cli_number("--sub-entries", arg, 1, MP_MAX_SUB_ENTRIES, &v->sub_entries, err))
        return -1;
    if (v->sub_entries & (v->sub_entries - 1))
        return mp_fail(err, "--sub-entries: %s is not a power of two; 1 to %u", arg, MP_MAX_SUB_ENTRIES);
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case REPLAY_KEY_POLICY:
        return set_policy(v, arg, err);
    case KEY_SETS:
        return cli_number("--sets", arg, 1, MAX_ENTRIES, &v->sets, err);
    case KEY_WAYS:
        return cli_number("--ways", arg, 1, 64, &v->ways, err);
    case KEY_SUBS:
        return set_sub_entries(v, arg, err);
    case KEY_LATENCY:
        return cli_number("--latency", arg, 1, 10000, &v->latency, err);
    case KEY_BASE_LATENCY:
        return replay_own_add(&v->of.own, "base_latency", strlen("base_latency"), arg, err);
    case KEY_STRIDE:
        return replay_own_add(&v->of.own, "stride", strlen("stride"), arg, err);
    default:
        return set_tenant_ways(v, arg, err);
    }
}

static struct mp_tlb_geometry geometry(const struct values *v)
{
    struct mp_tlb_geometry g = {.sets = (uint32_t)v->sets,
                                .ways = (uint32_t)v->ways,
                                .sub_entries = (uint32_t)v->sub_entries,
                                .latency = (uint32_t)v->latency,
                                .own = v->values,
                                .tenants = v->tenants ? v->tenants : MP_TENANTS};
    memcpy(g.tenant_ways, v->tenant_ways, sizeof g.tenant_ways);
    return g;
}

static int check_parts(const struct values *v, bool parts, struct mp_error *err)
{
    uint32_t sum = 0;
    for (uint32_t t = 0; t < v->tenants; t++)
        sum += v->tenant_ways[t];
    if (parts && !v->tenants)
        return mp_fail(err, "--policy: %s divides the ways; give them, as in --tenant-ways 4,2,2",
                       v->policy->design.name);
    if (!parts && v->tenants)
        return mp_fail(err, "--tenant-ways: %s does not divide the ways; only static and static-star do",
                       v->policy->design.name);
    if (parts && sum != v->ways)
        return mp_fail(err, "--tenant-ways: the sum is %u; it must be --ways, %" PRIu64, sum, v->ways);
    return 0;
}

static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    struct mp_error why;
    if (v->sets * v->ways > MAX_ENTRIES)
        return mp_fail(err, "--sets: %" PRIu64 " sets of %" PRIu64 " ways are too many; at most %u entries",
                       v->sets, v->ways, MAX_ENTRIES);
    if (replay_own_values(&v->of.own, options, &v->policy->design, &v->values, err) ||
        check_parts(v, v->policy->divides_ways, err))
        return -1;
    const struct mp_tlb_geometry g = geometry(v);
    if (mp_tlb_check(v->policy, &g, &why))
        return replay_fail_design(options, &why, err);
    v->state = cli_have(mp_tlb_state(v->policy, &g));
    return 0;
}

static void end(void *values)
{
    struct values *v = values;
    free(v->state);
}

/* Under a policy that divides the ways or counts for each tenant, other tenants are refused. */
static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    const struct values *v = values;
    const uint32_t tenants = v->tenants ? v->tenants : v->policy->counters ? MP_TENANTS : 0;
    struct replay_tlb_stimulus s;
    if (replay_tlb_parse(line, length, &s, err))
        return -1;
    if (tenants && s.asid >= tenants)
        return mp_fail(err, "ASID %u is not a tenant of this policy; 0 to %u", s.asid, tenants - 1);
    const struct response r = response_of(v->policy, v->state, &s);
    if (to->j)
        print_json(to->j, &s, &r);
    else
        print_line(to->f, &s, &r);
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct values *v = values;
    json_text(j, "policy", v->policy->design.name);
    json_count(j, "sets", v->sets);
    json_count(j, "ways", v->ways);
    json_count(j, "sub_entries", v->sub_entries);
    json_count(j, "latency", v->latency);
    for (unsigned i = 0; i < mp_design_nparams(&v->policy->design); i++)
        json_count(j, mp_design_param_name(&v->policy->design.params[i]), v->values.v[i]);
}

static void choices(FILE *f)
{
    fputs("\nPolicies:\n", f);
    for (unsigned i = 0; mp_tlb_policies[i]; i++)
        if (replayable(mp_tlb_policies[i]))
            replay_print_design(f, &mp_tlb_policies[i]->design);
}

static const struct values usual = {.sets = 128, .ways = 8, .sub_entries = 16, .latency = 40};

const struct replay_block replay_tlb = {
    .name = "tlb",
    .summary = "a TLB's array under a policy",
    .about = "Drives only the array of a TLB with a policy, without MSHRs and without time between stimuli.",
    .formats = FORMATS,
    .choices = choices,
    .examples = "  printf 'L 1 0x10\\nI 1 0x10 7\\nL 1 0x10\\n' | mempath replay tlb --policy subentry -\n"
                "    miss 40\n"
                "    vacant way=0 evicted=0\n"
                "    hit 7 40\n"
                "  mempath replay tlb --policy subentry --sets 16 --ways 8 --latency 10 stimuli.txt\n"
                "  mempath replay tlb --policy static --tenant-ways 4,2,2 stimuli.txt\n"
                "  mempath replay tlb --policy star --json stimuli.txt",
    .options = options,
    .usual = &usual,
    .bytes = sizeof usual,
    .option = option,
    .start = start,
    .free = end,
    .head = head,
    .respond = respond,
};
