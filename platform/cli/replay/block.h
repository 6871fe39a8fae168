/* SPDX-License-Identifier: Apache-2.0 */
/* Reference models alone, driven by stimuli: one response line per stimulus line, in order. A block is one
 * file replay/<block>.c and one line of the table in cmd_replay.c, which drives it. */
#ifndef MP_CLI_REPLAY_BLOCK_H
#define MP_CLI_REPLAY_BLOCK_H

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/replay/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the parameters that a design brings ---- */

#define REPLAY_OWN 16u

struct replay_own {
    unsigned n;
    struct replay_set {
        const char *name; /* `length` characters */
        size_t length;
        const char *value;
    } set[REPLAY_OWN];
};

int replay_own_add(struct replay_own *own, const char *name, size_t length, const char *value,
                   struct mp_error *err);
/* Of --set NAME=VALUE. */
int replay_own_set(struct replay_own *own, const char *text, struct mp_error *err);
/* The design's parameters: its defaults, and above them what was set. options: of the command, for errors. */
int replay_own_values(const struct replay_own *own, const struct argp_option *options,
                      const struct mp_design *design, struct mp_design_values *values, struct mp_error *err);
/* Copies a complaint "NAME: ..." of a design with its name as the command line has it: --NAME if that is an
 * option, else --set NAME. Returns -1. */
int replay_fail_design(const struct argp_option *options, const struct mp_error *why, struct mp_error *err);
/* For --help: the design, and below it its parameters. */
void replay_print_design(FILE *f, const struct mp_design *design);

/* ---- a block ---- */

/* The values of a block's options begin with these. */
struct replay_values {
    const struct replay_block *block;
    const char *file;
    bool chosen; /* there is a policy, or the block has none */
    struct replay_own own;
};

/* Where a response goes: a line of f, or members of an object of j if that is not NULL. */
struct replay_to {
    FILE *f;
    struct out_json *j;
    uint64_t line; /* of the stimulus */
};

enum { REPLAY_KEY_POLICY = 'p', REPLAY_KEY_SET = 0x80 }; /* which the driver knows */

struct replay_block {
    const char *name, *summary;
    /* For --help: what the block drives, the formats of stimuli and responses, what there is to choose from
     * (NULL: nothing), and examples. */
    const char *about, *formats;
    void (*choices)(FILE *f);
    const char *examples;
    const struct argp_option *options;
    const void *usual; /* values without options, of this size */
    size_t bytes;
    /* Returns the name of policy i, NULL after the last, and chooses it if v is not NULL. Without this
     * function option() gets REPLAY_KEY_POLICY. */
    const char *(*policy)(unsigned i, void *v);
    int (*option)(void *v, int key, const char *arg, struct mp_error *err);
    /* Checks the values and makes the model, which free() gets after failures, too. */
    int (*start)(void *v, struct mp_error *err);
    void (*free)(void *v);
    void (*head)(const void *v, struct out_json *j); /* writes the values */
    int (*respond)(void *v, const char *line, size_t length, const struct replay_to *to,
                   struct mp_error *err);
    /* Writes all responses after the last stimulus. NULL: respond() writes them. */
    int (*end)(void *v, const struct replay_to *to, struct mp_error *err);
};

extern const struct replay_block replay_tlb, replay_neighbours, replay_prefetch, replay_tables, replay_walks,
    replay_subregions, replay_colours, replay_uvm;

/* ---- responses ---- */

/* Writes `before`, then the number; printf would be too slow for millions of lines. */
void replay_put_number(FILE *out, const char *before, uint64_t value);
void replay_put_text(FILE *out, const char *text);

/* As cli_number, for the number of an option that fits 32 bits. */
int replay_option(const char *name, const char *arg, uint64_t min, uint64_t max, uint32_t *out,
                  struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
