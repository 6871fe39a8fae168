/* SPDX-License-Identifier: Apache-2.0 */
/* Simulation speed of the management core in the whole SoC with an idle GPU. The programs are loops in
 * machine code, so that no cross compiler is needed. Each loop counts down and then writes the finisher. */
#include "cli/bench/bench.h"

#include <elf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/task.h"
#include "soc/regs.h"
#include "soc/run.h"

/* Writes "done" to the finisher: lui x5,0x100; lui x6,0x5; addiw x6,x6,1365; sw x6,0(x5). */
#define FINISH 0x001002b7, 0x00005337, 0x5553031b, 0x0062a023

/* Random numbers are summed into a table: of 19 instructions three load, one stores, one calls and two
 * branch. */
static const uint32_t mixed[] = {
    0x00010417, /* auipc x8,0x10 */
    0x007d04b7, /* lui x9,0x7d0 */
    0x00100513, /* addi x10,x0,1 */
    0x00d51293, /* slli x5,x10,0xd */
    0x00554533, /* xor x10,x10,x5 */
    0x00755293, /* srli x5,x10,0x7 */
    0x00554533, /* xor x10,x10,x5 */
    0x7f857313, /* andi x6,x10,2040 */
    0x00830333, /* add x6,x6,x8 */
    0x00033383, /* ld x7,0(x6) */
    0x00a383b3, /* add x7,x7,x10 */
    0x00733023, /* sd x7,0(x6) */
    0x020000ef, /* jal x1,80000050 */
    0xfff48493, /* addi x9,x9,-1 */
    0xfc049ae3, /* bne x9,x0,8000000c */
    FINISH,     /* 4 instructions */
    0xff1ff06f, /* jal x0,8000003c */
    0x00054663, /* blt x10,x0,8000005c */
    0x00843e03, /* ld x28,8(x8) */
    0x01c50533, /* add x10,x10,x28 */
    0x00008067, /* jalr x0,0(x1) */
};

/* Of eight instructions one stores to memory. */
static const uint32_t stores[] = {
    0x00010417, /* auipc x8,0x10 */
    0x003e84b7, /* lui x9,0x3e8 */
    0x7f84f313, /* andi x6,x9,2040 */
    0x00830333, /* add x6,x6,x8 */
    0x00933023, /* sd x9,0(x6) */
    0x00148393, /* addi x7,x9,1 */
    0x0093ce33, /* xor x28,x7,x9 */
    0x01c50533, /* add x10,x10,x28 */
    0xfff48493, /* addi x9,x9,-1 */
    0xfe0492e3, /* bne x9,x0,80000008 */
    FINISH,     /* 4 instructions */
    0x0000006f, /* jal x0,80000038 */
};

/* One of three instructions reads DONE_COUNT of the GPU. */
static const uint32_t gpu[] = {
    0x10100437, /* lui x8,0x10100 */
    0x001f44b7, /* lui x9,0x1f4 */
    0x42042283, /* lw x5,1056(x8) */
    0xfff48493, /* addi x9,x9,-1 */
    0xfe049ce3, /* bne x9,x0,80000008 */
    FINISH,     /* 4 instructions */
    0x0000006f, /* jal x0,80000024 */
};

/* The same for ENABLE of the interrupt controller. */
static const uint32_t plic[] = {
    0x0c002437, /* lui x8,0xc002 */
    0x001f44b7, /* lui x9,0x1f4 */
    0x00042283, /* lw x5,0(x8) */
    0xfff48493, /* addi x9,x9,-1 */
    0xfe049ce3, /* bne x9,x0,80000008 */
    FINISH,     /* 4 instructions */
    0x0000006f, /* jal x0,80000024 */
};

/* Of four instructions one reads a register of the GPU and one writes one of the UART. */
static const uint32_t registers[] = {
    0x10100437, /* lui x8,0x10100 */
    0x10000937, /* lui x18,0x10000 */
    0x001f44b7, /* lui x9,0x1f4 */
    0x01042283, /* lw x5,16(x8) */
    0x009903a3, /* sb x9,7(x18) */
    0xfff48493, /* addi x9,x9,-1 */
    0xfe049ae3, /* bne x9,x0,8000000c */
    FINISH,     /* 4 instructions */
    0x0000006f, /* jal x0,8000002c */
};

enum { MIXED, STORES, REGISTERS, PLIC, GPU };

/* Rates in millions per second of processor time. `floor` is the rate required; 0 if none. */
static const struct program {
    const char *name, *what, *unit;
    const uint32_t *code;
    size_t bytes;
    double units_per_instruction, floor;
} programs[] = {
    [MIXED] = {"core/mixed", "computing", "M instructions/s", mixed, sizeof mixed, 1, 300},
    [STORES] = {"core/stores", "a store in eight", "M instructions/s", stores, sizeof stores, 1, 150},
    [REGISTERS] = {"core/registers", "GPU and console", "M register accesses/s", registers, sizeof registers,
                   0.5, 5},
    [PLIC] = {"core/plic", "interrupt controller", "M register reads/s", plic, sizeof plic, 1.0 / 3, 0},
    [GPU] = {"core/gpu", "GPU", "M register reads/s", gpu, sizeof gpu, 1.0 / 3, 0},
};
#define PROGRAMS (sizeof programs / sizeof *programs)

