/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/block.h"

#define MOST_SETS 65536u
#define MOST_WAYS 64u
#define MOST_L1   128u
#define MOST_MSC  65536u
#define MOST_PWC  65536u

#define FORMATS                                                                                              \
    "  stimulus             response\n"                                                                      \
    "  P VPN PFN PERM [N]   mapped=N                  N pages (1) are mapped, VPN + i to PFN + i\n"          \
    "  S                    frames=N c=N ac=N huge=N changed=N\n"                                            \
    "                                                 software scans all frames that ever had a page\n"      \
    "  U VPN [N]            l1=N iommu=N sub=N msc=N pwc=N c=MASK ac=B\n"                                    \
    "                                                 N pages are unmapped, one by one\n"                    \
    "  R VPN PFN PERM [N]   as U                      N pages get another frame and permission\n"            \
    "  F                    l1=N iommu=N sub=N msc=N pwc=N\n"                                                \
    "                                                 TLBs, MSC and page walk cache are emptied\n"           \
    "  T VPN                WHERE PFN PERM CYCLES [mem=R+H] l1=ENTRY [iommu=ENTRY or sub=ENTRY],\n"          \
    "                       or fault CYCLES mem=R+0   a translation\n"                                       \
    "\n"                                                                                                     \
    "PERM is rw, or r for read only. S: contiguous subregions and frames, frames that thp maps by a large "  \
    "page, frames whose bits have changed. U, R, F: entries that left the L1 TLB, the IOMMU TLB (regular "   \
    "and subregion entries), the memory subregion cache and the page walk cache; then the bits of the last " \
    "page's frame, bit r of MASK for subregion r. T: WHERE is l1 (nothing follows CYCLES), iommu or sub "    \
    "(l1= follows), or the walk's mode: page, subregion, large or huge. R entries were read for the "        \
    "answer, H heads of other subregions after it. ENTRY is what was inserted: first page + pages, as "      \
    "524288+256. CYCLES to the answer: L1 TLB 1, IOMMU TLB 20, regular entries after subregion entries 1, "  \
    "page walk cache 1, each of R 100. Numbers are decimal or 0x-hex, responses are decimal. VPN and PFN "   \
    "have at most 36 bits, N is at most 0x1000000. Blank lines and what follows a # are passed over, "       \
    "without a response. A line that is none of these, P of a mapped page, and U or R of a page that is "    \
    "not mapped, are refused with their number, after the responses to the lines before.\n"

/* ---- a response ---- */

static const char *permission(bool read_only)
{
    return read_only ? "r" : "rw";
}

static void print_entry(FILE *out, const char *name, const struct replay_subregions_entry *e)
{
    fprintf(out, " %s=%" PRIu64 "+%u", name, e->first, e->pages);
}

static void print_translation(FILE *out, const struct replay_subregions_response *r)
{
    if (!strcmp(r->where, "fault")) {
        fprintf(out, "fault %u mem=%u+0", r->cycles, r->reads);
        return;
    }
    fprintf(out, "%s %" PRIu64 " %s %u", r->where, r->pfn, permission(r->read_only), r->cycles);
    if (r->walked)
        fprintf(out, " mem=%u+%u", r->reads, r->heads);
    if (r->l1.pages)
        print_entry(out, "l1", &r->l1);
    if (r->iommu.pages)
        print_entry(out, r->sub ? "sub" : "iommu", &r->iommu);
}

static void print_gone(FILE *out, const struct replay_subregions_response *r)
{
    fprintf(out, "l1=%" PRIu64 " iommu=%" PRIu64 " sub=%" PRIu64 " msc=%" PRIu64 " pwc=%" PRIu64, r->gone.l1,
            r->gone.iommu, r->gone.sub, r->gone.msc, r->gone.pwc);
}

static void print_line(FILE *out, char op, const struct replay_subregions_response *r)
{
    switch (op) {
    case 'P':
        fprintf(out, "mapped=%" PRIu64, r->mapped);
        break;
    case 'S':
        fprintf(out, "frames=%" PRIu64 " c=%" PRIu64 " ac=%" PRIu64 " huge=%" PRIu64 " changed=%" PRIu64,
                r->scan.frames, r->scan.subregions, r->scan.whole, r->scan.huge, r->scan.changed);
        break;
    case 'U':
    case 'R':
        print_gone(out, r);
        fprintf(out, " c=%u ac=%d", r->contiguous, r->whole);
        break;
    case 'F':
        print_gone(out, r);
        break;
    default:
        print_translation(out, r);
    }
    putc('\n', out);
}

