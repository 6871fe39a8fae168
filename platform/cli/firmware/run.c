/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath firmware run`: finds, opens and releases the image, the machine and the workloads. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/firmware/inject.h"
#include "cli/plugin/plugin.h"
#include "cli/spawn.h"
#include "cli/trace/cache.h"
#include "gpu/machine.h"
#include "soc/regs.h"
#include "vm/tables/design.h"

static bool has_number(const struct mp_reg_enum *numbers, const char *choice)
{
    for (unsigned i = 0; i < numbers->values; i++)
        if (!strcmp(numbers->value[i].choice, choice))
            return true;
    return false;
}

static int refuse_design(const char *path, const char *name, const struct mp_reg_enum *numbers)
{
    char allowed[300] = "";
    const char *choice;
    for (unsigned i = 0, n = 0; (choice = mp_choice(path, i)) && n < sizeof allowed; i++)
        if (has_number(numbers, choice))
            n += (unsigned)snprintf(allowed + n, sizeof allowed - n, "%s%s", n ? ", " : "", choice);
    return cli_fail(
        CLI_USAGE, "firmware run: %s = %s has no number in the register %s, by which firmware selects it; %s",
        path, name, numbers->where, allowed);
}

/* Firmware selects designs by the numbers that registers hold. */
static int check_numbers(const struct mp_config *machine)
{
    static const struct {
        const struct mp_block_kind *kind;
        const char *choice;
        enum mp_soc_enum numbers;
    } selected[] = {{&mp_tlb_kind, "policy", MP_ENUM_OF_mgmt_policy},
                    {&mp_walk_kind, "scheduler", MP_ENUM_OF_mgmt_scheduler}};
    const char *name;
    for (unsigned i = 0; (name = mp_config_level_name(machine, i)); i++)
        for (unsigned k = 0; k < sizeof selected / sizeof *selected; k++) {
            const struct mp_level *level = mp_machine_usual(name); /* others have no registers */
            const struct mp_reg_enum *numbers = &mp_soc_enums[selected[k].numbers];
            const struct mp_path path = mp_path(name, selected[k].choice);
            if (level && level->kind == selected[k].kind && mp_config_has_level(machine, name) &&
                !has_number(numbers, mp_config_word(machine, path.text)))
                return refuse_design(path.text, mp_config_word(machine, path.text), numbers);
        }
    return CLI_DONE;
}

static int check_machine(const struct firmware_values *v, const struct mp_config *machine)
{
    if (mp_config_is_mps(machine))
        return cli_fail(
            CLI_USAGE,
            "--gpu %s: machine.sharing = mps has no instances; machine.sharing = mig is needed (--set)",
            v->gpu);
    for (unsigned t = 0; t < machine->ntenants; t++)
        if (machine->tenant[t].managed)
            return cli_fail(CLI_USAGE,
                            "firmware run: tenants.%u.managed: firmware maps all memory itself; false", t);
    if (strcmp(mp_config_word(machine, "vm.format"), "mempath") != 0)
        return cli_fail(CLI_USAGE,
                        "firmware run: vm.format = %s: firmware writes page tables in mempath's format; "
                        "vm.format = mempath",
                        mp_config_word(machine, "vm.format"));
    if (!mp_page_table_design_find(mp_config_word(machine, "vm.table"))->tree)
        return cli_fail(CLI_USAGE,
                        "firmware run: vm.table = %s: firmware writes trees of tables; vm.table = %s",
                        mp_config_word(machine, "vm.table"), mp_page_table_designs[0]->design.name);
    if (strcmp(mp_config_word(machine, "vm.layout"), "standard") != 0)
        return cli_fail(CLI_USAGE,
                        "firmware run: vm.layout = %s: firmware writes page tables in the layout standard; "
                        "set that",
                        mp_config_word(machine, "vm.layout"));
    if (machine->stats.warmup)
        return cli_fail(CLI_USAGE,
                        "firmware run: stats.warmup = %ju: firmware chooses policies, "
                        "and launches count from their start; 0 is needed",
                        (uintmax_t)machine->stats.warmup);
    return check_numbers(machine);
}

static int load_machine(const struct firmware_values *v, struct mp_config *machine)
{
    struct mp_error err;
    if (mp_config_load(machine, v->gpu ? v->gpu : "star-a100-mig", v->sets, v->set, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = check_machine(v, machine);
    if (code)
        mp_config_free(machine);
    return code;
}

static bool is_file(const char *workload)
{
    size_t n = strlen(workload);
    return strchr(workload, '/') || (n > 4 && !strcmp(workload + n - 4, ".gwt")) ||
           (n > 8 && !strcmp(workload + n - 8, ".gwt.zst"));
}

/* The workloads as tenants, as cache_traces() needs them. */
static int tenants_of(const struct firmware_values *v, struct mp_config *traces, unsigned *numbers)
{
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++) {
        const char *w = v->workload[n], *colon = w ? strchr(w, ':') : NULL;
        if (!w)
            continue;
        struct mp_tenant_config *t = &traces->tenant[traces->ntenants];
        if (!is_file(w) && (!colon || colon == w || !colon[1]))
            return cli_fail(CLI_USAGE, "--workload %u=%s: no size; APP:SIZE, such as MT:small, or a trace", n,
                            w);
        if (is_file(w))
            t->trace = cli_have(strdup(w));
        else {
            t->app = cli_have(strndup(w, (size_t)(colon - w)));
            t->size = cli_have(strdup(colon + 1));
        }
        numbers[traces->ntenants++] = n;
    }
    return CLI_DONE;
}

static int find_workloads(const struct cli *cli, const struct firmware_values *v,
                          const struct mp_config *machine, char **trace, struct mp_tenant_config *program)
{
    struct mp_config traces = {.seed = machine->seed};
    const struct mp_config *const list[] = {&traces};
    char *found[MP_TENANTS] = {0};
    unsigned numbers[MP_SOC_WORKLOADS] = {0};
    mp_config_put(&traces, "sm.lanes", mp_config_value(machine, "sm.lanes"));
    int code = tenants_of(v, &traces, numbers);
    if (!code)
        code = cache_traces(cli, 1, list, 1, found);
    for (unsigned t = 0; t < traces.ntenants; t++)
        trace[numbers[t]] = found[t];
    for (unsigned t = 0; t < traces.ntenants; t++) { /* now owned by the caller */
        program[numbers[t]] = traces.tenant[t];
        traces.tenant[t] = (struct mp_tenant_config){0};
    }
    mp_config_free(&traces);
    return code;
}

static int open_trace(const struct firmware_values *v, struct mp_soc_run *run, struct mp_error *err)
{
    if (!v->trace_bus && !v->trace_first)
        return v->output && !v->checkpoint_at
                   ? mp_fail(err,
                             "-o: nothing to write; add --trace-bus, --trace-insn A:B or --checkpoint-at N")
                   : 0;
    run->trace = v->output ? fopen(v->output, "we") : stderr;
    if (!run->trace)
        return mp_fail(err, "-o %s: %s; a writable file is needed", v->output, strerror(errno));
    return 0;
}

/* Whether the whole file was written. */
static int close_trace(const struct firmware_values *v, const struct mp_soc_run *run)
{
    if (!run->trace)
        return CLI_DONE;
    bool failed = fflush(run->trace) || ferror(run->trace);
    if (run->trace != stderr)
        failed |= fclose(run->trace) != 0;
    return failed ? cli_fail(CLI_FAILED, "%s: the trace cannot be written; free some space",
                             v->output ? v->output : "stderr")
                  : CLI_DONE;
}

/* The file has its name when it is complete. */
static int open_coverage(const struct firmware_values *v, struct mp_soc_run *run, char part[PATH_MAX],
                         struct mp_error *err)
{
    if (!v->coverage)
        return 0;
    if (snprintf(part, PATH_MAX, "%s.part", v->coverage) >= PATH_MAX)
        return mp_fail(err, "--coverage: the name is too long; at most %d characters", PATH_MAX - 6);
    run->coverage = fopen(part, "we");
    return run->coverage
               ? 0
               : mp_fail(err, "--coverage %s: %s; a writable file is needed", v->coverage, strerror(errno));
}

/* A run that failed has coverage; one that did not begin has none. */
static int close_coverage(const struct firmware_values *v, const struct mp_soc_run *run, const char *part,
                          bool ran)
{
    if (!run->coverage)
        return CLI_DONE;
    bool failed = ferror(run->coverage);
    failed |= fclose(run->coverage) != 0;
    if (ran && !failed && !rename(part, v->coverage))
        return CLI_DONE;
    unlink(part);
    return ran ? cli_fail(CLI_FAILED, "--coverage: %s cannot be written; free some space", v->coverage)
               : CLI_DONE;
}

static const char *image_of(const struct firmware_values *v)
{
    return v->elf ? v->elf : v->argument[0];
}

/* The image that mempath contains needs three workloads: those of STAR's W6. */
static int use_shipped(struct firmware_values *v, char *image)
{
    static const char *const workloads[] = {"MT:small", "FFT:small", "FIR:small"};
    if (access(image, R_OK))
        return cli_fail(CLI_USAGE,
                        "firmware run: %s: %s; it is built if gcc-riscv64-unknown-elf and "
                        "picolibc-riscv64-unknown-elf are installed; or name another with --elf IMAGE.elf",
                        image, strerror(errno));
    v->elf = image;
    for (unsigned n = 0; n < sizeof workloads / sizeof *workloads; n++)
        v->workload[n] = v->workload[n] ? v->workload[n] : workloads[n];
    return CLI_DONE;
}

int firmware_run_one(const struct cli *cli, struct mp_soc_run *run, const struct mp_tenant_config *program,
                     struct firmware_injection *in, struct firmware_end *end)
{
    struct mp_error err;
    *end = (struct firmware_end){.ran = false};
    end->row = firmware_record_begin(cli, run, program, false, &end->why);
    if (end->row < 0)
        return -1;
    end->ran = !mp_soc_simulate(run, &end->result, &end->why);
    end->failed = !end->ran || firmware_failed(run->image, &end->result, &end->why) ||
                  firmware_checkpoint_missed(run, &end->result, &end->why);
    if (in && end->ran)
        firmware_judge(in, &end->result);
    const char *wrong = end->failed ? end->why.text : NULL;
    if (!firmware_record_end(run->db, end->ran ? &end->result : NULL, wrong, in, &err))
        return end->ran ? 0 : -1;
    if (!end->failed) /* of two errors the run's is reported first */
        end->why = err;
    end->failed = true;
    return -1;
}

int firmware_run_recorded(const struct cli *cli, struct mp_soc_run *run, const struct run_rtl *rtl,
                          const struct mp_tenant_config *program, struct firmware_injection *in)
{
    struct firmware_end end;
    struct firmware_checkpoint *c = run->checkpoint_context;
    c->row = &end.row;
    firmware_run_one(cli, run, program, in, &end);
    if (end.ran)
        run_rtl_unchecked(rtl);
    const char *wrong = end.failed ? end.why.text : NULL;
    if (end.ran && cli->json)
        firmware_print_json(&end, run, program, in);
    else if (end.ran)
        firmware_print_counts(end.row, &end.result);
    if (end.ran && in && in->outcome)
        firmware_print_injection(in);
    free(end.result.console);
    if (!end.ran || wrong)
        return cli_fail(end.ran ? CLI_FAILED : CLI_USAGE, "%s", end.why.text);
    return CLI_DONE;
}

static int load_rtl(const struct run_rtl *r, const struct mp_config *machine, struct mp_rtl *rtl,
                    struct mp_error *err)
{
    if (run_rtl_load(r, machine, rtl, err))
        return -1;
    for (unsigned i = 0; i < rtl->parts; i++)
        if (rtl->part[i].block->scan)
            return mp_fail(err, "firmware run: %s: firmware scans page tables itself; mempath run",
                           rtl->part[i].name);
    return 0;
}

static int simulate(struct cli *cli, struct firmware_values *v, const struct mp_config *machine,
                    char *const *trace, const struct mp_tenant_config *program)
{
    char checked[CACHE_FOLDER];
    struct mp_error err;
    struct mp_soc_run run = {.image = image_of(v),
                             .checked = cache_folder(checked, "checked", &err) ? NULL : checked,
                             .machine = machine,
                             .max_instructions = v->max_instructions,
                             .gdb = v->gdb ? (int)v->gdb_port : -1,
                             .stop = &cli_stop,
                             .stall_limit = v->stall_limit,
                             .replay_limit = (uint32_t)v->replay_limit,
                             .plugin = plugin_contents(),
                             .observe = v->observe,
                             .check = v->check,
                             .observe_file = v->observe_file,
                             .host_socket = v->host_socket,
                             .semihosting = v->semihosting,
                             .files = v->files,
                             .trace_bus = v->trace_bus,
                             .trace_first = v->trace_first,
                             .trace_last = v->trace_last,
                             .checkpoint_at = v->checkpoint_at,
                             .checkpoint = firmware_checkpoint_take,
                             .diagnosis = stderr};
    struct firmware_checkpoint c = {.cli = cli, .v = v, .run = &run, .program = program};
    run.checkpoint_context = &c;
    struct firmware_console console;
    char part[PATH_MAX];
    struct mp_script script = {.name = NULL};
    struct mp_host_script host = {.name = NULL};
    if (load_rtl(&v->rtl, machine, &run.rtl, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v->input || v->script) {
        if (firmware_open_input(v->input, v->script, &script, &err))
            return cli_fail(CLI_USAGE, "%s", err.text);
        run.script = &script;
    }
    if (v->host) {
        if (firmware_open_host(v->host, &host, &err))
            return cli_fail(CLI_USAGE, "%s", err.text);
        run.host = &host;
    }
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++)
        run.workload[n] = trace[n];
    const char *uart = v->uart ? v->uart : cli->json ? NULL : "-";
    if (open_trace(v, &run, &err) || firmware_open_uart(uart, &run, &console, &err) ||
        open_coverage(v, &run, part, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v->from) { /* returns only if that fails */
        firmware_checkpoint_enter(&c, &err);
        return cli_fail(CLI_USAGE, "%s", err.text);
    }
    int code = v->inject ? firmware_inject(cli, v, &run, program)
                         : firmware_run_recorded(cli, &run, &v->rtl, program, NULL);
    if (code == CLI_FAILED && v->check)
        fprintf(stderr, "again: %s\n", v->again);
    firmware_close_uart(&run, &console);
    mp_script_free(&script);
    mp_host_script_free(&host);
    int untraced = close_trace(v, &run);
    int uncovered = close_coverage(v, &run, part, code != CLI_USAGE);
    return code ? code : untraced ? untraced : uncovered;
}

static int run_image(struct cli *cli, struct firmware_values *v)
{
    struct mp_config machine;
    char *trace[MP_SOC_WORKLOADS] = {0};
    struct mp_tenant_config program[MP_SOC_WORKLOADS] = {{0}};
    int code = load_machine(v, &machine);
    if (code)
        return code;
    cli_catch_signals();
    code = find_workloads(cli, v, &machine, trace, program);
    if (!code)
        code = simulate(cli, v, &machine, trace, program);
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++) {
        free(trace[n]);
        free(program[n].app);
        free(program[n].size);
        free(program[n].trace);
    }
    mp_config_free(&machine);
    return code;
}

/* Input from a terminal or GDB may not come again, so nothing is run again for waves of a difference. */
static int check_rtl(const struct run_rtl *rtl, struct mp_error *err)
{
    if (rtl->waves.file && !rtl->waves.last)
        return mp_fail(err,
                       "--waves: no window is given; add --waves-window FIRST:LAST, in cycles of the GPU");
    return run_rtl_check(rtl, 1, err);
}

int firmware_run(struct cli *cli, struct firmware_values *v)
{
    struct mp_error err;
    if (cli->json && v->uart && !strcmp(v->uart, "-"))
        return cli_fail(
            CLI_USAGE,
            "--uart -: stdout is for the document of --json, which contains the console; use a file or pty");
    if (v->input && v->script)
        return cli_fail(CLI_USAGE, "firmware run: --input and --script; one of both");
    if ((v->input || v->script) && v->uart && !strcmp(v->uart, "pty"))
        return cli_fail(CLI_USAGE, "firmware run: --uart pty and input from a file; a terminal types itself");
    if (v->host && v->host_socket)
        return cli_fail(CLI_USAGE, "firmware run: --host and --host-socket; one of both");
    if (v->inject && (v->gdb || v->host_socket || (v->uart && !strcmp(v->uart, "pty"))))
        return cli_fail(CLI_USAGE, "--inject: --gdb, --host-socket and --uart pty do not repeat; --host, "
                                   "--script or --input do");
    if (v->jobs && !v->seeds)
        return cli_fail(CLI_USAGE, "--jobs: no runs of seeds; add --seeds FIRST:LAST");
    if (v->seeds && !v->inject)
        return cli_fail(CLI_USAGE, "--seeds: no plan of faults; add --inject FILE");
    if (v->elf && v->arguments)
        return cli_fail(CLI_USAGE, "firmware run: two images; name one, as in firmware run --elf IMAGE.elf");
    if (check_rtl(&v->rtl, &err) || firmware_checkpoint_check(v, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    char *shipped = image_of(v) ? NULL : spawn_beside("mempath-firmware.elf");
    int code = shipped ? use_shipped(v, shipped) : CLI_DONE;
    if (!code)
        code = run_image(cli, v);
    run_rtl_finish(&v->rtl, cli->json || code == CLI_USAGE ? NULL : stderr);
    free(shipped);
    return code;
}
