/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "trace/traceg.h"

static const char doc[] =
    "Turns traces of a real GPU (Accel-Sim / NVBit: kernelslist.g and its .traceg or .traceg.xz files) into "
    "one warp trace. Accesses to global memory are kept. The last line counts omitted accesses by opcode and "
    "reason: accesses to shared, local and constant memory, textures and surfaces.\vExamples:\n"
    "  mempath import traces/kernelslist.g -o app.gwt.zst\n"
    "  mempath import traces/kernelslist.g -o app.gwt.zst --skip-unknown   omit unknown instructions\n"
    "  mempath trace info app.gwt.zst\n"
    "  mempath run demo --set tenants.0.trace=app.gwt.zst\n"
    "\n"
    "The output is compressed if its name ends in .zst; it appears only when it is complete.";

struct values {
    const char *list, *output;
    bool skip_unknown;
};

enum { KEY_SKIP_UNKNOWN = 0x100 };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {"skip-unknown", KEY_SKIP_UNKNOWN, NULL, 0,
     "omit and count memory instructions with unknown opcodes instead of refusing the file", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key == 'o') {
        v->output = arg;
        return 0;
    }
    if (key == KEY_SKIP_UNKNOWN) {
        v->skip_unknown = true;
        return 0;
    }
    if (v->list)
        return mp_fail(err, "import: '%s' is unexpected; one KERNELSLIST", arg);
    v->list = arg;
    return 0;
}

static void show(void *self, uint32_t kernel, uint32_t kernels, const char *path)
{
    const struct cli *cli = self;
    if (cli->progress == CLI_PROGRESS_JSON)
        fprintf(stderr, "{\"job\": \"import\", \"done\": %u, \"total\": %u, \"unit\": \"kernels\"}\n", kernel,
                kernels);
    else if (cli->progress == CLI_PROGRESS_TERMINAL && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K  kernel %u of %u  %.200s", kernel + 1, kernels, path);
}

static void print_line(const char *output, const struct traceg_summary *s)
{
    printf("%s: %" PRIu64 " kernel%s, %" PRIu64 " warp accesses; left out: ", output, s->kernels,
           s->kernels == 1 ? "" : "s", s->accesses);
    for (unsigned i = 0; i < s->rows; i++) {
        const struct traceg_left_out *l = &s->left_out[i];
        printf("%s%" PRIu64 " %s with %" PRIu64 " lanes (%s)", i ? ", " : "", l->instructions, l->opcode,
               l->lanes, l->reason);
    }
    puts(s->rows ? "" : "nothing");
}

static void print_json(const char *output, const struct traceg_summary *s)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "trace", output);
    json_count(&j, "kernels", s->kernels);
    json_count(&j, "accesses", s->accesses);
    json_array(&j, "left_out");
    for (unsigned i = 0; i < s->rows; i++) {
        json_object(&j, NULL);
        json_text(&j, "opcode", s->left_out[i].opcode);
        json_text(&j, "reason", s->left_out[i].reason);
        json_count(&j, "instructions", s->left_out[i].instructions);
        json_count(&j, "lanes", s->left_out[i].lanes);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

int cmd_import(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath import",
                                           .args = "KERNELSLIST -o FILE",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {0};
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.list)
        return cli_fail(CLI_USAGE, "import: no input; import KERNELSLIST -o FILE");
    if (!v.output)
        return cli_fail(CLI_USAGE, "import: no output; -o FILE, as in -o app.gwt.zst");
    struct traceg_summary summary;
    const struct traceg_options how = {.skip_unknown = v.skip_unknown, .progress = show, .self = cli};
    int failed = traceg_import(v.list, v.output, &how, &summary, &err);
    if (cli->progress == CLI_PROGRESS_TERMINAL && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (failed)
        return cli_fail(CLI_USAGE, "%s", err.text);
    (cli->json ? print_json : print_line)(v.output, &summary);
    return CLI_DONE;
}
