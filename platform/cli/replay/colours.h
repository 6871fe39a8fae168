/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and colours of a machine with XOR functions, and its pages' allocator, driven by stimuli. */
#ifndef MP_CLI_REPLAY_COLOURS_H
#define MP_CLI_REPLAY_COLOURS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/error.h"
#include "map/colours.h"
#include "vm/frames/allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct replay_colours_stimulus {
    char op;     /* 'M', 'T', 'G' or 'U'; 0 for a blank line or comment */
    uint64_t pa; /* BASE of U */
    uint32_t colour;
    uint64_t offset;
};

struct replay_colours_response {
    const char *word; /* "none", "given" or "refused"; NULL: values */
    unsigned n;       /* 5 for M: module, set, bank, row, colour; else 1, an address */
    uint64_t value[5];
};

struct replay_colours {
    struct mp_gf2 machine;
    struct mp_gf2_tables tables;
    uint64_t page_bytes;
    struct mp_colours colours;
    struct mp_frames frames; /* all memory */
};

/* 0, or -1 with "colours: ..." if the machine's pages cannot have that number (0: all there are). page_bytes
 * is a power of two from 1 KiB to 2 MiB. */
int replay_colours_init(struct replay_colours *r, const struct mp_gf2 *machine, uint64_t page_bytes,
                        uint32_t colours, struct mp_error *err);
void replay_colours_free(struct replay_colours *r);
/* Parses a line and checks it against the machine. */
int replay_colours_parse(const struct replay_colours *r, const char *line, size_t length,
                         struct replay_colours_stimulus *s, struct mp_error *err);
struct replay_colours_response replay_colours_respond(struct replay_colours *r,
                                                      const struct replay_colours_stimulus *s);

/* The machine of option --machine; -1 with an error if there is none of that name. */
int replay_colours_machine(const struct mp_gf2 **machine, const char *name, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
