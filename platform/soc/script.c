/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000000) /* picoseconds */

static const char allowed[] = "send TEXT, wait TEXT [within TIME], or pause TIME";

/* --- parsing -------------------------------------------------------------------------------------- */

struct reader { /* of one line */
    const char *at, *end;
    const char *name;
    unsigned line;
};

static int fail(const struct reader *r, const char *what, const char *instead, struct mp_error *err)
{
    return mp_fail(err, "%s:%u: %s; %s", r->name, r->line, what, instead);
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

/* Whether the line goes on with this word. */
static bool word(struct reader *r, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0 ||
        (r->at + n < r->end && r->at[n] != ' ' && r->at[n] != '\t'))
        return false;
    r->at += n;
    skip_blanks(r);
    return true;
}

static int hexadecimal(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* The character after a backslash; -1 if it is none. */
static int escaped(struct reader *r)
{
    static const char names[] = "nrt\"\\", meant[] = "\n\r\t\"\\";
    const char *name = r->at < r->end && *r->at ? strchr(names, *r->at) : NULL;
    if (name) {
        r->at++;
        return meant[name - names];
    }
    if (r->end - r->at < 3 || *r->at != 'x')
        return -1;
    int high = hexadecimal(r->at[1]), low = hexadecimal(r->at[2]);
    r->at += 3;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static int quoted(struct reader *r, struct mp_script_step *step, struct mp_error *err)
{
    for (r->at++; r->at < r->end && *r->at != '"';) {
        int c = (unsigned char)*r->at++;
        if (c == '\\' && (c = escaped(r)) < 0)
            return fail(r, "unknown character after \\", "\\n, \\r, \\t, \\\", \\\\ or \\xHH", err);
        step->text[step->bytes++] = (char)c;
    }
    if (r->at == r->end)
        return fail(r, "no closing quote", "\"TEXT\"", err);
    r->at++;
    skip_blanks(r);
    return 0;
}

/* The rest of the line; of a `wait`, up to a last "within TIME". */
static void plain(struct reader *r, struct mp_script_step *step)
{
    static const char within[] = " within ";
    const char *end = r->end;
    for (const char *p = r->at; step->kind == MP_SCRIPT_WAIT && p + sizeof within - 1 < r->end; p++)
        if (!memcmp(p, within, sizeof within - 1))
            end = p;
    step->bytes = (size_t)(end - r->at);
    memcpy(step->text, r->at, step->bytes);
    r->at = end;
    skip_blanks(r);
    if (step->kind == MP_SCRIPT_SEND)
        step->text[step->bytes++] = '\n';
}

static int text(struct reader *r, struct mp_script_step *step, struct mp_error *err)
{
    if (r->at == r->end)
        return fail(r, "no text", allowed, err);
    step->text = malloc((size_t)(r->end - r->at) + 1);
    if (!step->text)
        return mp_fail(err, "%s: out of memory", r->name);
    if (*r->at == '"') {
        if (quoted(r, step, err))
            return -1;
    } else {
        plain(r, step);
    }
    if (!step->bytes || (step->kind == MP_SCRIPT_WAIT && step->bytes > MP_SCRIPT_TEXT))
        return fail(r, "a text of another length", "1 to 256 characters", err);
    return 0;
}

static int time_of(struct reader *r, uint64_t *picoseconds, struct mp_error *err)
{
    static const struct {
        const char *name;
        uint64_t picoseconds;
    } units[] = {{"us", SECOND / 1000000}, {"ms", SECOND / 1000}, {"s", SECOND}};
    static const char times[] = "a time from 1us to 1000s, such as 20ms";
    uint64_t number = 0;
    const char *first = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at) && number < 1000000000)
        number = number * 10 + (uint64_t)(*r->at++ - '0');
    for (size_t i = 0; r->at > first && i < sizeof units / sizeof *units; i++)
        if (word(r, units[i].name)) {
            *picoseconds = number * units[i].picoseconds;
            return number && *picoseconds <= 1000 * SECOND ? 0 : fail(r, "no such time", times, err);
        }
    return fail(r, "no time", times, err);
}

static int parse_step(struct reader *r, struct mp_script_step *step, struct mp_error *err)
{
    *step = (struct mp_script_step){.line = r->line, .picoseconds = 10 * SECOND};
    int bad;
    if (word(r, "send")) {
        step->kind = MP_SCRIPT_SEND;
        bad = text(r, step, err);
    } else if (word(r, "wait")) {
        step->kind = MP_SCRIPT_WAIT;
        bad = text(r, step, err) || (word(r, "within") && time_of(r, &step->picoseconds, err));
    } else if (word(r, "pause")) {
        step->kind = MP_SCRIPT_PAUSE;
        bad = time_of(r, &step->picoseconds, err);
    } else {
        return fail(r, "unknown step", allowed, err);
    }
    if (!bad && r->at < r->end)
        return fail(r, "more than one step", "one in a line", err);
    return bad ? -1 : 0;
}