struct answer {
    uint64_t instructions;
    double seconds; /* of processor time */
};

/* Writes an executable to a file without a name; -1 if there is no room. */
static int image_of(const struct program *p)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
    } front = {{.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                .e_type = ET_EXEC,
                .e_machine = EM_RISCV,
                .e_version = EV_CURRENT,
                .e_entry = MP_RAM_BASE,
                .e_phoff = sizeof front.header,
                .e_ehsize = sizeof front.header,
                .e_phentsize = sizeof front.segment,
                .e_phnum = 1},
               {.p_type = PT_LOAD,
                .p_flags = PF_R | PF_W | PF_X,
                .p_offset = sizeof front,
                .p_vaddr = MP_RAM_BASE,
                .p_paddr = MP_RAM_BASE,
                .p_filesz = p->bytes,
                .p_memsz = p->bytes}};
    int fd = memfd_create("bench", MFD_CLOEXEC);
    if (fd < 0 || write(fd, &front, sizeof front) != (ssize_t)sizeof front ||
        write(fd, p->code, p->bytes) != (ssize_t)p->bytes)
        return -1;
    return fd;
}

static int run(struct task *task, int channel)
{
    const struct program *p = task->context;
    struct mp_config machine;
    struct mp_error err;
    struct mp_soc_result result;
    char name[32];
    int fd = image_of(p);
    if (fd < 0)
        return cli_fail(CLI_FAILED, "bench: no memory for the program; free some memory");
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (mp_config_load(&machine, "star-a100-mig", 0, NULL, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    struct mp_soc_run soc = {.image = name,
                             .machine = &machine,
                             .console_out = STDERR_FILENO,
                             .console_in = -1,
                             .gdb = -1,
                             .stop = &cli_stop};
    int code = mp_soc_simulate(&soc, &result, &err) ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
    free(result.console);
    if (!code && result.end != MP_SOC_FINISHED)
        code = cli_fail(CLI_FAILED, "bench: %s ended early; try again", p->name);
    struct answer answer = {result.counts.instructions, result.processor_seconds};
    if (!code)
        task_answer(channel, &answer, sizeof answer);
    mp_config_free(&machine);
    close(fd);
    return code;
}

/* A read of the GPU's registers costs at most two of the interrupt controller's. */
static double floor_of(unsigned i, const double rates[BENCH_CORE_RATES])
{
    return i == GPU ? rates[PLIC] / 2 : programs[i].floor;
}

/* The fastest of `repeat` runs; the others were disturbed. */
static double best_rate(const struct task *tasks, unsigned n, const struct program *p)
{
    double best = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct answer *a = (const struct answer *)(const void *)tasks[i].answer;
        best = fmax(best, (double)a->instructions * p->units_per_instruction / a->seconds / 1e6);
    }
    return best;
}

int bench_core(const struct cli *cli, unsigned repeat, double rates[BENCH_CORE_RATES])
{
    struct task *tasks = cli_alloc((size_t)PROGRAMS * repeat, sizeof *tasks);
    unsigned count = (unsigned)PROGRAMS * repeat;
    for (unsigned i = 0; i < count; i++)
        tasks[i] = (struct task){.label = programs[i / repeat].name,
                                 .child = run,
                                 .context = (void *)(uintptr_t)&programs[i / repeat]};
    bool done = tasks_run(cli, "instructions", tasks, count, 1) == count;
    for (unsigned i = 0; done && i < PROGRAMS; i++)
        rates[i] = best_rate(tasks + (size_t)i * repeat, repeat, &programs[i]);
    free(tasks);
    return done ? CLI_DONE : CLI_FAILED;
}

void bench_core_print(const double rates[BENCH_CORE_RATES])
{
    static const char *const heads[] = {"program", "what", "rate", "unit", "at least"};
    struct out_table *t = out_table_new(5, heads);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        out_cell(t, "%s", programs[i].name);
        out_cell(t, "%s", programs[i].what);
        out_cell(t, "%.1f", rates[i]);
        out_cell(t, "%s", programs[i].unit);
        if (floor_of(i, rates) > 0)
            out_cell(t, "%.0f", floor_of(i, rates));
        else
            out_cell(t, "-");
    }
    out_table_print(t, stdout);
    puts("Of the management core, with the GPU idle, per second of processor time.");
}

void bench_core_json(struct out_json *j, const double rates[BENCH_CORE_RATES])
{
    json_array(j, "core");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        json_object(j, NULL);
        json_text(j, "program", programs[i].name);
        json_text(j, "unit", programs[i].unit);
        json_real(j, "rate", rates[i]);
        json_real(j, "at_least", floor_of(i, rates));
        json_flag(j, "met", rates[i] >= floor_of(i, rates));
        json_end_object(j);
    }
    json_end_array(j);
}
