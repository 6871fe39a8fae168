/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up the addresses of an executable: its symbols, and its source lines if it was compiled with -g. */
#ifndef MP_SOC_SYMBOLS_H
#define MP_SOC_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_symbols;

/* Returns NULL with err on failure. */
struct mp_symbols *mp_symbols_open(const char *file, struct mp_error *err);
void mp_symbols_close(struct mp_symbols *s); /* NULL is allowed */

/* Returns whether there is any line information. */
bool mp_symbols_have_lines(const struct mp_symbols *s);

/* Returns "main" or "main+0x1c", or "-" if no symbol is there or s is NULL. */
void mp_symbols_name(struct mp_symbols *s, uint64_t address, char *text, size_t size);
/* Returns "dir/file.c:17", or "-" if no line is known or s is NULL. */
void mp_symbols_line(struct mp_symbols *s, uint64_t address, char *text, size_t size);

/* What a backtrace begins with. */
struct mp_symbols_state {
    uint64_t pc, x[32];
    void *self;
    /* Reads 8 bytes of memory; false if there is none. */
    bool (*read)(void *self, uint64_t address, uint64_t *value);
};
/* Returns the number of frames, at most `most`, whose places are in pc[]: the state's pc, then one in each
 * call. It is 1 without information about frames (-g), or if the stack is damaged. */
unsigned mp_symbols_backtrace(struct mp_symbols *s, const struct mp_symbols_state *state, unsigned most,
                              uint64_t *pc);

struct mp_source_place {         /* strings are valid until mp_symbols_close() */
    const char *file, *function; /* function is NULL: a statement of a line */
    int line;
    uint64_t address; /* of the first instruction */
};
/* Calls `see` for each statement, and each function that has code and a line where it is declared. */
typedef void mp_symbols_see(void *self, const struct mp_source_place *place);
void mp_symbols_each_place(struct mp_symbols *s, mp_symbols_see *see, void *self);

#ifdef __cplusplus
}
#endif
#endif
