/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/cache.h"
#include "cli/cli.h"
#include "cli/firmware.h"
#include "soc/run.h"

static const char doc[] =
    "Runs firmware on the RISC-V management core (RV64IMAC, M-mode), lists the registers that it sees, or "
    "tells "
    "what stands at an address."
    "\v`run` loads IMAGE.elf, an executable of riscv64-unknown-elf-gcc, to its physical addresses and starts "
    "it; without one, the image that comes along (sw/firmware), which runs three tenants on MIG instances "
    "without and with STAR, or has a console for who types something. "
    "It ends when the firmware writes the finisher; the exit code is 0 when that said done, 1 otherwise. The "
    "core manages a GPU, of the machine that --gpu names; launches on it run the workloads that --workload "
    "numbers. A run that cannot go on, or does not for --stall-limit instructions, ends with what was seen "
    "last "
    "on stderr: program counter, interrupts, what the GPU owes, accesses of the bus.\n\n"
    "`regs` lists every register, or those whose block, name or text has PATTERN.\n\n"
    "`where` tells function and source line of addresses of an executable compiled with -g.\n\n"
    "Traces have a line for each access of the bus (time, who, program counter, symbol, direction, bytes, "
    "address, "
    "register, data, response: ok, error of the device, or refused on the way) or instruction (its number "
    "and code). Loads and stores to memory do not use the bus.\n\n"
    "Examples:\n"
    "  mempath firmware run                                three tenants, their counters on the console\n"
    "  mempath firmware run --uart pty                     a console to type at, for `screen`\n"
    "  mempath firmware run hello.elf                      the console on stdout\n"
    "  mempath firmware run hello.elf --max-instructions 1000000\n"
    "  mempath firmware run mm.elf --workload 0=MT:small --workload 1=./mine.gwt.zst --set "
    "l3_tlb.entries=512\n"
    "  mempath firmware run hello.elf --gdb 3333           then: gdb-multiarch hello.elf -ex 'target remote "
    ":3333'\n"
    "  mempath firmware run --elf hello.elf --trace-bus -o bus.txt\n"
    "  mempath firmware run hello.elf --trace-insn 1000:1200\n"
    "  mempath firmware where --elf hello.elf 0x80000084\n"
    "  mempath firmware regs uart\n"
    "  mempath firmware regs --record && mempath query registers block=GPU";

enum {
    KEY_UART = 256,
    KEY_MAX,
    KEY_GDB,
    KEY_GPU,
    KEY_WORKLOAD,
    KEY_SET,
    KEY_ELF,
    KEY_TRACE_BUS,
    KEY_TRACE_INSN,
    KEY_STALL,
    KEY_MARKDOWN,
    KEY_RECORD
};
enum { MOST_SETS = 64 };

/* Instructions without progress: a fifth of a second of simulated time. */
#define STALL_LIMIT 200000000

static const struct argp_option options[] = {
    {"elf", KEY_ELF, "IMAGE.elf", 0, "the image (default: the one that comes along)", 0},
    {"uart", KEY_UART, "FILE|-|pty", 0,
     "where the console goes: a file, - for stdout (default), or a new "
     "pseudo-terminal, which takes input too",
     0},
    {"max-instructions", KEY_MAX, "N", 0, "stop after so many; the exit code is then 1", 0},
    {"stall-limit", KEY_STALL, "N", 0,
     "stop after so many instructions without a write to a device or work of the GPU; 0 never "
     "(default: 200 million; never with --gdb)",
     0},
    {"gdb", KEY_GDB, "PORT", 0,
     "wait for GDB at this TCP port of this machine, 0 for any, before the first instruction", 0},
    {"gpu", KEY_GPU, "MACHINE", 0, "preset or experiment whose machine the GPU is (default star-a100-mig)",
     0},
    {"workload", KEY_WORKLOAD, "N=APP:SIZE|FILE", 0,
     "launches of workload N, 0 to 7, run this application or trace (.gwt, .gwt.zst)", 0},
    {"set", KEY_SET, "PATH=VALUE", 0, "change a parameter of the machine, as in `mempath run`", 0},
    {"trace-bus", KEY_TRACE_BUS, 0, 0, "a line for each access of the bus", 0},
    {"trace-insn", KEY_TRACE_INSN, "A:B", 0, "a line for each instruction from the A-th to the B-th", 0},
    {"output", 'o', "FILE", 0, "where traces go (default: stderr)", 0},
    {"markdown", KEY_MARKDOWN, 0, 0, "regs: all as a document", 0},
    {"record", KEY_RECORD, 0, 0, "regs: all to the database, for `mempath query registers`", 0},
    {0},
};

