/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a firmware image on the SoC to its end. Like mp_platform_run, it can be called once per process. */
#ifndef MP_SOC_RUN_H
#define MP_SOC_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "engine/error.h"
#include "platform.h"
#include "soc/coverage.h"
#include "soc/hart/hart.h"
#include "soc/script.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SOC_WORKLOADS 8u
#define MP_SOC_SPACES    8u

struct mp_db;
struct mp_host_script;
struct mp_inject;

struct mp_soc_run {
    const char *image;                      /* ELF executable */
    const struct mp_config *machine;        /* the GPU's configuration */
    const char *workload[MP_SOC_WORKLOADS]; /* GWT file of each workload number; NULL if there is none */
    const char *checked;                    /* as in struct mp_run */
    uint64_t max_instructions;              /* 0 for no limit */
    uint64_t quantum;                       /* instructions; 0 for the default */
    int console_out;                        /* file descriptor to which the UART writes; -1 for none */
    int gdb;                                /* TCP port at which to wait for GDB; 0 for any, -1 for none */
    int console_in;                         /* file descriptor from which the UART reads; -1 for no input */
    bool semihosting;                       /* calls of the program to the host are answered */
    const char *files;                      /* for them: the folder of their files, or NULL */
    struct mp_script *script;               /* in place of console_in; NULL for none */
    const struct mp_host_script *host;      /* what the run's host does; NULL for none */
    const char *host_socket;                /* or the socket for a driver in another process; NULL for none */
    const volatile sig_atomic_t *stop;      /* set by a signal handler; may be NULL */
    uint64_t stall_limit; /* number of instructions without progress that ends the run; 0 for never */
    uint32_t
        replay_limit; /* number of consecutive replays without a new page that ends the run; 0 for never */
    FILE *trace;      /* output of traces; NULL without traces */
    bool trace_bus;   /* every access of the bus */
    uint64_t trace_first, trace_last; /* instructions, counted from 1; none if first is 0 */
    FILE *coverage;                   /* output of the coverage of source lines; NULL without it */
    struct mp_db
        *db; /* database for the values, or NULL; its run has begun, with the address spaces as tenants */
    struct mp_rtl rtl; /* in place of models, or compared with them; waves of a window */
    /* Paths of blocks, with the wildcards of fnmatch(3), or NULL: what passes the links into them is written
     * to observe_file. */
    const char *observe, *observe_file;
    const struct mp_plugin *const *plugin; /* as in struct mp_run */
    bool check; /* compares every translation with the page tables; the first that differs ends the run */
    struct mp_inject *inject; /* faults on purpose; NULL: none, and their events are not counted */
    FILE *diagnosis;          /* output for the last actions, unless firmware has finished; may be NULL */
    /* Called once, between two quanta, after checkpoint_at instructions or the few that the quantum has
     * left; 0: never. It returns 0, -1 with err, which ends the run, or 1 in a process that goes on from what
     * another has written: console_out, max_instructions, gdb and what concerns traces may then be others. */
    uint64_t checkpoint_at;
    int (*checkpoint)(void *context, uint64_t instructions, struct mp_error *err);
    void *checkpoint_context;
};

enum mp_soc_end {
    MP_SOC_FINISHED,    /* firmware wrote the finisher */
    MP_SOC_LIMIT,       /* max_instructions */
    MP_SOC_STUCK,       /* why gives the reason for which it cannot continue */
    MP_SOC_INTERRUPTED, /* *stop was set */
};

#define MP_SOC_RTL     32u        /* counts of blocks with RTL, at most */
#define MP_SOC_CONSOLE (1u << 20) /* number of bytes of it that are stored */

struct mp_soc_space { /* counters of the launches of an address space */
    bool used;        /* it was valid at some time */
    uint64_t cycles, instructions, accesses, translations, walks, faults, completions;
};

struct mp_soc_result {
    enum mp_soc_end end;
    int exit_code; /* codes that firmware gave */
    struct mp_hart_counts counts;
    uint64_t picoseconds;     /* simulated */
    double seconds;           /* of the host, without loading */
    double processor_seconds; /* processor time, likewise without loading */
    uint64_t pc;              /* the core's position */
    char why[1024];
    char exception[1024]; /* the latest exception, as a line; empty if there is none */
    bool returned;        /* its handler has returned */
    bool host_refused;    /* a step of the host's script had another result than it expects */
    /* Of the GPU: its clock at the end, sums over address spaces, and a hash of all counters. */
    uint64_t cycles, instructions, accesses, translations;
    uint64_t digest[2];
    struct mp_soc_space space[MP_SOC_SPACES];
    unsigned failed; /* launches that did not end well, as firmware has read */
    unsigned nrtl;
    struct mp_rtl_count rtl[MP_SOC_RTL];
    struct mp_rtl_share rtl_share[MP_SOC_RTL];
    struct mp_coverage_sum coverage; /* if the run has it */
    char *console;                   /* its beginning, as ASCII; malloc'ed, for the caller to free */
};

/* Returns 0, or -1 with one line in err. */
int mp_soc_simulate(const struct mp_soc_run *run, struct mp_soc_result *result, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
