/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/firmware/firmware.h"
#include "image/image.h"

static const char doc[] =
    "Runs firmware on the RISC-V management core (RV64IMAC), lists the registers that it sees, finds "
    "the source line of an address, or writes the library that firmware can be built with.\v`run` loads "
    "IMAGE.elf, an executable of riscv64-unknown-elf-gcc, to its physical addresses and starts it; without "
    "IMAGE.elf, the included image (sw/firmware), which runs three tenants on MIG instances without and with "
    "STAR, or opens a console if something is typed. The run ends when the firmware writes the finisher; the "
    "exit code is 0 if it wrote \"done\", 1 otherwise. The core manages a GPU, the machine that --gpu "
    "selects; launches on it run the workloads that --workload numbers. A run that cannot go on, or makes no "
    "progress for --stall-limit instructions or --replay-limit replays of faulted pages, ends with the "
    "latest state on stderr: program counter, interrupts, requests that the GPU has not answered, bus "
    "accesses. If the firmware took an exception before it failed, the error line contains the cause, the "
    "place in the source, and the meaning of the address.\n"
    "\n"
    "`run --check` ends the run with exit code 1 at the first translation that differs from the page tables, "
    "or whose frame belongs to another page or a page table by now, is writable in two address spaces, or "
    "lacks "
    "the contents of the page that was moved there. The line has the frame, pages and spaces, the walk, and "
    "the place and cycle of the store that made the entry.\n"
    "\n"
    "`regs` lists every register, or those whose block, name, text or values contain PATTERN, with the "
    "values of their enumerations.\n"
    "\n"
    "`where` prints function and source line of addresses of an executable compiled with -g.\n"
    "\n"
    "`sdk` writes a new folder DIR with the drivers as libmempath-fw.a, their headers, the linker script, an "
    "example, and build.sh, which compiles and links a program in one command.\n"
    "\n"
    "Traces have a line for each bus access (time, initiator, program counter, symbol, direction, bytes, "
    "address, register, data, response: ok, error of the device, or refused on the way) or instruction (its "
    "number, code and text). Loads and stores to memory do not use the bus.\n"
    "\n"
    "Examples:\n"
    "  mempath firmware run                                three tenants, their counters on the console\n"
    "  mempath firmware run --uart pty                     a console to type at, for `screen`\n"
    "  printf '\\nhelp\\nquit\\n' | mempath firmware run --input -   a key opens the console\n"
    "  mempath firmware run --script console.txt           a dialogue with it\n"
    "  mempath firmware run hello.elf --max-instructions 1000000\n"
    "  mempath firmware run --json                         "
    "how it ended, traps, counters by address space, console\n"
    "  mempath firmware run mm.elf --workload 0=MT:small "
    "--workload 1=./mine.gwt.zst --set l3_tlb.entries=512\n"
    "  mempath firmware run hello.elf --gdb 3333           "
    "then: gdb-multiarch hello.elf -ex 'target remote :3333'\n"
    "  mempath firmware run --elf hello.elf --trace-bus -o bus.txt\n"
    "  mempath firmware run hello.elf --trace-insn 1000:1200\n"
    "  mempath firmware run hello.elf --coverage hello.info"
    "                then: genhtml --ignore-errors source -o coverage hello.info\n"
    "  mempath firmware run --rtl l3_tlb                   the same with the RTL of the L3 TLB\n"
    "  mempath firmware run --observe gpu.l3_tlb=l3.txt    every request to the L3 TLB\n"
    "  mempath firmware run --check                        no translation or frame is wrong\n"
    "  mempath firmware run --checkpoint-at 400000 -o fw.checkpoint\n"
    "  mempath firmware run --from fw.checkpoint --trace-bus -o bus.txt\n"
    "  mempath firmware run --inject faults.yaml           faults of the hardware, and what became of them\n"
    "  mempath firmware where --elf hello.elf 0x80000084\n"
    "  mempath firmware sdk fw && fw/build.sh tenants.elf fw/example/tenants.c\n"
    "  mempath firmware run tenants.elf --workload 0=MT:small --workload 1=FIR:small\n"
    "  mempath firmware regs uart\n"
    "  mempath firmware regs --record && mempath query registers block=GPU";