struct values {
    const char *action, *uart, *gpu, *elf, *output;
    const char *argument[FIRMWARE_ADDRESSES];
    unsigned arguments;
    uint64_t max_instructions, stall_limit, gdb_port, trace_first, trace_last;
    bool gdb, trace_bus, markdown, record;
    const char *set[MOST_SETS];
    unsigned sets;
    const char *workload[MP_SOC_WORKLOADS]; /* APP:SIZE or FILE */
};

static int workload_option(struct values *v, const char *arg, struct mp_error *err)
{
    unsigned n = (unsigned)(arg[0] - '0');
    if (n >= MP_SOC_WORKLOADS || arg[1] != '=' || !arg[2])
        return mp_fail(err, "--workload '%.60s': no workload; N=APP:SIZE or N=FILE, N from 0 to %u", arg,
                       MP_SOC_WORKLOADS - 1);
    if (v->workload[n])
        return mp_fail(err, "--workload '%.60s': %u is given twice; each number once", arg, n);
    v->workload[n] = arg + 2;
    return 0;
}

static int range(struct values *v, const char *arg, struct mp_error *err)
{
    const char *colon = strchr(arg, ':');
    char first[24];
    if (!colon || (size_t)(colon - arg) >= sizeof first)
        return mp_fail(err, "--trace-insn: '%s' is no range; A:B with instructions counted from 1", arg);
    snprintf(first, sizeof first, "%.*s", (int)(colon - arg), arg);
    return cli_number("--trace-insn", first, 1, UINT64_MAX, &v->trace_first, err) ||
                   cli_number("--trace-insn", colon + 1, v->trace_first, UINT64_MAX, &v->trace_last, err)
               ? -1
               : 0;
}

static int argument(struct values *v, const char *arg, struct mp_error *err)
{
    if (!v->action)
        v->action = arg;
    else if (v->arguments == (strcmp(v->action, "where") ? 1 : FIRMWARE_ADDRESSES))
        return mp_fail(err, "firmware: '%s' is too much; run [IMAGE.elf], regs [PATTERN] or where ADDRESS...",
                       arg);
    else
        v->argument[v->arguments++] = arg;
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_UART:
        v->uart = arg;
        return 0;
    case KEY_ELF:
        v->elf = arg;
        return 0;
    case KEY_MAX:
        return cli_number("--max-instructions", arg, 1, UINT64_MAX, &v->max_instructions, err);
    case KEY_STALL:
        return cli_number("--stall-limit", arg, 0, UINT64_MAX, &v->stall_limit, err);
    case KEY_GDB:
        v->gdb = true;
        return cli_number("--gdb", arg, 0, 65535, &v->gdb_port, err);
    case KEY_GPU:
        v->gpu = arg;
        return 0;
    case KEY_WORKLOAD:
        return workload_option(v, arg, err);
    case KEY_SET:
        if (v->sets == MOST_SETS)
            return mp_fail(err, "--set '%.60s': too many; %d at most", arg, MOST_SETS);
        v->set[v->sets++] = arg;
        return 0;
    case KEY_TRACE_BUS:
        v->trace_bus = true;
        return 0;
    case KEY_TRACE_INSN:
        return range(v, arg, err);
    case 'o':
        v->output = arg;
        return 0;
    case KEY_MARKDOWN:
        v->markdown = true;
        return 0;
    case KEY_RECORD:
        v->record = true;
        return 0;
    case ARGP_KEY_ARG:
        return argument(v, arg, err);
    default:
        return 0;
    }
}

/* --- run ---------------------------------------------------------------------------------------- */

/* A terminal's far side stays open here as well: so output is kept until somebody reads it, and its end is
 * nobody's hanging up. */
struct console {
    int far_side; /* -1: not a terminal */
};

/* The master side of a new pseudo-terminal, raw; says where its other side is. */
static int open_pty(struct console *c, struct mp_error *err)
{
    struct termios raw;
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || grantpt(fd) || unlockpt(fd) || (c->far_side = open(ptsname(fd), O_RDWR | O_NOCTTY)) < 0)
        return mp_fail(err, "--uart pty: %s; a system with pseudo-terminals is needed", strerror(errno));
    if (!tcgetattr(c->far_side, &raw)) {
        cfmakeraw(&raw);
        tcsetattr(c->far_side, TCSANOW, &raw);
    }
    fprintf(stderr, "mempath: the console is %s\n", ptsname(fd));
    return fd;
}

static int open_uart(const char *where, struct mp_soc_run *run, struct console *c, struct mp_error *err)
{
    run->console_in = c->far_side = -1;
    if (!where || !strcmp(where, "-")) {
        run->console_out = STDOUT_FILENO;
        return 0;
    }
    bool pty = !strcmp(where, "pty");
    run->console_out = pty ? open_pty(c, err) : open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (pty)
        run->console_in = run->console_out;
    else if (run->console_out < 0)
        return mp_fail(err, "--uart %s: %s; a file that can be written, - or pty", where, strerror(errno));
    return run->console_out < 0 ? -1 : 0;
}

