/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/replay/replay.h"

static const struct replay_block *const blocks[] = {&replay_tlb, &replay_neighbours, &replay_walks,
                                                    &replay_subregions, &replay_colours};
#define BLOCKS (sizeof blocks / sizeof *blocks)

static int list(const struct cli *cli)
{
    struct out_entry entries[BLOCKS];
    for (unsigned i = 0; i < BLOCKS; i++)
        entries[i] = (struct out_entry){blocks[i]->name, blocks[i]->summary};
    out_list(cli->json, "block", entries, BLOCKS);
    return CLI_DONE;
}

/* The description, then the formats of every block. */
static char *help(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fputs("Drives a reference model alone: one response line per stimulus line, in order. It is an oracle "
          "for RTL, and shows a policy's decisions one by one. Without a block, lists the blocks.\v",
          f);
    for (unsigned i = 0; i < BLOCKS; i++)
        fprintf(f, "replay %s: %s\n%s\n", blocks[i]->name, blocks[i]->summary, blocks[i]->formats);
    fputs("Examples:\n", f);
    for (unsigned i = 0; i < BLOCKS; i++)
        fprintf(f, "  mempath replay %s --help\n", blocks[i]->name);
    fclose(f);
    return text;
}

static int refuse_argument(void *values, int key, const char *arg, struct mp_error *err)
{
    (void)values;
    return key == ARGP_KEY_ARG ? mp_fail(err, "replay: '%s' is unexpected; mempath replay --help", arg) : 0;
}

static const char *block_name(unsigned i)
{
    return i < BLOCKS ? blocks[i]->name : NULL;
}

/* Without a block: the list, or help. */
static int overview(struct cli *cli, int argc, char **argv)
{
    char *doc = help();
    const struct cli_usage usage = {.command = "mempath replay",
                                    .args = "[BLOCK] [FILE]",
                                    .doc = doc,
                                    .option = refuse_argument,
                                    .word = block_name,
                                    .blocks = true};
    int code;
    if (cli_parse(cli, &usage, argc, argv, NULL, &code))
        code = list(cli);
    free(doc);
    return code;
}

int cmd_replay(struct cli *cli, int argc, char **argv)
{
    const char *names[BLOCKS + 1] = {0};
    struct mp_error err;
    if (!cli_name_first(argc, argv))
        return overview(cli, argc, argv);
    for (unsigned i = 0; i < BLOCKS; i++) {
        names[i] = blocks[i]->name;
        if (!strcmp(argv[1], blocks[i]->name))
            return blocks[i]->run(cli, argc - 1, argv + 1);
    }
    cli_unknown(&err, argv[1], names, "mempath replay lists them", "replay: no block '%s'", argv[1]);
    return cli_fail(CLI_USAGE, "%s", err.text);
}