enum {
    KEY_UART = 256,
    KEY_INPUT,
    KEY_SCRIPT,
    KEY_HOST,
    KEY_HOST_SOCKET,
    KEY_SEMIHOSTING,
    KEY_MAX,
    KEY_GDB,
    KEY_GPU,
    KEY_WORKLOAD,
    KEY_SET,
    KEY_ELF,
    KEY_TRACE_BUS,
    KEY_TRACE_INSN,
    KEY_COVERAGE,
    KEY_CHECKPOINT,
    KEY_FROM,
    KEY_STALL,
    KEY_REPLAY,
    KEY_OBSERVE,
    KEY_CHECK,
    KEY_INJECT,
    KEY_SEEDS,
    KEY_MARKDOWN,
    KEY_RECORD
};
/* Instructions without progress: 1.2 s of simulated time, so that firmware can wait for a second by polling
 * the time. */
#define STALL_LIMIT 1200000000
/* Firmware that waits for a page, for example for a copy of 2 MB, needs fewer. */
#define REPLAY_LIMIT     1000
#define MAX_REPLAY_LIMIT 65535

static const struct argp_option options[] = {
    {"elf", KEY_ELF, "IMAGE.elf", 0, "the image (default: the included one)", 0},
    {"uart", KEY_UART, "FILE|-|pty", 0,
     "the console: a file, - for stdout (default; with --json the document contains it), or a new "
     "pseudo-terminal, also for input",
     0},
    {"input", KEY_INPUT, "FILE|-", 0,
     "type the characters of a file, or of stdin up to its end, at the console as fast as it takes them", 0},
    {"script", KEY_SCRIPT, "FILE", 0,
     "type at the console by a script with a step in each line: send TEXT; wait TEXT, until the console has "
     "printed it; wait TEXT within 10ms, of simulated time (default 10s); pause 10ms. Text in quotes may "
     "have "
     "\\n and \\xHH. A wait that fails ends the run with exit code 1",
     0},
    {"host", KEY_HOST, "SCRIPT.yaml", 0,
     "play the host, whose driver uses the GPU by commands to the firmware: a list of steps such as - "
     "create: "
     "{instance: 0, slices: 3}, - wait: {tag: 1, within: 20ms}, - expect: {counter: walks, space: 0, least: "
     "1}, "
     "- pause: 1ms; `mempath firmware regs host` lists the commands. A step that fails ends the run with "
     "exit code 1",
     0},
    {"host-socket", KEY_HOST_SOCKET, "PATH", 0,
     "make a Unix socket, for this user only, and wait for a driver that uses the GPU from another process, "
     "for example with the library of sw/host; simulated time passes only while the driver waits",
     0},
    {"semihosting", KEY_SEMIHOSTING, "FOLDER", OPTION_ARG_OPTIONAL,
     "answer the calls by which a program asks its host: console, simulated time, exit code and, with "
     "FOLDER, "
     "files in it; for images such as those of picolibc's --oslib=semihost --crt0=semihost",
     0},
    {"max-instructions", KEY_MAX, "N", 0, "stop after N instructions with exit code 1", 0},
    {"stall-limit", KEY_STALL, "N", 0,
     "stop after N instructions without progress: a character of the console, a write that does not repeat "
     "earlier ones, a timer interrupt, or work of the GPU; reads, the time and stores to RAM are none; a "
     "loop "
     "that nothing can end is found at once; 0: never, and loops run, too (default: 1.2 billion, 1.2 s of "
     "simulated time; never with --gdb)",
     0},
    {"replay-limit", KEY_REPLAY, "N", 0,
     "stop when a page has faulted again after each of N replays, up to 65535, and no other page of its "
     "address space came meanwhile; 0 never (default: 1000; never with --gdb)",
     0},
    {"gdb", KEY_GDB, "PORT", 0,
     "wait for GDB at this TCP port of this machine, 0 for any, before the first instruction", 0},
    {"gpu", KEY_GPU, "MACHINE", 0, "preset or experiment with the GPU's machine (default star-a100-mig)", 0},
    {"workload", KEY_WORKLOAD, "N=APP:SIZE|FILE", 0,
     "launches of workload N, 0 to 7, run this application or trace (.gwt, .gwt.zst)", 0},
    {"set", KEY_SET, "PATH=VALUE", 0, "change a parameter of the machine, as in `mempath run`", 0},
    RUN_RTL_OPTIONS,
    {"observe", KEY_OBSERVE, "PATH=FILE", 0,
     "write the traffic of the links into a block of the GPU, such as gpu.l3_tlb or gpu.gpc*walk, as text",
     0},
    {"check", KEY_CHECK, 0, 0,
     "compare every translation with the page tables that firmware has written, and its frame with "
     "what other pages have; stop at the first that is wrong; slower, with the same results",
     0},
    {"inject", KEY_INJECT, "FILE", 0,
     "let the faults of a plan in YAML happen, and compare with the run without them, which runs first: a "
     "line "
     "and a row for each says recovered, detected, undetected, wrong result or not reached",
     0},
    {"seeds", KEY_SEEDS, "FIRST:LAST|N", 0,
     "run once for each seed of the plan's random faults, and print what became of each kind of fault", 0},
    {"jobs", 'j', "N", 0, "parallel runs of --seeds (default: one per processor); the results are the same",
     0},
    {"trace-bus", KEY_TRACE_BUS, 0, 0, "write a line for each bus access", 0},
    {"trace-insn", KEY_TRACE_INSN, "A:B", 0, "write a line for each instruction from the A-th to the B-th",
     0},
    {"coverage", KEY_COVERAGE, "FILE", 0,
     "write how often each source line and function was executed, in lcov's format; the image needs -g, "
     "but no instrumentation; slower, with the same results",
     0},
    {"checkpoint-at", KEY_CHECKPOINT, "N", 0,
     "write the state after N instructions, or the few more to the end of a quantum, to the file of -o", 0},
    {"from", KEY_FROM, "FILE", 0,
     "go on from a checkpoint, with the same program, image and options; another console, --gdb, traces "
     "and --max-instructions are possible",
     0},
    {"output", 'o', "FILE", 0, "where traces go (default: stderr), or the checkpoint", 0},
    {"markdown", KEY_MARKDOWN, 0, 0, "regs: print all as a document", 0},
    {"record", KEY_RECORD, 0, 0, "regs: store all in the database, for `mempath query registers`", 0},
    {0},
};

