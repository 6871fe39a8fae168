/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/progress.h"
#include "trace/import.h"

static const char doc[] =
    "Turns recordings of other tools into one warp trace. Of Accel-Sim's NVBit tracer, a recording is "
    "a list (kernelslist, kernelslist.g) and the files that it names, or one such file: .trace as the "
    "tracer writes it, .traceg, or .tracez of Accel-Sim 2.0. Any other tool can write warp accesses as "
    "rows of a .csv file, whose columns trace dump --csv shows. Memory traces of MGPUSim (-trace-mem) "
    "have no wavefronts: each vector cache becomes a warp. All but .tracez may be packed by gzip, xz "
    "or zstd. Accesses to global memory are kept. The last line counts omitted accesses by opcode and "
    "reason: accesses to shared, local, constant and tensor memory, textures and surfaces.\vExamples:\n"
    "  mempath import traces/kernelslist.g -o app.gwt.zst\n"
    "  mempath import traces/kernel-7.tracez -o kernel-7.gwt.zst   one kernel\n"
    "  mempath import accesses.csv -o app.gwt.zst                  rows of warp accesses\n"
    "  mempath import mem.trace --at '*L2*' -o app.gwt.zst         MGPUSim, from its L2 caches\n"
    "  mempath import traces/kernelslist.g -o app.gwt.zst --skip-unknown   omit unknown instructions\n"
    "  mempath trace info app.gwt.zst\n"
    "  mempath run demo --set tenants.0.trace=app.gwt.zst\n"
    "\n"
    "Memory does not grow with the recording; lines that are not in the order of warps are sorted in a "
    "temporary file in TMPDIR. The output is compressed if its name ends in .zst; it appears only when it is "
    "complete.";

struct values {
    const char *list, *output;
    bool skip_unknown;
    uint64_t lanes;
    const char *at;
};

enum { KEY_SKIP_UNKNOWN = 0x100, KEY_LANES, KEY_AT };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {"skip-unknown", KEY_SKIP_UNKNOWN, NULL, 0,
     "omit and count memory instructions with unknown opcodes instead of refusing the file", 0},
    {"lanes", KEY_LANES, "32|64", 0, "of a full warp in a .csv file (default: 32)", 0},
    {"at", KEY_AT, "LOCATIONS", 0,
     "of MGPUSim: the caches whose transactions count, with * and ? (default: '*L1V*')", 0},
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
    if (key == KEY_AT) {
        v->at = arg;
        return 0;
    }
    if (key == KEY_LANES) {
        if (cli_number("--lanes", arg, 32, 64, &v->lanes, err))
            return -1;
        return v->lanes == 32 || v->lanes == 64 ? 0 : mp_fail(err, "--lanes: %s; 32 or 64", arg);
    }
    if (v->list)
        return mp_fail(err, "import: '%s' is unexpected; one RECORDING", arg);
    v->list = arg;
    return 0;
}

struct shown {
    struct progress progress;
    uint64_t next; /* bytes before which nothing new is shown */
};

static void show(void *self, const struct import_progress *at)
{
    enum { STEPS = 500 };
    struct shown *s = self;
    if (at->bytes < s->next && at->bytes < at->total)
        return;
    s->next = at->bytes + at->total / STEPS;
    progress_update(&s->progress, 0, at->bytes, at->total);
    progress_draw(&s->progress);
}

static void print_line(const char *output, const struct import_summary *s)
{
    printf("%s: %" PRIu64 " kernel%s, %" PRIu64 " warp accesses; left out: ", output, s->kernels,
           s->kernels == 1 ? "" : "s", s->accesses);
    for (unsigned i = 0; i < s->rows; i++) {
        const struct import_left_out *l = &s->left_out[i];
        printf("%s%" PRIu64 " %s with %" PRIu64 " lanes (%s)", i ? ", " : "", l->instructions, l->opcode,
               l->lanes, l->reason);
    }
    puts(s->rows ? "" : "nothing");
}

static void print_json(const char *output, const struct import_summary *s)
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
                                           .args = "RECORDING -o FILE",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {0};
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.list)
        return cli_fail(CLI_USAGE, "import: no input; import RECORDING -o FILE, such as a kernelslist.g");
    if (!v.output)
        return cli_fail(CLI_USAGE, "import: no output; -o FILE, as in -o app.gwt.zst");
    struct import_summary summary;
    struct shown shown = {.next = 0};
    const struct import_options how = {.skip_unknown = v.skip_unknown,
                                       .lanes = (uint32_t)v.lanes,
                                       .at = v.at,
                                       .progress = show,
                                       .self = &shown};
    progress_begin(&shown.progress, cli, "bytes", 1, 0);
    progress_start(&shown.progress, "import", 0);
    int failed = import_recording(v.list, v.output, &how, &summary, &err);
    progress_end(&shown.progress);
    if (failed)
        return cli_fail(CLI_USAGE, "%s", err.text);
    (cli->json ? print_json : print_line)(v.output, &summary);
    return CLI_DONE;
}
