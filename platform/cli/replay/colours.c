/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replay/colours.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/block.h"

#define FORMATS                                                                                              \
    "  stimulus              response\n"                                                                     \
    "  M PA                  MODULE SET BANK ROW COLOUR   of an address\n"                                   \
    "  T COLOUR              PA, or none                 a page of the colour is taken\n"                    \
    "  G PA                  given, or refused           the page that contains PA is given back\n"          \
    "  U BASE COLOUR OFFSET  PA                          a byte of a colour's part of a 2 MB frame\n"        \
    "\n"                                                                                                     \
    "SET and BANK count those of all modules. A page of a colour is the one that was given back last, else " \
    "the lowest one that was never taken; without one, T prints none. G refuses a page that is not taken, "  \
    "and changes nothing. U needs pages of 4096 B: a frame, which begins at BASE, serves all colours, and "  \
    "OFFSET counts only the bytes of one. Numbers are decimal or 0x-hex, responses are decimal. PA is in "   \
    "the machine's memory (8 GiB, v100: 16 GiB), COLOUR below the number of colours, OFFSET below 2 MiB "    \
    "divided by it. Blank lines and what follows a # are passed over, without a response. A line that is "   \
    "none of these is refused with its number, after the responses to the lines before it.\n"

struct values {
    struct replay_values of;
    const struct mp_gf2 *machine;
    struct replay_colours colours;
    bool hidden;
    uint64_t seed, page_bytes, number;
};

enum { KEY_MACHINE = 'm', KEY_SEED = 0x100, KEY_PAGE_SIZE, KEY_COLOURS };

static const struct argp_option options[] = {
    {"machine", KEY_MACHINE, "M", 0, "gtx1080 or v100 (default: gtx1080)", 0},
    {"hidden-seed", KEY_SEED, "N", 0, "the machine's geometry with functions that follow from a 64-bit seed",
     0},
    {"page-size", KEY_PAGE_SIZE, "B", 0, "a power of two from 1024 to 2097152 (default: 4096)", 0},
    {"colours", KEY_COLOURS, "N", 0, "a power of two (default: as many as pages of this size can have)", 0},
    {0},
};

static int power_of_two(const char *name, const char *arg, uint64_t least, uint64_t most, uint64_t *out,
                        struct mp_error *err)
{
    if (cli_number(name, arg, least, most, out, err))
        return -1;
    if (*out & (*out - 1))
        return mp_fail(err, "%s: %s is not a power of two; %" PRIu64 " to %" PRIu64, name, arg, least, most);
    return 0;
}

int replay_colours_machine(const struct mp_gf2 **machine, const char *name, struct mp_error *err)
{
    const char *names[8] = {0};
    for (unsigned i = 0; mp_gf2_machines[i] && i < 7; i++)
        names[i] = mp_gf2_machines[i]->name;
    *machine = mp_gf2_find(name);
    return *machine ? 0
                    : cli_unknown(err, name, names, "gtx1080 or v100", "--machine: no machine '%s'", name);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_MACHINE:
        return replay_colours_machine(&v->machine, arg, err);
    case KEY_SEED:
        v->hidden = true;
        return cli_number("--hidden-seed", arg, 0, UINT64_MAX, &v->seed, err);
    case KEY_PAGE_SIZE:
        return power_of_two("--page-size", arg, 1024, MP_COLOURS_FRAME, &v->page_bytes, err);
    default:
        return power_of_two("--colours", arg, 1, 1u << MP_GF2_MODULE, &v->number, err);
    }
}

static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    struct mp_gf2 machine = *v->machine;
    struct mp_error why;
    if (v->hidden)
        mp_gf2_hide(&machine, v->machine, v->seed);
    return replay_colours_init(&v->colours, &machine, v->page_bytes, (uint32_t)v->number, &why)
               ? replay_fail_design(options, &why, err)
               : 0;
}

static void end(void *values)
{
    struct values *v = values;
    replay_colours_free(&v->colours);
}

static void print_line(FILE *out, const struct replay_colours_response *a)
{
    if (a->word)
        replay_put_text(out, a->word);
    for (unsigned i = 0; i < a->n; i++)
        replay_put_number(out, i ? " " : "", a->value[i]);
    putc_unlocked('\n', out);
}

static void print_json(struct out_json *j, char op, const struct replay_colours_response *a)
{
    static const char *const place[] = {"module", "set", "bank", "row", "colour"};
    if (op == 'G')
        json_flag(j, "given", *a->word == 'g');
    else if (a->word)
        json_text(j, "pa", NULL);
    for (unsigned i = 0; i < a->n; i++)
        json_count(j, a->n == 1 ? "pa" : place[i], a->value[i]);
}

static int respond(void *values, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err)
{
    struct replay_colours *r = &((struct values *)values)->colours;
    struct replay_colours_stimulus s;
    if (replay_colours_parse(r, line, length, &s, err))
        return -1;
    const struct replay_colours_response a = replay_colours_respond(r, &s);
    if (to->j)
        print_json(to->j, s.op, &a);
    else
        print_line(to->f, &a);
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct values *v = values;
    json_text(j, "machine", v->machine->name);
    if (v->hidden)
        json_count(j, "hidden_seed", v->seed);
    json_count(j, "page_size", v->page_bytes);
    json_count(j, "colours", v->colours.colours.colours);
}

static const struct values usual = {.of = {.chosen = true}, .machine = &mp_gf2_gtx1080, .page_bytes = 4096};

const struct replay_block replay_colours = {
    .name = "colours",
    .summary = "addresses and colours of a GPU with XOR functions",
    .about = "Drives the address functions of a GPU and the allocator of coloured pages (Fractional GPUs). "
             "Modules, L2 sets and DRAM banks are XORs of address bits; "
             "pages of two colours have no module in common.",
    .formats = FORMATS,
    .examples = "  printf 'M 0x1000\\nT 1\\nT 1\\nG 4096\\nT 1\\n' | mempath replay colours -\n"
                "    7 23 7 0 1\n"
                "    4096\n"
                "    8192\n"
                "    given\n"
                "    4096\n"
                "  printf 'U 0x200000 1 5000\\n' | mempath replay colours --machine v100 --colours 2 -\n"
                "    2106248\n"
                "  mempath replay colours --hidden-seed 7 --page-size 2048 --json addresses.txt",
    .options = options,
    .usual = &usual,
    .bytes = sizeof usual,
    .option = option,
    .start = start,
    .free = end,
    .head = head,
    .respond = respond,
};
