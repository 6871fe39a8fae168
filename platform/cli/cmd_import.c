/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "trace/traceg.h"

static const char doc[] =
    "Turns traces of a real GPU (Accel-Sim / NVBit: kernelslist.g and its .traceg or .traceg.xz files) into "
    "one warp "
    "trace. Global and constant accesses are kept; those to shared and local memory are not."
    "\vExamples:\n"
    "  mempath import traces/kernelslist.g -o app.gwt.zst\n"
    "  mempath trace info app.gwt.zst\n"
    "  mempath run demo --set tenants.0.trace=app.gwt.zst\n"
    "\n"
    "The output is compressed when its name ends in .zst; it appears only when it is whole.";

struct values {
    const char *list, *output;
};

static const struct argp_option options[] = {{"output", 'o', "FILE", 0, "the trace to write", 0}, {0}};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key == 'o') {
        v->output = arg;
        return 0;
    }
    if (v->list)
        return mp_fail(err, "import: '%s' is too much; one KERNELSLIST", arg);
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
    int failed = traceg_import(v.list, v.output, show, cli, &err);
    if (cli->progress == CLI_PROGRESS_TERMINAL && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (failed)
        return cli_fail(CLI_USAGE, "%s", err.text);
    return CLI_DONE;
}