static void json_entry(struct out_json *j, const char *name, const struct replay_subregions_entry *e)
{
    if (!e->pages)
        return;
    json_object(j, name);
    json_count(j, "first", e->first);
    json_count(j, "pages", e->pages);
    json_end_object(j);
}

static void json_translation(struct out_json *j, const struct replay_subregions_response *r)
{
    json_text(j, "where", r->where);
    if (strcmp(r->where, "fault")) {
        json_count(j, "pfn", r->pfn);
        json_text(j, "permission", permission(r->read_only));
    }
    json_count(j, "cycles", r->cycles);
    if (r->walked) {
        json_count(j, "read", r->reads);
        json_count(j, "heads", r->heads);
    }
    json_entry(j, "l1", &r->l1);
    json_entry(j, r->sub ? "sub" : "iommu", &r->iommu);
}

static void json_gone(struct out_json *j, const struct replay_subregions_response *r)
{
    json_count(j, "l1", r->gone.l1);
    json_count(j, "iommu", r->gone.iommu);
    json_count(j, "sub", r->gone.sub);
    json_count(j, "msc", r->gone.msc);
    json_count(j, "pwc", r->gone.pwc);
}

static void print_json(struct out_json *j, char op, const struct replay_subregions_response *r)
{
    switch (op) {
    case 'P':
        json_count(j, "mapped", r->mapped);
        break;
    case 'S':
        json_count(j, "frames", r->scan.frames);
        json_count(j, "c", r->scan.subregions);
        json_count(j, "ac", r->scan.whole);
        json_count(j, "huge", r->scan.huge);
        json_count(j, "changed", r->scan.changed);
        break;
    case 'U':
    case 'R':
        json_gone(j, r);
        json_count(j, "c", r->contiguous);
        json_flag(j, "ac", r->whole);
        break;
    case 'F':
        json_gone(j, r);
        break;
    default:
        json_translation(j, r);
    }
}

/* ---- the command ---- */

struct values {
    struct replay_values of;
    const struct replay_subregions_design *design;
    struct replay_subregions_machine *machine;
    uint64_t l1, sets, ways, sub_ways, msc, msc_ways, pwc; /* sub_ways: 0 if it is not given */
    bool heads_first;
};

enum { KEY_L1 = 0x100, KEY_SETS, KEY_WAYS, KEY_SUB_WAYS, KEY_MSC, KEY_MSC_WAYS, KEY_PWC, KEY_LAYOUT };

static const struct argp_option options[] = {
    {"policy", REPLAY_KEY_POLICY, "P", 0, "one of the designs below", 0},
    {"l1", KEY_L1, "N", 0, "entries of the L1 TLB, 1 to 128, fully associative (default: 32)", 0},
    {"sets", KEY_SETS, "N", 0, "of the IOMMU TLB (default: 32)", 0},
    {"ways", KEY_WAYS, "N", 0, "of the IOMMU TLB, 1 to 64 (default: 16)", 0},
    {"sub-ways", KEY_SUB_WAYS, "N", 0,
     "mesc*: the last ways, for subregion entries too; at most --ways (default: 8)", 0},
    {"msc", KEY_MSC, "N", 0, "mesc*: entries of the memory subregion cache; 0: none (default: 512)", 0},
    {"msc-ways", KEY_MSC_WAYS, "N", 0, "mesc*: its ways, in a power of two of sets (default: 8)", 0},
    {"pwc", KEY_PWC, "N", 0, "entries of the page walk cache, fully associative; 0: none (default: 64)", 0},
    {"layout", KEY_LAYOUT, "standard|head", 0,
     "order of leaves in tables; head: those of the subregions' heads first, and no MSC (default: standard)",
     0},
    {0},
};

static const char *policy(unsigned i, void *values)
{
    struct values *v = values;
    if (v)
        v->design = &replay_subregions_designs[i];
    return replay_subregions_designs[i].name;
}

static int set_layout(struct values *v, const char *name, struct mp_error *err)
{
    static const char *const names[] = {"standard", "head", NULL};
    v->heads_first = !strcmp(name, "head");
    if (v->heads_first || !strcmp(name, "standard"))
        return 0;
    return cli_unknown(err, name, names, "standard or head", "--layout: no layout '%s'", name);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_L1:
        return cli_number("--l1", arg, 1, MOST_L1, &v->l1, err);
    case KEY_SETS:
        return cli_number("--sets", arg, 1, MOST_SETS, &v->sets, err);
    case KEY_WAYS:
        return cli_number("--ways", arg, 1, MOST_WAYS, &v->ways, err);
    case KEY_SUB_WAYS:
        return cli_number("--sub-ways", arg, 1, MOST_WAYS, &v->sub_ways, err);
    case KEY_MSC:
        return cli_number("--msc", arg, 0, MOST_MSC, &v->msc, err);
    case KEY_MSC_WAYS:
        return cli_number("--msc-ways", arg, 1, MOST_WAYS, &v->msc_ways, err);
    case KEY_PWC:
        return cli_number("--pwc", arg, 0, MOST_PWC, &v->pwc, err);
    default:
        return set_layout(v, arg, err);
    }
}

