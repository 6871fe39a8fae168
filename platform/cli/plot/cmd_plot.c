/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/out.h"
#include "cli/plot/plot.h"

static const char doc[] =
    "Draws what a run recorded, as SVG and PNG. RUN is its number in the database; without one, the latest "
    "finished run. Without a picture's name, lists the pictures.\vA run takes snapshots with --epochs "
    "CYCLES, and stores walks with --trace-window FIRST:LAST. mempath reveal stores the times of its pairs.\n"
    "\n"
    "Examples:\n"
    "  mempath run star/w2 --epochs 10000\n"
    "  mempath plot occupancy                 of that run\n"
    "  mempath plot occupancy 12 -o pictures  of run 12, into a folder, which is created\n"
    "  mempath plot occupancy -o occupancy.png    one file\n"
    "  mempath run dws-30sm --set tenants.0.app=GUPS --set tenants.1.app=MM --set tenants.size=medium \\\n"
    "      --trace-window 15000:17000\n"
    "  mempath plot walkers                   walks and waiting tenants in those cycles\n"
    "  mempath reveal --machine v100\n"
    "  mempath plot pairs                     how long its pairs of loads took\n"
    "  mempath query epochs kind=l3_tlb metric=held    the numbers behind it";

static const struct picture {
    const char *name, *title;
    int (*draw)(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);
} pictures[] = {
    {"occupancy", "valid translations in the L3 TLB by tenant, over cycles", plot_occupancy},
    {"pairs", "how long pairs of loads took when address functions were found, and the limit", plot_pairs},
    {"walkers", "what each page walker serves, its owner, and waiting walks, in a window of cycles",
     plot_walkers},
};
#define PICTURES (sizeof pictures / sizeof *pictures)

struct values {
    const struct picture *picture;
    const char *output;
    uint64_t run;
};

static const struct argp_option options[] = {
    {"output", 'o', "FOLDER|FILE", 0,
     "where the picture goes: a folder (default: the current one), or FILE.svg or FILE.png", 0},
    {0},
};

static int set_picture(struct values *v, const char *name, struct mp_error *err)
{
    for (unsigned i = 0; i < PICTURES; i++)
        if (!strcmp(pictures[i].name, name))
            v->picture = &pictures[i];
    return v->picture ? 0 : mp_fail(err, "plot: no picture '%s'; mempath plot lists them", name);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key == 'o') {
        v->output = arg;
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return 0;
    if (!v->picture)
        return set_picture(v, arg, err);
    if (v->run)
        return mp_fail(err, "plot: '%s' is unexpected; one RUN", arg);
    return cli_number("RUN", arg, 1, INT64_MAX, &v->run, err);
}

static int list(const struct cli *cli)
{
    struct out_entry entries[PICTURES];
    for (unsigned i = 0; i < PICTURES; i++)
        entries[i] = (struct out_entry){pictures[i].name, pictures[i].title};
    out_list(cli->json, "picture", entries, PICTURES);
    return CLI_DONE;
}

static const char *picture_name(unsigned i)
{
    return i < PICTURES ? pictures[i].name : NULL;
}

int cmd_plot(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath plot",
                                           .args = "[PICTURE [RUN]]",
                                           .word = picture_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.output = "."};
    struct mp_error err;
    struct mp_db *db;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.picture)
        return list(cli);
    if (mp_db_open(&db, cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    code = v.picture->draw(cli, db, (int64_t)v.run, v.output);
    mp_db_close(db);
    return code;
}
