/* SPDX-License-Identifier: Apache-2.0 */
/* The options of mempath-record. */
#ifndef MP_RECORDER_OPTIONS_H
#define MP_RECORDER_OPTIONS_H

#include "recorder.h"

struct options {
    const char *app, *input, *output;
    enum app_scale scale;
    uint64_t seed;
    uint64_t lanes; /* of a full warp; 0: as the size says */
    enum progress progress;
    bool quiet, key, list, json;
    struct record_rules rules;
    const char *source;       /* --cl or --cu */
    const char *inline_limit; /* a number, or NULL */
    bool cuda;
    char **flag; /* -D and -I, as clang takes them */
    unsigned nflags;
    int ncommands; /* --kernel, --global, --local, --arg and their values, in order */
    const char **command;
};

#define EXIT_WRONG 1 /* the run or its check failed */
#define EXIT_USAGE 2

extern const char *const scale_names[APP_SCALES];

/* An input of the STAR paper. */
bool is_of_star(enum app_scale scale);
/* Returns the lanes of a full warp, 32 or 64. */
unsigned warp_lanes(const struct options *o);
/* Prints "mempath: record: TEXT" and returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...);
/* Reads a decimal or 0x number that fills the whole text. */
bool parse_number(const char *text, uint64_t *value);
/* Ends a successful recording: closes the trace and prints what it holds. */
int finish_recording(struct device *d, const struct options *o, double begun);

/* Writes 32 hexadecimal digits and a NUL: a digest of everything that decides that application's trace. */
int trace_key(char key[33], const struct record_module *module, const struct options *o,
              struct mp_error *err);

/* mempath-record --cl */
int record_user_kernels(const struct options *o);

#endif
