/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath firmware`. */
#ifndef MP_CLI_FIRMWARE_H
#define MP_CLI_FIRMWARE_H

#include "cli/cli.h"
#include "cli/run/rtl.h"
#include "db/db.h"
#include "soc/host_script.h"
#include "soc/run.h"

/* The context of firmware_checkpoint_take(): what a process that goes on replaces. */
struct firmware_checkpoint {
    struct cli *cli;
    struct firmware_values *v;
    struct mp_soc_run *run;
    const struct mp_tenant_config *program;
    int64_t *row;
    bool taken;
};

#define FIRMWARE_ADDRESSES 64u
#define FIRMWARE_SETS      64u

struct firmware_injection;

struct firmware_values { /* of the command line */
    const char *action, *uart, *gpu, *elf, *output, *coverage, *input, *script, *files, *from, *host,
        *host_socket;
    const char *argument[FIRMWARE_ADDRESSES];
    unsigned arguments;
    uint64_t max_instructions, stall_limit, replay_limit, gdb_port, trace_first, trace_last, checkpoint_at;
    bool gdb, trace_bus, markdown, record, semihosting;
    const char *set[FIRMWARE_SETS];
    unsigned sets;
    struct run_rtl rtl;
    bool check, seeds;
    const char *inject;
    uint64_t first_seed, last_seed, jobs; /* jobs: 0: one per processor */
    char again[1000];                     /* the command line */
    const char *observe, *observe_file;
    char observe_path[64];
    const char *workload[MP_SOC_WORKLOADS]; /* APP:SIZE or FILE */
};

/* `mempath firmware run`. */
int firmware_run(struct cli *cli, struct firmware_values *v);

/* A terminal's other side stays open here as well, so that output is kept until it is read, and closing it
 * does not hang up. */
struct firmware_console {
    int far_side; /* -1 if not a terminal */
};

/* Connects the run's console to a file, "-" for stdout, "pty", or NULL: only the result. -1 with err. */
int firmware_open_uart(const char *where, struct mp_soc_run *run, struct firmware_console *c,
                       struct mp_error *err);
/* Reads what is typed at the console: characters of a file or "-", stdin, or, if input is NULL, a script. -1
 * with err. */
int firmware_open_input(const char *input, const char *script, struct mp_script *s, struct mp_error *err);
/* Reads what the host does. -1 with err. */
int firmware_open_host(const char *file, struct mp_host_script *s, struct mp_error *err);
/* Waits up to a second for a terminal's reader, because unread output is lost when the terminal closes. */
void firmware_close_uart(const struct mp_soc_run *run, const struct firmware_console *c);

struct firmware_end {
    int64_t row;
    bool ran, failed;            /* there is a result; the firmware, or the recording of the run, failed */
    struct mp_error why;         /* then, or if it has not run */
    struct mp_soc_result result; /* whose console is for the caller to free */
};
/* Runs the image, and stores the row. in: the faults of the run, or NULL. -1 if it has not run or is not
 * recorded. */
int firmware_run_one(const struct cli *cli, struct mp_soc_run *run, const struct mp_tenant_config *program,
                     struct firmware_injection *in, struct firmware_end *end);
/* The same, and prints what happened. Returns the exit code. */
int firmware_run_recorded(const struct cli *cli, struct mp_soc_run *run, const struct run_rtl *rtl,
                          const struct mp_tenant_config *program, struct firmware_injection *in);

/* Whether the run failed; then a line that says how was printed. */
bool firmware_failed(const char *image, const struct mp_soc_result *result, struct mp_error *why);
/* Prints what the core did and, if it is known, what it covers: lines on stderr. */
void firmware_print_counts(int64_t row, const struct mp_soc_result *result);
/* Prints the run as a JSON document; program: application and size of each workload; in: NULL without faults.
 */
void firmware_print_json(const struct firmware_end *end, const struct mp_soc_run *run,
                         const struct mp_tenant_config *program, const struct firmware_injection *in);

/* Checks what the command line says of checkpoints. -1 with err. */
int firmware_checkpoint_check(const struct firmware_values *v, struct mp_error *err);
/* As mp_soc_run.checkpoint wants it. */
int firmware_checkpoint_take(void *context, uint64_t instructions, struct mp_error *err);
/* Whether the run ended before its checkpoint; err then says where. */
bool firmware_checkpoint_missed(const struct mp_soc_run *run, const struct mp_soc_result *result,
                                struct mp_error *err);
/* Goes on from v->from in this process. Returns only if that fails, with the reason. */
void firmware_checkpoint_enter(const struct firmware_checkpoint *c, struct mp_error *err);

/* Prints the registers whose block, name or text contains pattern; NULL: all. */
int firmware_list_registers(const struct cli *cli, const char *pattern);
/* Prints all registers as models/soc/REGISTERS.md; stores them in the database. */
int firmware_document_registers(void);
int firmware_record_registers(const struct cli *cli);

/* Opens the run's database, or, if the run goes on from a checkpoint, takes the one that is open, and inserts
 * its row; returns its number. program: application and size of each workload. -1 with err: there is no row.
 */
int64_t firmware_record_begin(const struct cli *cli, struct mp_soc_run *run,
                              const struct mp_tenant_config *program, bool goes_on, struct mp_error *err);
/* Completes the row and closes the database. result: NULL if there is none; why: the error, or NULL; in: NULL
 * without faults on purpose. */
int firmware_record_end(struct mp_db *db, const struct mp_soc_result *result, const char *why,
                        const struct firmware_injection *in, struct mp_error *err);

/* Writes the firmware library, its headers and an example to a new folder. */
int firmware_sdk(const struct cli *cli, const char *folder);

/* Prints the function and source line of each address of an executable. */
int firmware_where(const struct cli *cli, const char *elf, unsigned addresses, const char *const *address);

#endif
