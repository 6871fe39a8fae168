/* SPDX-License-Identifier: Apache-2.0 */
/* A prefetcher alone: the pages that it names for each miss. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/replay/block.h"
#include "cli/words.h"

#define FORMATS                                                                                              \
    "  stimulus            response\n"                                                                       \
    "  M ASID SM WARP VPN  VPN ...    a miss of a TLB, and the pages that are prefetched, in this order\n"   \
    "  A ASID              -          the address space is gone\n"                                           \
    "  F                   -          all are\n"                                                             \
    "\n"                                                                                                     \
    "A line M is a miss for whose page nothing is on its way, or the use of a page that was prefetched. "    \
    "The "                                                                                                   \
    "response is - if no page is prefetched. Pages that the TLB has are named here, too. "                   \
    "Those outside of 45 bits are left out.\n"                                                               \
    "\n"                                                                                                     \
    "Numbers are decimal or 0x-hex, responses are decimal. VPN counts pages and has at most 45 bits; ASID "  \
    "is "                                                                                                    \
    "0 to 7, SM has 16 bits, WARP 8. Blank lines and what follows a # are passed over, without a response. " \
    "A line that is none of these is refused with its number, after the responses to the lines before it.\n"

/* ---- a stimulus ---- */

enum { ASID, SM, WARP, VPN, OPERANDS };

int replay_prefetch_parse(const char *line, size_t length, struct replay_prefetch_stimulus *s,
                          struct mp_error *err)
{
    static const char *const forms[] = {"M ASID SM WARP VPN", "A ASID", "F", NULL};
    static const struct cli_operand operands[] = {[ASID] = {"ASID", MP_ASIDS - 1},
                                                  [SM] = {"SM", UINT16_MAX},
                                                  [WARP] = {"WARP", UINT8_MAX},
                                                  [VPN] = {"VPN", REPLAY_MAX_VPN},
                                                  {0}};
    uint64_t value[OPERANDS];
    *s = (struct replay_prefetch_stimulus){0};
    int op = cli_words_parse(line, length, forms, operands, value, err);
    if (op > 0)
        *s = (struct replay_prefetch_stimulus){.op = (char)op,
                                               .miss = {.vpn = value[VPN],
                                                        .asid = (uint16_t)value[ASID],
                                                        .sm = (uint16_t)value[SM],
                                                        .warp = (uint8_t)value[WARP]}};
    return op < 0 ? -1 : 0;
}

uint32_t replay_prefetch_apply(const struct mp_prefetcher *design, void *state,
                               const struct replay_prefetch_stimulus *s, uint64_t page[MP_PREFETCH_MOST])
{
    uint32_t n = 0, named = s->op == 'M' ? design->miss(state, &s->miss, page) : 0;
    for (uint16_t asid = 0; s->op != 'M' && asid < MP_ASIDS; asid++)
        if (s->op == 'F' || s->miss.asid == asid)
            design->forget(state, asid);
    for (uint32_t i = 0; i < named; i++)
        if (page[i] <= REPLAY_MAX_VPN)
            page[n++] = page[i];
    return n;
}

/* ---- the command ---- */

struct values {
    struct replay_values of;
    const struct mp_prefetcher *design;
    struct mp_design_values own;
    void *state;
};

static const struct argp_option options[] = {
    {"policy", REPLAY_KEY_POLICY, "P", 0, "one of the prefetchers below (default: distance)", 0},
    {"set", REPLAY_KEY_SET, "NAME=VALUE", 0,
     "a parameter of the prefetcher, listed below; may be given for each", 0},
    {0},
};

/* Those that prefetch. */
static const char *policy(unsigned i, void *values)
{
    struct values *v = values;
    const struct mp_prefetcher **p = mp_prefetchers;
    for (; *p; p++)
        if ((*p)->miss && !i--)
            break;
    if (v)
        v->design = *p;
    return *p ? (*p)->design.name : NULL;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    (void)values, (void)key, (void)arg, (void)err;
    return ARGP_ERR_UNKNOWN;
}

static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    if (replay_own_values(&v->of.own, options, &v->design->design, &v->own, err))
        return -1;
    v->state = cli_have(mp_prefetcher_state(v->design, &v->own));
    return 0;
}

static void end(void *values)
{
    free(((struct values *)values)->state);
}

static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    struct values *v = values;
    struct replay_prefetch_stimulus s;
    uint64_t page[MP_PREFETCH_MOST];
    if (replay_prefetch_parse(line, length, &s, err))
        return -1;
    uint32_t n = replay_prefetch_apply(v->design, v->state, &s, page);
    if (to->j) {
        json_array(to->j, "pages");
        for (uint32_t i = 0; i < n; i++)
            json_count(to->j, NULL, page[i]);
        json_end_array(to->j);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        replay_put_number(to->f, i ? " " : "", page[i]);
    replay_put_text(to->f, n ? "\n" : "-\n");
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct values *v = values;
    json_text(j, "policy", v->design->design.name);
    for (unsigned i = 0; i < mp_design_nparams(&v->design->design); i++)
        json_count(j, mp_design_param_name(&v->design->design.params[i]), v->own.v[i]);
}

static void choices(FILE *f)
{
    fputs("\nPrefetchers, with their parameters:\n", f);
    for (const struct mp_prefetcher **p = mp_prefetchers; *p; p++)
        if ((*p)->miss)
            replay_print_design(f, &(*p)->design);
}

static const struct values usual = {.of = {.chosen = true}, .design = &mp_prefetcher_distance};

const struct replay_block replay_prefetch = {
    .name = "prefetch",
    .summary = "a prefetcher of translations",
    .about = "Drives the prefetcher of a TLB, without the TLB: what it names for each miss.",
    .formats = FORMATS,
    .choices = choices,
    .examples =
        "  printf 'M 0 0 0 100\\nM 0 0 0 101\\nM 0 0 0 111\\nM 0 0 0 112\\n' | mempath replay prefetch -\n"
        "    -\n"
        "    -\n"
        "    -\n"
        "    122\n"
        "  mempath replay prefetch --policy stride --set degree=4 misses.txt\n"
        "  mempath replay prefetch --json misses.txt",
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
