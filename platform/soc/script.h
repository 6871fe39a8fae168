/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is typed at the console without a person: characters, and when they are sent. A script is text with a
 * step in each line; empty lines and those that begin with # are none.
 *
 *   send TEXT            sends TEXT and a newline
 *   wait TEXT            goes on when the console has printed TEXT, since the step before
 *   wait TEXT within T   T is a number of us, ms or s of simulated time; the default is 10 s
 *   pause T              goes on after that time
 *
 * TEXT may be in double quotes, in which \n, \r, \t, \", \\ and \xHH are single characters; then `send` adds
 * no newline.
 */
#ifndef MP_SOC_SCRIPT_H
#define MP_SOC_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SCRIPT_TEXT 256u

enum mp_script_kind { MP_SCRIPT_SEND, MP_SCRIPT_WAIT, MP_SCRIPT_PAUSE };

struct mp_script_step {
    enum mp_script_kind kind;
    unsigned line;
    char *text; /* with its length, since it may contain any character */
    size_t bytes;
    uint64_t picoseconds; /* for WAIT and PAUSE */
};

struct mp_script {
    char *name;
    struct mp_script_step *step;
    size_t steps, now, sent;      /* the step in progress, and the characters of it that were sent */
    uint64_t begun;               /* time at which it began */
    char printed[MP_SCRIPT_TEXT]; /* the latest characters, at their number modulo the size */
    uint64_t characters;          /* printed since the step began */
};

/* Parses a script. name: for errors, "NAME:LINE: WHAT; WHAT IS ALLOWED". -1 with err; script is then empty.
 */
int mp_script_parse(struct mp_script *s, const char *name, const char *text, size_t bytes,
                    struct mp_error *err);
/* Characters that are sent as they are, as soon as there is room. -1 with err: out of memory. */
int mp_script_characters(struct mp_script *s, const char *name, const char *text, size_t bytes,
                         struct mp_error *err);
void mp_script_free(struct mp_script *s);

/* The console has printed this character. */
void mp_script_printed(struct mp_script *s, char c);
/* Returns the next character that is to be sent at that time, or -1 if there is none now. Times do not
 * decrease. */
int mp_script_next(struct mp_script *s, uint64_t picoseconds);
bool mp_script_done(const struct mp_script *s);
/* Whether a script has steps left; characters may be left unread. */
bool mp_script_cut(const struct mp_script *s);
/* Whether a `wait` has taken longer than it may; err then says which. */
bool mp_script_late(const struct mp_script *s, uint64_t picoseconds, struct mp_error *err);
/* "NAME:LINE: ..." about the step at which a script is cut. */
void mp_script_where(const struct mp_script *s, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