static int workload_option(struct firmware_values *v, const char *arg, struct mp_error *err)
{
    unsigned n = (unsigned)(arg[0] - '0');
    if (n >= MP_SOC_WORKLOADS || arg[1] != '=' || !arg[2])
        return mp_fail(err, "--workload '%.60s': not a workload; N=APP:SIZE or N=FILE, N from 0 to %u", arg,
                       MP_SOC_WORKLOADS - 1);
    if (v->workload[n])
        return mp_fail(err, "--workload '%.60s': %u is given twice; each number once", arg, n);
    v->workload[n] = arg + 2;
    return 0;
}

/* PATH=FILE. */
static int observe_option(struct firmware_values *v, const char *arg, struct mp_error *err)
{
    const char *is = strchr(arg, '=');
    if (!is || is == arg || !is[1])
        return mp_fail(err, "--observe '%.60s': no file; PATH=FILE, such as gpu.l3_tlb=l3.txt", arg);
    if (v->observe)
        return mp_fail(err, "--observe '%.60s': given twice; give it once, with wildcards", arg);
    v->observe = v->observe_path;
    v->observe_file = is + 1;
    if ((size_t)(is - arg) >= sizeof v->observe_path)
        return mp_fail(err, "--observe '%.60s': no block has such a long path", arg);
    snprintf(v->observe_path, sizeof v->observe_path, "%.*s", (int)(is - arg), arg);
    return 0;
}

static int range(struct firmware_values *v, const char *arg, struct mp_error *err)
{
    const char *colon = strchr(arg, ':');
    char first[24];
    if (!colon || (size_t)(colon - arg) >= sizeof first)
        return mp_fail(err, "--trace-insn: '%s' is not a range; A:B with instructions counted from 1", arg);
    snprintf(first, sizeof first, "%.*s", (int)(colon - arg), arg);
    return cli_number("--trace-insn", first, 1, UINT64_MAX, &v->trace_first, err) ||
                   cli_number("--trace-insn", colon + 1, v->trace_first, UINT64_MAX, &v->trace_last, err)
               ? -1
               : 0;
}

static int seeds(struct firmware_values *v, const char *arg, struct mp_error *err)
{
    v->seeds = true;
    if (strchr(arg, ':'))
        return cli_span("--seeds", arg, "seeds, as in 1:100", &v->first_seed, &v->last_seed, err);
    int wrong = cli_number("--seeds", arg, 0, INT64_MAX, &v->first_seed, err);
    v->last_seed = v->first_seed;
    return wrong;
}

