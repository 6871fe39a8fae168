/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware image run on the SoC to its end. As with mp_platform_run, a process calls this once. */
#ifndef MP_SOC_RUN_H
#define MP_SOC_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "engine/error.h"
#include "soc/hart.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SOC_WORKLOADS 8u
#define MP_SOC_SPACES    8u

struct mp_db;

struct mp_soc_run {
    const char *image;                      /* ELF executable */
    const struct mp_config *machine;        /* the GPU's */
    const char *workload[MP_SOC_WORKLOADS]; /* GWT file of each number; NULL: there is none */
    uint64_t max_instructions;              /* 0: no limit */
    uint64_t quantum;                       /* instructions, 0: the default */
    int console_out;                        /* file descriptor that the UART writes to; -1: nowhere */
    int gdb;                                /* TCP port to wait for GDB at, 0 any; -1: none */
    int console_in;                         /* and reads from; -1: nothing comes */
    const volatile sig_atomic_t *stop;      /* set by a signal handler; may be NULL */
    uint64_t stall_limit;                   /* instructions without progress that end the run, 0: never */
    uint32_t replay_limit;            /* replays in a row that bring no page, which end the run, 0: never */
    FILE *trace;                      /* where traces go; NULL without any */
    bool trace_bus;                   /* every access of the bus */
    uint64_t trace_first, trace_last; /* instructions, counted from 1; none when first is 0 */
    struct mp_db *db; /* where values go, or NULL; its run has begun, with the address spaces as tenants */
    FILE *diagnosis;  /* what was seen last, unless firmware has finished; may be NULL */
};

enum mp_soc_end {
    MP_SOC_FINISHED,    /* firmware wrote the finisher */
    MP_SOC_LIMIT,       /* max_instructions */
    MP_SOC_STUCK,       /* why says what keeps it from going on */
    MP_SOC_INTERRUPTED, /* *stop */
};

#define MP_SOC_CONSOLE (1u << 20) /* bytes of it that are kept */

struct mp_soc_space { /* what an address space's launches did */
    bool used;        /* it was valid at some time */
    uint64_t cycles, instructions, accesses, translations, walks, faults, completions;
};

struct mp_soc_result {
    enum mp_soc_end end;
    int exit_code; /* that firmware gave */
    struct mp_hart_counts counts;
    uint64_t picoseconds;     /* simulated */
    double seconds;           /* of the host, without loading */
    double processor_seconds; /* likewise, only while it worked on this */
    uint64_t pc;              /* where the core stood */
    char why[400];
    char exception[512]; /* the latest, as a line; empty without any */
    bool returned;       /* its handler did */
    /* Of the GPU: its clock at the end, sums over address spaces, and all counters' hash. */
    uint64_t cycles, instructions, accesses, translations;
    uint64_t digest[2];
    struct mp_soc_space space[MP_SOC_SPACES];
    char *console; /* its beginning, in ASCII; malloc'ed, the caller's */
};

/* 0, or -1 with one line in err. */
int mp_soc_simulate(const struct mp_soc_run *run, struct mp_soc_result *result, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
