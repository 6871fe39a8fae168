/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that all commands of `mempath` share: common options, parsing, and error messages. A
 * command is one file <folder>/cmd_<name>.c with one function, listed in commands.c. */
#ifndef MP_CLI_CLI_H
#define MP_CLI_CLI_H

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cli_exit { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };
/* On a terminal; in detail, as lines if there is no terminal; as JSON lines; none. */
enum cli_progress { CLI_PROGRESS_TERMINAL, CLI_PROGRESS_DETAIL, CLI_PROGRESS_JSON, CLI_PROGRESS_NONE };

struct cli_usage;

struct cli {
    const char *db;             /* the result database's file */
    const char *command_line;   /* as typed; stored with the run */
    bool json;                  /* one JSON document on stdout instead of tables */
    enum cli_progress progress; /* on stderr */
    bool designs;               /* of struct cli_command, of the command that runs */
    /* Called for --help; writes a part of the manual page or of the completion. If NULL, --help prints its
     * text. */
    void (*help)(struct cli *cli, const struct cli_usage *usage);
};

struct cli_command {
    const char *name, *summary;
    int (*run)(struct cli *cli, int argc,
               char **argv); /* argv[0] is the command's name; returns a cli_exit */
    bool designs;            /* it uses designs, and takes --plugin; main() has loaded them before run() */
};

/* Runs a command that main() or another command has found. */
int cli_run(struct cli *cli, const struct cli_command *command, int argc, char **argv);

extern const struct cli_command cli_commands[]; /* ends with a NULL name */

/* The arguments of a command. option() gets each option's key, or ARGP_KEY_ARG for each positional argument,
 * and returns 0, or -1 with "WHERE: WHAT; WHAT IS ALLOWED" in err. */
struct cli_usage {
    const char *command;               /* "mempath run" */
    const char *args;                  /* "[EXPERIMENT...]" */
    const char *doc;                   /* what the command does, then examples */
    const struct argp_option *options; /* ends with a zeroed element; NULL if there are no options */
    int (*option)(void *values, int key, const char *arg, struct mp_error *err);
    bool in_order; /* all arguments after the first positional one are positional, as after `--` */
    const char *(*word)(unsigned i); /* what the first argument may be, for completion; NULL after the last */
    bool blocks;                     /* each of these words has further options: mempath replay tlb --help */
    bool foreign;                    /* another program parses the arguments; without the global options */
};

extern const struct argp_option cli_global_options[]; /* ends with a zeroed element */

#define CLI_OPTIONS 64u
/* The options of the command without the global ones; ends with a zeroed element. Returns their number. */
unsigned cli_own_options(const struct cli *cli, const struct cli_usage *usage,
                         struct argp_option options[CLI_OPTIONS]);

/* Parses options into values and the global ones into cli. Returns false if the command has ended with
 * *code, because help was printed or the usage is wrong (a line was printed). */
bool cli_parse(struct cli *cli, const struct cli_usage *usage, int argc, char **argv, void *values,
               int *code);

/* Allows global options before a command's name: `mempath --db x run`. Moves the first argument that is no
 * option to argv[1], before those options; false if there is none. */
bool cli_name_first(int argc, char **argv);

/* Prints "mempath: ..." on stderr and returns code; after cli_fail_as_json() the line is a JSON object. */
__attribute__((format(printf, 2, 3))) int cli_fail(enum cli_exit code, const char *format, ...);
void cli_fail_as_json(void);

/* A command that runs out of memory ends the program with a message and exit code 1. cli_have returns a
 * pointer that is not NULL, as of malloc(), strdup() or open_memstream(); cli_alloc zeroed memory for count
 * elements. */
__attribute__((returns_nonnull)) void *cli_have(void *pointer);
__attribute__((returns_nonnull)) void *cli_alloc(size_t count, size_t size);

/* The name closest to word, or NULL when none is close. names ends with NULL. */
const char *cli_nearest(const char *word, const char *const *names);

/* For a word that is not among names: -1, and in err "FORMAT; did you mean 'NAME'?", or "FORMAT; OTHERWISE"
 * if none is close. */
__attribute__((format(printf, 5, 6))) int cli_unknown(struct mp_error *err, const char *word,
                                                      const char *const *names, const char *otherwise,
                                                      const char *format, ...);

/* Parses a whole number in decimal or 0x-hex within [min, max]; -1 with err "OPTION: ..." otherwise. */
int cli_number(const char *option, const char *arg, uint64_t min, uint64_t max, uint64_t *out,
               struct mp_error *err);
/* Parses FIRST:LAST, which may be equal; what is for the message: "runs, as in 1:12". */
int cli_span(const char *option, const char *arg, const char *what, uint64_t *first, uint64_t *last,
             struct mp_error *err);
/* Parses the runs of --runs: "7", or FIRST:LAST. Runs are numbered from 1, so *last is not 0. */
int cli_runs(const char *arg, uint64_t *first, uint64_t *last, struct mp_error *err);
/* Parses FIRST:LAST, FIRST below LAST; unit is for the message: "cycles". */
int cli_window(const char *option, const char *arg, const char *unit, uint64_t *first, uint64_t *last,
               struct mp_error *err);

/* The signal, SIGINT or SIGTERM, after cli_catch_signals(); a second signal ends the process. main() returns
 * 128 + signal, as a shell does, unless the command was done nevertheless. */
extern volatile sig_atomic_t cli_stop;
/* Counts the signals SIGUSR1, after cli_catch_signals(): the user wants to see what a run does. */
extern volatile sig_atomic_t cli_look;
void cli_catch_signals(void);

int cmd_run(struct cli *cli, int argc, char **argv);
int cmd_bench(struct cli *cli, int argc, char **argv);
int cmd_params(struct cli *cli, int argc, char **argv);
int cmd_machine(struct cli *cli, int argc, char **argv);
int cmd_record(struct cli *cli, int argc, char **argv);
int cmd_import(struct cli *cli, int argc, char **argv);
int cmd_trace(struct cli *cli, int argc, char **argv);
int cmd_query(struct cli *cli, int argc, char **argv);
int cmd_plot(struct cli *cli, int argc, char **argv);
int cmd_report(struct cli *cli, int argc, char **argv);
int cmd_serve(struct cli *cli, int argc, char **argv);
int cmd_cosim(struct cli *cli, int argc, char **argv);
int cmd_rtl(struct cli *cli, int argc, char **argv);
int cmd_reveal(struct cli *cli, int argc, char **argv);
int cmd_chase(struct cli *cli, int argc, char **argv);
int cmd_plan(struct cli *cli, int argc, char **argv);
int cmd_replay(struct cli *cli, int argc, char **argv);
int cmd_sweep(struct cli *cli, int argc, char **argv);
int cmd_merge(struct cli *cli, int argc, char **argv);
int cmd_reproduce(struct cli *cli, int argc, char **argv);
int cmd_evidence(struct cli *cli, int argc, char **argv);
int cmd_firmware(struct cli *cli, int argc, char **argv);
int cmd_plugin(struct cli *cli, int argc, char **argv);
int cmd_help(struct cli *cli, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