static int argument(struct firmware_values *v, const char *arg, struct mp_error *err)
{
    if (!v->action)
        v->action = arg;
    else if (v->arguments == (strcmp(v->action, "where") ? 1 : FIRMWARE_ADDRESSES))
        return mp_fail(
            err, "firmware: '%s' is unexpected; run [IMAGE.elf], regs [PATTERN], where ADDRESS... or sdk DIR",
            arg);
    else
        v->argument[v->arguments++] = arg;
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct firmware_values *v = values;
    int rtl = run_rtl_option(&v->rtl, key, arg, err);
    if (rtl)
        return rtl < 0 ? -1 : 0;
    switch (key) {
    case KEY_UART:
        v->uart = arg;
        return 0;
    case KEY_INPUT:
        v->input = arg;
        return 0;
    case KEY_SCRIPT:
        v->script = arg;
        return 0;
    case KEY_HOST:
        v->host = arg;
        return 0;
    case KEY_HOST_SOCKET:
        v->host_socket = arg;
        return 0;
    case KEY_SEMIHOSTING:
        v->semihosting = true;
        v->files = arg;
        return 0;
    case KEY_ELF:
        v->elf = arg;
        return 0;
    case KEY_MAX:
        return cli_number("--max-instructions", arg, 1, UINT64_MAX, &v->max_instructions, err);
    case KEY_STALL:
        return cli_number("--stall-limit", arg, 0, UINT64_MAX, &v->stall_limit, err);
    case KEY_REPLAY:
        return cli_number("--replay-limit", arg, 0, MAX_REPLAY_LIMIT, &v->replay_limit, err);
    case KEY_GDB:
        v->gdb = true;
        return cli_number("--gdb", arg, 0, 65535, &v->gdb_port, err);
    case KEY_GPU:
        v->gpu = arg;
        return 0;
    case KEY_WORKLOAD:
        return workload_option(v, arg, err);
    case KEY_SET:
        if (v->sets == FIRMWARE_SETS)
            return mp_fail(err, "--set '%.60s': too many; %u at most", arg, FIRMWARE_SETS);
        v->set[v->sets++] = arg;
        return 0;
    case KEY_OBSERVE:
        return observe_option(v, arg, err);
    case KEY_CHECK:
        v->check = true;
        return 0;
    case KEY_INJECT:
        v->inject = arg;
        return 0;
    case KEY_SEEDS:
        return seeds(v, arg, err);
    case 'j':
        return cli_number("--jobs", arg, 1, 1024, &v->jobs, err);
    case KEY_TRACE_BUS:
        v->trace_bus = true;
        return 0;
    case KEY_TRACE_INSN:
        return range(v, arg, err);
    case KEY_CHECKPOINT:
        return cli_number("--checkpoint-at", arg, 1, UINT64_MAX, &v->checkpoint_at, err);
    case KEY_FROM:
        v->from = arg;
        return 0;
    case KEY_COVERAGE:
        v->coverage = arg;
        return 0;
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

static const char *const actions[] = {"run", "regs", "where", "sdk", NULL};

static const char *action_name(unsigned i)
{
    return actions[i];
}

/* As it can be typed again; arguments with other characters than these are quoted. */
static void note_command(struct firmware_values *v, int argc, char **argv)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    size_t n = (size_t)snprintf(v->again, sizeof v->again, "mempath firmware");
    for (int i = 1; i < argc && n < sizeof v->again; i++) {
        const char *quote = argv[i][strspn(argv[i], plain)] || !argv[i][0] ? "'" : "";
        n += (size_t)snprintf(v->again + n, sizeof v->again - n, " %s%s%s", quote, argv[i], quote);
    }
}

int cmd_firmware(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath firmware",
        .args = "run [IMAGE.elf]|regs [PATTERN]|where --elf IMAGE.elf ADDRESS...|sdk DIR",
        .doc = doc,
        .options = options,
        .option = option,
        .word = action_name};
    struct firmware_values v = {.stall_limit = STALL_LIMIT, .replay_limit = REPLAY_LIMIT};
    struct mp_error err;
    int code;
    note_command(&v, argc, argv);
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.action && !strcmp(v.action, "regs"))
        return v.markdown ? firmware_document_registers()
               : v.record ? firmware_record_registers(cli)
                          : firmware_list_registers(cli, v.argument[0]);
    if (v.action && !strcmp(v.action, "run")) {
        if ((v.checkpoint_at || v.from) && !image_is_fixed() && image_fix(argv - 1, &err))
            return cli_fail(CLI_FAILED, "%s", err.text);
        return firmware_run(cli, &v);
    }
    if (v.action && !strcmp(v.action, "where"))
        return firmware_where(cli, v.elf, v.arguments, v.argument);
    if (v.action && !strcmp(v.action, "sdk"))
        return firmware_sdk(cli, v.argument[0]);
    if (!v.action)
        return cli_fail(CLI_USAGE,
                        "firmware: no action; run [IMAGE.elf], regs [PATTERN], where ADDRESS... or sdk DIR");
    cli_unknown(&err, v.action, actions, "run [IMAGE.elf], regs [PATTERN], where ADDRESS... or sdk DIR",
                "firmware: no action '%s'", v.action);
    return cli_fail(CLI_USAGE, "%s", err.text);
}
