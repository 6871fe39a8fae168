/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints of runs: a file with the memory of a simulation at a cycle (image/image.h), from which `mempath
 * run
 * --from` goes on. Before the memory, lines of text say what the file is and of which configuration.
 */
#ifndef MP_CLI_RUN_CHECKPOINT_H
#define MP_CLI_RUN_CHECKPOINT_H

#include "cli/plugin/plugin.h"
#include "cli/run/runs.h"
#include "cli/run/watch.h"

#define CHECKPOINT_FILES 32u

struct checkpoint_input { /* a file that the simulation reads */
    int fd;
    uint64_t offset;
    uint64_t hash[2]; /* XXH3-128 of the whole file */
    char *path;       /* where it was */
};

struct checkpoint_plugin { /* of those that the program had, in their order */
    char name[PLUGIN_WORD];
    uint64_t hash[2]; /* as of an input */
};

struct checkpoint_head {
    char revision[64];
    uint64_t program[2]; /* XXH3-128 of the program's file */
    uint64_t layout;     /* image_layout */
    uint64_t cycle;
    bool force_tlm;
    int channel; /* the file descriptor to the parent process */
    unsigned nplugins, ninputs;
    struct checkpoint_plugin plugin[PLUGIN_MOST];
    struct checkpoint_input input[CHECKPOINT_FILES];
    char *config; /* as mp_config_text */
    size_t config_bytes;
    size_t image; /* where the memory begins in the file */
};

/* Parses the text before the memory. -1 with "WHAT; WHAT IS ALLOWED" in err; head is then empty. */
int checkpoint_parse(const char *text, size_t bytes, struct checkpoint_head *head, struct mp_error *err);
void checkpoint_head_free(struct checkpoint_head *head);
void checkpoint_write_head(const struct checkpoint_head *head, FILE *f);

/* Reads a checkpoint's head from the file. The caller frees it. */
int checkpoint_read(const char *file, struct checkpoint_head *head, struct mp_error *err);

/* Checks that the checkpoint `file` can go on as this job. Returns -1 with the reason if the program, the
 * configuration, the links, ... differ. */
int checkpoint_fits(const char *file, const struct run_job *job, struct mp_error *err);

/* The options of the command line that concern checkpoints. */
struct checkpoint_wish {
    uint64_t at, until;
    const char *output, *from;
    unsigned experiments;
    const char *unfit; /* an option that checkpoints do not go with, or NULL */
};
/* -1 with the reason if it contradicts itself, or this build or the output does not allow it. */
int checkpoint_check(const struct checkpoint_wish *wish, struct mp_error *err);

/* The context of run_checkpoint_take(). */
struct run_checkpoint {
    struct run_job *job;
    struct mp_db_run_info *info; /* of the run's row */
    struct mp_run *run;
    struct run_watch *watch;
    struct mp_db *db;
    int64_t *run_id;
    bool taken;
};

/* As mp_run.checkpoint wants it; the context is a struct run_checkpoint. */
int run_checkpoint_take(void *context, struct mp_error *err);
/* False, with the reason, if the run ended before the cycle of its checkpoint. */
bool run_checkpoint_was_taken(const struct run_checkpoint *c, const struct mp_result *result,
                              struct mp_error *err);
/* Goes on from job->from in this process, a child that reports to its parent by the channel. Returns
 * only if that fails, with the reason. */
void run_checkpoint_enter(const struct cli *cli, const struct run_job *job, int channel,
                          struct mp_error *err);

#endif