static struct replay_subregions_params params(const struct values *v)
{
    return (struct replay_subregions_params){.design = v->design,
                                             .l1 = (uint32_t)v->l1,
                                             .sets = (uint32_t)v->sets,
                                             .ways = (uint32_t)v->ways,
                                             .sub_ways = (uint32_t)(v->sub_ways ? v->sub_ways : 8),
                                             .msc = (uint32_t)v->msc,
                                             .msc_ways = (uint32_t)v->msc_ways,
                                             .pwc = (uint32_t)v->pwc,
                                             .heads_first = v->heads_first};
}

/* Options that have no effect are checked, too, if they are given. */
static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    struct mp_error why;
    uint64_t msc_sets = v->msc / v->msc_ways;
    if (v->sub_ways > v->ways)
        return mp_fail(err,
                       "--sub-ways: %" PRIu64 " are more than the ways of a set, %" PRIu64 "; 1 to %" PRIu64,
                       v->sub_ways, v->ways, v->ways);
    if (v->msc % v->msc_ways || msc_sets & (msc_sets - 1))
        return mp_fail(err,
                       "--msc: %" PRIu64 " entries in %" PRIu64
                       " ways are not a power of two of sets; a multiple of the ways",
                       v->msc, v->msc_ways);
    const struct replay_subregions_params p = params(v);
    if (replay_subregions_check(&p, &why))
        return replay_fail_design(options, &why, err);
    v->machine = cli_have(replay_subregions_new(&p));
    return 0;
}

static void end(void *values)
{
    struct values *v = values;
    if (v->machine)
        replay_subregions_free(v->machine);
}

static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    const struct values *v = values;
    struct replay_subregions_stimulus s;
    struct replay_subregions_response r;
    if (replay_subregions_parse(line, length, &s, err) || replay_subregions_apply(v->machine, &s, &r, err))
        return -1;
    if (to->j)
        print_json(to->j, s.op, &r);
    else
        print_line(to->f, s.op, &r);
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct replay_subregions_params p = params(values);
    json_text(j, "policy", p.design->name);
    json_count(j, "l1", p.l1);
    json_count(j, "sets", p.sets);
    json_count(j, "ways", p.ways);
    json_count(j, "sub_ways", p.sub_ways);
    json_count(j, "msc", p.msc);
    json_count(j, "msc_ways", p.msc_ways);
    json_count(j, "pwc", p.pwc);
    json_text(j, "layout", p.heads_first ? "head" : "standard");
}

static void choices(FILE *f)
{
    fputs("\nPolicies:\n", f);
    for (unsigned i = 0; replay_subregions_designs[i].name; i++)
        fprintf(f, "  %-16s %s\n", replay_subregions_designs[i].name, replay_subregions_designs[i].title);
}

static const struct values usual = {.l1 = 32, .sets = 32, .ways = 16, .msc = 512, .msc_ways = 8, .pwc = 64};

const struct replay_block replay_subregions = {
    .name = "subregions",
    .summary = "MESC: tables, walks and TLBs of subregion contiguity",
    .about = "Drives the translation of one CU and one address space by MESC (subregion contiguity) or a "
             "design that its paper compares: page table, scan, L1 TLB, IOMMU TLB, page walk. Each line has "
             "its whole effect before the next.",
    .formats = FORMATS,
    .choices = choices,
    .examples = "  printf 'P 0x80000 0x6000a rw 512\\nS\\nT 0x80188\\nT 0x80188\\nT 0x80000\\nU 0x80000\\n' |"
                " mempath replay subregions --policy mesc -\n"
                "    mapped=512\n"
                "    frames=1 c=8 ac=1 huge=0 changed=1\n"
                "    large 393618 rw 423 mem=4+0 l1=524680+1 sub=524288+512\n"
                "    l1 393618 rw 1\n"
                "    sub 393226 rw 21 l1=524288+1\n"
                "    l1=1 iommu=0 sub=1 msc=0 pwc=3 c=254 ac=0\n"
                "  mempath replay subregions --policy mesc-colt --msc 0 --sub-ways 4 subregions.txt\n"
                "  mempath replay subregions --policy full-colt --layout head --json subregions.txt",
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