/* What nobody has read when a terminal closes is lost: its reader gets a second. */
static void close_uart(const struct mp_soc_run *run, const struct console *c)
{
    enum { PATIENCE = 100, PAUSE_US = 10000, QUIET = 3 };
    int unread = 0;
    if (c->far_side >= 0) {
        for (int i = 0, quiet = 0; i < PATIENCE && quiet < QUIET; i++) {
            usleep(PAUSE_US);
            quiet = ioctl(c->far_side, FIONREAD, &unread) || !unread ? quiet + 1 : 0;
        }
        close(c->far_side);
    }
    if (run->console_out != STDOUT_FILENO)
        close(run->console_out);
}

static void print_counts(const struct mp_soc_result *r)
{
    uint64_t exceptions = 0, interrupts = 0;
    for (unsigned i = 0; i < MP_TRAPS; i++) {
        exceptions += r->counts.exceptions[i];
        interrupts += r->counts.interrupts[i];
    }
    fprintf(stderr,
            "mempath: %" PRIu64 " instructions, %" PRIu64 " exceptions, %" PRIu64
            " interrupts, %.3f ms simulated, "
            "%.1f million instructions a second\n",
            r->counts.instructions, exceptions, interrupts, (double)r->picoseconds / 1e9,
            (double)r->counts.instructions / (r->seconds > 0 ? r->seconds : 1) / 1e6);
}

/* False when all went well. */
static bool went_wrong(const char *image, const struct mp_soc_result *r, struct mp_error *why)
{
    if (r->end == MP_SOC_FINISHED && !r->exit_code)
        return false;
    if (r->end == MP_SOC_FINISHED)
        mp_fail(why, "%s: the firmware failed with code %d", image, r->exit_code);
    else if (r->end == MP_SOC_LIMIT)
        mp_fail(why, "%s: not done after %" PRIu64 " instructions, pc 0x%" PRIx64 "; --max-instructions",
                image, r->counts.instructions, r->pc);
    else if (r->end == MP_SOC_STUCK)
        mp_fail(why, "%s: pc 0x%" PRIx64 ": %s", image, r->pc, r->why);
    else
        mp_fail(why, "%s: interrupted at pc 0x%" PRIx64, image, r->pc);
    return true;
}

/* The machine without tenants, for firmware makes those. */
static int load_machine(const struct values *v, struct mp_config *machine)
{
    struct mp_error err;
    if (mp_config_load(machine, v->gpu ? v->gpu : "star-a100-mig", v->sets, v->set, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (!mp_config_is_mps(machine))
        return CLI_DONE;
    mp_config_free(machine);
    return cli_fail(CLI_USAGE, "--gpu %s: machine.sharing = mps has no instances; a machine with mig (--set)",
                    v->gpu);
}

static bool is_file(const char *workload)
{
    size_t n = strlen(workload);
    return strchr(workload, '/') || (n > 4 && !strcmp(workload + n - 4, ".gwt")) ||
           (n > 8 && !strcmp(workload + n - 8, ".gwt.zst"));
}

/* The workloads as tenants, which is how traces are found. */
static int tenants_of(const struct values *v, struct mp_config *traces, unsigned *numbers)
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
            t->trace = strdup(w);
        else {
            t->app = strndup(w, (size_t)(colon - w));
            t->size = strdup(colon + 1);
        }
        numbers[traces->ntenants++] = n;
    }
    return CLI_DONE;
}

static int find_workloads(const struct cli *cli, const struct values *v, uint64_t seed, char **trace,
                          struct mp_tenant_config *program)
{
    struct mp_config traces = {.seed = seed};
    const struct mp_config *const list[] = {&traces};
    char *found[MP_MAX_TENANTS] = {0};
    unsigned numbers[MP_SOC_WORKLOADS] = {0};
    int code = tenants_of(v, &traces, numbers);
    if (!code)
        code = cache_traces(cli, 1, list, 1, found);
    for (unsigned t = 0; t < traces.ntenants; t++)
        trace[numbers[t]] = found[t];
    for (unsigned t = 0; t < traces.ntenants; t++) { /* the caller's from now on */
        program[numbers[t]] = traces.tenant[t];
        traces.tenant[t] = (struct mp_tenant_config){0};
    }
    mp_config_free(&traces);
    return code;
}