static struct mp_script_step *add_step(struct mp_script *s)
{
    struct mp_script_step *step = realloc(s->step, (s->steps + 1) * sizeof *step);
    if (!step)
        return NULL;
    s->step = step;
    step[s->steps] = (struct mp_script_step){.kind = MP_SCRIPT_SEND};
    return &step[s->steps++];
}

static int begin(struct mp_script *s, const char *name, struct mp_error *err)
{
    *s = (struct mp_script){.name = strdup(name)};
    return s->name ? 0 : mp_fail(err, "%s: out of memory", name);
}

static int parse(struct mp_script *s, const char *script, size_t bytes, struct mp_error *err)
{
    struct reader r = {.name = s->name};
    for (const char *next = script, *last = script + bytes; next < last;) {
        const char *newline = memchr(next, '\n', (size_t)(last - next));
        r.line++;
        r.at = next;
        r.end = newline ? newline : last;
        next = newline ? newline + 1 : last;
        while (r.end > r.at && isspace((unsigned char)r.end[-1]))
            r.end--;
        skip_blanks(&r);
        if (r.at == r.end || *r.at == '#')
            continue;
        struct mp_script_step *step = add_step(s);
        if (!step)
            return mp_fail(err, "%s: out of memory", s->name);
        if (parse_step(&r, step, err))
            return -1;
    }
    return s->steps ? 0 : mp_fail(err, "%s: no steps; %s", s->name, allowed);
}

int mp_script_parse(struct mp_script *s, const char *name, const char *script, size_t bytes,
                    struct mp_error *err)
{
    if (!begin(s, name, err) && !parse(s, script, bytes, err))
        return 0;
    mp_script_free(s);
    return -1;
}

int mp_script_characters(struct mp_script *s, const char *name, const char *characters, size_t bytes,
                         struct mp_error *err)
{
    if (begin(s, name, err))
        return -1;
    struct mp_script_step *step = bytes ? add_step(s) : NULL;
    if (step)
        step->text = malloc(bytes);
    if (bytes && (!step || !step->text)) {
        mp_script_free(s);
        return mp_fail(err, "%s: out of memory", name);
    }
    if (bytes) {
        step->bytes = bytes;
        memcpy(step->text, characters, bytes);
    }
    return 0;
}

void mp_script_free(struct mp_script *s)
{
    for (size_t i = 0; i < s->steps; i++)
        free(s->step[i].text);
    free(s->step);
    free(s->name);
    *s = (struct mp_script){.name = NULL};
}

/* --- playing -------------------------------------------------------------------------------------- */

void mp_script_printed(struct mp_script *s, char c)
{
    s->printed[s->characters++ % MP_SCRIPT_TEXT] = c;
    if (mp_script_done(s) || s->step[s->now].kind != MP_SCRIPT_WAIT)
        return;
    const struct mp_script_step *step = &s->step[s->now];
    if (s->characters < step->bytes)
        return;
    for (size_t i = 0; i < step->bytes; i++)
        if (s->printed[(s->characters - step->bytes + i) % MP_SCRIPT_TEXT] != step->text[i])
            return;
    s->now++; /* the next step begins when the script is asked for a character */
    s->begun = UINT64_MAX;
    s->characters = s->sent = 0;
}

static void next_step(struct mp_script *s, uint64_t now)
{
    s->now++;
    s->begun = now;
    s->sent = 0;
}

int mp_script_next(struct mp_script *s, uint64_t now)
{
    s->begun = s->begun == UINT64_MAX ? now : s->begun;
    for (; !mp_script_done(s); next_step(s, now)) {
        const struct mp_script_step *step = &s->step[s->now];
        if (step->kind == MP_SCRIPT_WAIT ||
            (step->kind == MP_SCRIPT_PAUSE && now < s->begun + step->picoseconds))
            return -1;
        if (step->kind != MP_SCRIPT_SEND)
            continue;
        s->characters = 0; /* the answer comes after this */
        int c = (unsigned char)step->text[s->sent++];
        if (s->sent == step->bytes)
            next_step(s, now);
        return c;
    }
    return -1;
}

bool mp_script_done(const struct mp_script *s)
{
    return s->now == s->steps;
}

bool mp_script_cut(const struct mp_script *s)
{
    return !mp_script_done(s) && s->step[s->now].line;
}

bool mp_script_late(const struct mp_script *s, uint64_t now, struct mp_error *err)
{
    if (mp_script_done(s) || s->step[s->now].kind != MP_SCRIPT_WAIT || s->begun == UINT64_MAX ||
        now < s->begun + s->step[s->now].picoseconds)
        return false;
    const struct mp_script_step *step = &s->step[s->now];
    mp_fail(err, "%s:%u: the console has not printed '%.*s' within %llu us", s->name, step->line,
            (int)(step->bytes < 60 ? step->bytes : 60), step->text,
            (unsigned long long)(step->picoseconds / 1000000));
    return true;
}

void mp_script_where(const struct mp_script *s, struct mp_error *err)
{
    mp_fail(err, "%s:%u: the run has ended before this step has", s->name, s->step[s->now].line);
}
