/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of checkpoints: the memory of a simulation at one point (image/image.h), from which another process
 * goes on. Before the memory, lines of text say what the file is, and what the process that goes on must have
 * in common with the one that has written it.
 */
#ifndef MP_CLI_RUN_CHECKPOINT_FILE_H
#define MP_CLI_RUN_CHECKPOINT_FILE_H

#include "cli/plugin/plugin.h"
#include "config/config.h"

#define CHECKPOINT_FILES      32u
#define CHECKPOINT_SAME       16u
#define CHECKPOINT_WORD       32u
#define CHECKPOINT_DESCRIPTOR 200 /* the first that no simulation uses */

enum checkpoint_kind { CHECKPOINT_RUN, CHECKPOINT_FIRMWARE }; /* the command that wrote it */

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

struct checkpoint_same { /* an option or a file, whose value the hash is of */
    char name[CHECKPOINT_WORD];
    uint64_t hash[2];
};

struct checkpoint_head {
    enum checkpoint_kind kind;
    char revision[64];
    uint64_t program[2]; /* XXH3-128 of the program's file */
    uint64_t layout;     /* image_layout */
    uint64_t point;      /* cycle of a run; number of instructions of firmware */
    bool force_tlm;
    int channel; /* the file descriptor to the parent process; 0: there is none */
    unsigned nplugins, ninputs, nsame;
    struct checkpoint_plugin plugin[PLUGIN_MOST];
    struct checkpoint_input input[CHECKPOINT_FILES];
    struct checkpoint_same same[CHECKPOINT_SAME];
    char *config; /* as mp_config_text */
    size_t config_bytes;
    size_t image; /* where the memory begins in the file */
};

/* Parses the text before the memory. -1 with "WHAT; WHAT IS ALLOWED" in err; head is then empty. */
int checkpoint_parse(const char *text, size_t bytes, struct checkpoint_head *head, struct mp_error *err);
void checkpoint_head_free(struct checkpoint_head *head);
void checkpoint_write_head(const struct checkpoint_head *head, FILE *f);

/* Reads a checkpoint's head from the file, which must be of this kind. The caller frees it. */
int checkpoint_read(const char *file, enum checkpoint_kind kind, struct checkpoint_head *head,
                    struct mp_error *err);

struct checkpoint_files { /* that a simulation reads; some may be NULL */
    const char *const *path;
    unsigned n;
};

/* Adds this process to a head: program, plugins, configuration, and which of the files are open. */
int checkpoint_describe(struct checkpoint_head *h, const struct mp_config *config,
                        const struct checkpoint_files *read, struct mp_error *err);
/* Writes the image that image_take has copied, as a whole or not at all, and drops it. */
int checkpoint_write(const char *file, const struct checkpoint_head *h, struct mp_error *err);

/* Whether this process has the program, its plugins and the machine's kind in common with the checkpoint; the
 * settings, except, while it has not ended its warm-up, the one of free_path (NULL: none); and what is in
 * `same`, by name. -1 with the first difference. */
int checkpoint_same_program(const char *file, const struct checkpoint_head *h, struct mp_error *err);
int checkpoint_same_config(const char *file, const struct checkpoint_head *h, const struct mp_config *here,
                           const char *free_path, struct mp_error *err);
int checkpoint_same_values(const char *file, const struct checkpoint_head *h,
                           const struct checkpoint_head *here, struct mp_error *err);

/* Loads the memory, and opens the files under the numbers that they had. image_enter may follow. */
int checkpoint_load(const char *file, const struct checkpoint_head *h, const struct checkpoint_files *read,
                    struct mp_error *err);

/* The options of the command line that concern checkpoints. */
struct checkpoint_wish {
    uint64_t at, until;
    const char *limit; /* the option that `until` is of */
    const char *output, *from;
    unsigned experiments;
    const char *unfit; /* an option that checkpoints do not go with, or NULL */
};
/* -1 with the reason if it contradicts itself, or this build or the output does not allow it. */
int checkpoint_check(const struct checkpoint_wish *wish, struct mp_error *err);

#endif