static int open_trace(const struct values *v, struct mp_soc_run *run, struct mp_error *err)
{
    if (!v->trace_bus && !v->trace_first)
        return v->output ? mp_fail(err, "-o: there is nothing to write; --trace-bus or --trace-insn A:B") : 0;
    run->trace = v->output ? fopen(v->output, "we") : stderr;
    if (!run->trace)
        return mp_fail(err, "-o %s: %s; a file that can be written", v->output, strerror(errno));
    return 0;
}

/* Whether all of it was written. */
static int close_trace(const struct values *v, const struct mp_soc_run *run)
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

static const char *image_of(const struct values *v)
{
    return v->elf ? v->elf : v->argument[0];
}

/* The image that comes along, which wants three workloads: those of STAR's W6. */
static int use_shipped(struct values *v, char *image)
{
    static const char *const workloads[] = {"MT:small", "FFT:small", "FIR:small"};
    if (access(image, R_OK))
        return cli_fail(CLI_USAGE,
                        "firmware run: %s: %s; it is built when gcc-riscv64-unknown-elf and "
                        "picolibc-riscv64-unknown-elf are there, or --elf IMAGE.elf",
                        image, strerror(errno));
    v->elf = image;
    for (unsigned n = 0; n < sizeof workloads / sizeof *workloads; n++)
        v->workload[n] = v->workload[n] ? v->workload[n] : workloads[n];
    return CLI_DONE;
}

/* Between the row's beginning and its end; both messages of a failure matter, the run's first. */
static int run_recorded(const struct cli *cli, struct mp_soc_run *run, const struct mp_tenant_config *program)
{
    struct mp_soc_result result = {.console = NULL};
    struct mp_error err, why, *wrong = NULL;
    if (firmware_record_begin(cli, run, program, &run->db, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int failed = mp_soc_simulate(run, &result, &why);
    if (failed || went_wrong(run->image, &result, &why))
        wrong = &why;
    int unrecorded = firmware_record_end(run->db, failed ? NULL : &result, wrong ? wrong->text : NULL, &err);
    free(result.console);
    if (!failed)
        print_counts(&result);
    if (wrong)
        return cli_fail(failed ? CLI_USAGE : CLI_FAILED, "%s", wrong->text);
    return unrecorded ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

static int simulate(const struct cli *cli, const struct values *v, const struct mp_config *machine,
                    char *const *trace, const struct mp_tenant_config *program)
{
    struct mp_soc_run run = {.image = image_of(v),
                             .machine = machine,
                             .max_instructions = v->max_instructions,
                             .gdb = v->gdb ? (int)v->gdb_port : -1,
                             .stop = &cli_stop,
                             .stall_limit = v->stall_limit,
                             .trace_bus = v->trace_bus,
                             .trace_first = v->trace_first,
                             .trace_last = v->trace_last,
                             .diagnosis = stderr};
    struct console console;
    struct mp_error err;
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++)
        run.workload[n] = trace[n];
    if (open_trace(v, &run, &err) || open_uart(v->uart, &run, &console, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = run_recorded(cli, &run, program);
    close_uart(&run, &console);
    int untraced = close_trace(v, &run);
    return code ? code : untraced;
}

static int run_image(const struct cli *cli, const struct values *v)
{
    struct mp_config machine;
    char *trace[MP_SOC_WORKLOADS] = {0};
    struct mp_tenant_config program[MP_SOC_WORKLOADS] = {{0}};
    int code = load_machine(v, &machine);
    if (code)
        return code;
    cli_catch_signals();
    code = find_workloads(cli, v, machine.seed, trace, program);
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

static int run_command(const struct cli *cli, struct values *v)
{
    if (v->elf && v->arguments)
        return cli_fail(CLI_USAGE, "firmware run: two images; firmware run [--elf IMAGE.elf]");
    char *shipped = image_of(v) ? NULL : cache_beside("mempath-firmware.elf");
    int code = shipped ? use_shipped(v, shipped) : CLI_DONE;
    if (!code)
        code = run_image(cli, v);
    free(shipped);
    return code;
}

int cmd_firmware(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath firmware",
        .args = "run [IMAGE.elf]|regs [PATTERN]|where --elf IMAGE.elf ADDRESS...",
        .doc = doc,
        .options = options,
        .option = option};
    struct values v = {.stall_limit = STALL_LIMIT};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.action && !strcmp(v.action, "regs"))
        return v.markdown ? firmware_document_registers()
               : v.record ? firmware_record_registers(cli)
                          : firmware_list_registers(cli, v.argument[0]);
    if (v.action && !strcmp(v.action, "run"))
        return run_command(cli, &v);
    if (v.action && !strcmp(v.action, "where"))
        return firmware_where(cli, v.elf, v.arguments, v.argument);
    return cli_fail(CLI_USAGE,
                    "firmware: unknown action '%s'; run [IMAGE.elf], regs [PATTERN] or where ADDRESS...",
                    v.action ? v.action : "");
}
