/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plugin/plugin.h"
#include "cli/replay/block.h"
#include "cli/words.h"

static const struct replay_block *const blocks[] = {&replay_tlb,     &replay_neighbours, &replay_prefetch,
                                                    &replay_tables,  &replay_walks,      &replay_subregions,
                                                    &replay_colours, &replay_uvm};
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

/* ---- responses ---- */

void replay_put_text(FILE *out, const char *text)
{
    while (*text)
        putc_unlocked(*text++, out);
}

void replay_put_number(FILE *out, const char *before, uint64_t value)
{
    char digits[20];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    replay_put_text(out, before);
    while (n)
        putc_unlocked(digits[--n], out);
}

/* Writes the responses to all stimuli of the file. */
static int respond(struct replay_values *v, FILE *out, struct out_json *j, struct mp_error *err)
{
    const struct replay_block *b = v->block;
    struct replay_to to = {.f = out, .j = j};
    struct replay_input in;
    const char *line;
    size_t length;
    int more, failed = 0;
    if (replay_open(&in, v->file, err))
        return -1;
    while (!failed && (more = replay_line(&in, out, &line, &length, err)) > 0) {
        struct cli_words words = cli_words(line, length);
        struct mp_error why;
        if (!cli_word(&words))
            continue;
        to.line = in.line;
        if (j && !b->end) {
            json_object(j, NULL);
            json_count(j, "line", in.line);
            json_text(j, "stimulus", (const char[]){*words.at, 0});
        }
        if (b->respond(v, line, length, &to, &why))
            failed = mp_fail(err, "%s:%" PRIu64 ": %s", in.name, in.line, why.text);
        if (j && !b->end)
            json_end_object(j);
    }
    replay_close(&in);
    return failed || more < 0 || (b->end && b->end(v, &to, err)) ? -1 : 0;
}

/* Prints the document whole or not at all. It need not fit into memory. */
static int respond_json(struct replay_values *v, struct mp_error *err)
{
    char some[4096];
    FILE *whole = tmpfile();
    if (!whole)
        return mp_fail(err, "replay %s: no temporary file; free space in /tmp is needed", v->block->name);
    struct out_json j = {.f = whole};
    json_object(&j, NULL);
    v->block->head(v, &j);
    json_array(&j, "responses");
    int failed = respond(v, whole, &j, err);
    json_end_array(&j);
    json_end_object(&j);
    rewind(whole);
    for (size_t n; !failed && (n = fread(some, 1, sizeof some, whole)) > 0;)
        fwrite(some, 1, n, stdout);
    fclose(whole);
    return failed;
}

/* ---- a block's command ---- */

int replay_option(const char *name, const char *arg, uint64_t min, uint64_t max, uint32_t *out,
                  struct mp_error *err)
{
    uint64_t value;
    if (cli_number(name, arg, min, max, &value, err))
        return -1;
    *out = (uint32_t)value;
    return 0;
}

static int choose(struct replay_values *v, const char *name, struct mp_error *err)
{
    const char *names[64] = {0};
    char otherwise[64];
    for (unsigned i = 0; (names[i] = v->block->policy(i, NULL)); i++)
        if (!strcmp(names[i], name)) {
            v->block->policy(i, v);
            v->chosen = true;
            return 0;
        }
    snprintf(otherwise, sizeof otherwise, "mempath replay %s --help lists them", v->block->name);
    return cli_unknown(err, name, names, otherwise, "--policy: no policy '%s'", name);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct replay_values *v = values;
    if (key == REPLAY_KEY_SET)
        return replay_own_set(&v->own, arg, err);
    if (key == REPLAY_KEY_POLICY && v->block->policy)
        return choose(v, arg, err);
    if (key != ARGP_KEY_ARG)
        return v->block->option(v, key, arg, err);
    if (v->file)
        return mp_fail(err, "replay %s: '%s' is unexpected; one FILE, or - for stdin", v->block->name, arg);
    v->file = arg;
    return 0;
}

static char *help_of(const struct replay_block *b)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fprintf(f, "%s Prints one response line per stimulus line of FILE (- is stdin)%s.\v%s", b->about,
            b->end ? ""
                   : ", in order. A program may write a line and wait for its response, "
                     "because responses are not buffered",
            b->formats);
    if (b->choices)
        b->choices(f);
    fprintf(f, "\nExamples:\n%s", b->examples);
    fclose(f);
    return text;
}

static int start(struct replay_values *v, struct mp_error *err)
{
    const char *name = v->block->name;
    const char *modules = plugin_modules_only();
    if (modules)
        return mp_fail(err,
                       "replay %s: plugin %s has only modules, for the machine of a run; one with designs",
                       name, modules);
    if (!v->chosen)
        return mp_fail(err, "replay %s: no policy; --policy P, mempath replay %s --help lists them", name,
                       name);
    if (!v->file)
        return mp_fail(err, "replay %s: no stimuli; a FILE, or - for stdin", name);
    return v->block->start(v, err);
}

static int run(struct cli *cli, const struct replay_block *b, int argc, char **argv)
{
    char command[64], *doc = help_of(b);
    struct replay_values *v = cli_alloc(1, b->bytes);
    struct mp_error err;
    int code;
    snprintf(command, sizeof command, "mempath replay %s", b->name);
    const struct cli_usage usage = {
        .command = command, .args = "FILE", .doc = doc, .options = b->options, .option = option};
    memcpy(v, b->usual, b->bytes);
    v->block = b;
    if (cli_parse(cli, &usage, argc, argv, v, &code)) {
        bool failed = start(v, &err) || (cli->json ? respond_json(v, &err) : respond(v, stdout, NULL, &err));
        code = failed ? cli_fail(CLI_USAGE, "%s", err.text) : CLI_DONE;
        b->free(v);
        if (ferror(stdout))
            code = cli_fail(CLI_FAILED, "stdout: not everything could be written");
    }
    free(v);
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
            return run(cli, blocks[i], argc - 1, argv + 1);
    }
    cli_unknown(&err, argv[1], names, "mempath replay lists them", "replay: no block '%s'", argv[1]);
    return cli_fail(CLI_USAGE, "%s", err.text);
}
