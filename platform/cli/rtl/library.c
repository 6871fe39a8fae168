/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a cell library in Liberty that must be known before the tools read it: its name, its flops,
 * the area of a NAND2, and that it has the cells that the user names. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rtl/rtl.h"

enum { LIBRARY = 1, CELL, PART }; /* depths: inside of library, of a cell, of a part of it */

struct scan {
    const char *at, *end;
    unsigned depth;
    char word[64], argument[RTL_CELL_NAME]; /* of the last group or attribute; cut if they are longer */
    char cell[RTL_CELL_NAME];
    bool driver, nand2;        /* are there */
    bool in_flop;              /* at depth PART: in an ff group */
    bool reset;                /* the cell's flop has an asynchronous reset */
    bool usable;               /* some flop has one, and an output of its state that is not inverted */
    char state[RTL_CELL_NAME]; /* of the cell's flop */
    char outputs[PATH_MAX];    /* of the cell: functions, one a line */
    FILE *flops;
};

static void skip_space(struct scan *s)
{
    while (s->at < s->end) {
        if (isspace((unsigned char)*s->at) || *s->at == '\\' || *s->at == ';') {
            s->at++;
        } else if (s->end - s->at > 1 && s->at[0] == '/' && s->at[1] == '*') {
            const char *end = memmem(s->at + 2, (size_t)(s->end - s->at - 2), "*/", 2);
            s->at = end ? end + 2 : s->end;
        } else if (s->end - s->at > 1 && s->at[0] == '/' && s->at[1] == '/') {
            const char *end = memchr(s->at, '\n', (size_t)(s->end - s->at));
            s->at = end ? end : s->end;
        } else {
            return;
        }
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Copies the text up to a character of `ends`, without quotes and spaces. */
static void take(struct scan *s, const char *ends, char *to, size_t room)
{
    size_t n = 0;
    bool quoted = false;
    for (; s->at < s->end && (quoted || !strchr(ends, *s->at)); s->at++) {
        quoted ^= *s->at == '"';
        if (*s->at != '"' && !isspace((unsigned char)*s->at) && n + 1 < room)
            to[n++] = *s->at;
    }
    to[n] = 0;
}

static void begin_group(struct scan *s, struct rtl_library *l)
{
    if (s->depth == LIBRARY - 1)
        snprintf(l->name, sizeof l->name, "%s", s->argument);
    else if (s->depth == LIBRARY && !strcmp(s->word, "cell")) {
        snprintf(s->cell, sizeof s->cell, "%s", s->argument);
        *s->state = *s->outputs = 0;
        s->reset = false;
        s->driver |= !strcmp(s->cell, l->driver);
        s->nand2 |= !strcmp(s->cell, l->nand2);
    } else if (s->depth == CELL && *s->cell && !strcmp(s->word, "ff")) {
        fprintf(s->flops, "%s%s", ftello(s->flops) ? " " : "", s->cell);
        snprintf(s->state, sizeof s->state, "\n%.*s\n", (int)strcspn(s->argument, ","), s->argument);
        s->in_flop = true;
    }
    s->depth++;
}

static void end_group(struct scan *s)
{
    if (s->depth)
        s->depth--;
    if (s->depth == LIBRARY) {
        s->usable |= s->reset && strstr(s->outputs, s->state);
        *s->cell = 0;
    }
    if (s->depth == CELL)
        s->in_flop = false;
}

static void attribute(struct scan *s, struct rtl_library *l)
{
    if (s->depth == CELL && !strcmp(s->word, "area") && !strcmp(s->cell, l->nand2))
        l->nand2_area = strtod(s->argument, NULL);
    s->reset |= s->depth == PART && s->in_flop && (!strcmp(s->word, "clear") || !strcmp(s->word, "preset"));
    size_t n = strlen(s->outputs);
    if (s->depth == PART && !strcmp(s->word, "function"))
        snprintf(s->outputs + n, sizeof s->outputs - n, "\n%s\n", s->argument);
}

/* Goes through the groups `word (argument) { ... }` and attributes `word : value;`. */
static void scan(struct scan *s, struct rtl_library *l)
{
    for (skip_space(s); s->at < s->end; skip_space(s)) {
        if (in_word(*s->at)) {
            size_t n = 0;
            for (; s->at < s->end && in_word(*s->at); s->at++)
                if (n + 1 < sizeof s->word)
                    s->word[n++] = *s->at;
            s->word[n] = *s->argument = 0;
            skip_space(s);
            if (s->at < s->end && *s->at == ':') {
                s->at++;
                take(s, ";\n}", s->argument, sizeof s->argument);
                attribute(s, l);
            } else if (s->at < s->end && *s->at == '(') {
                s->at++;
                take(s, ")", s->argument, sizeof s->argument);
                s->at += s->at < s->end;
                skip_space(s);
                if (s->at < s->end && *s->at == '{') {
                    s->at++;
                    if (!s->depth && strcmp(s->word, "library") != 0)
                        return;
                    begin_group(s, l);
                }
            } else if (!s->depth) {
                return;
            }
        } else if (*s->at == '}') {
            s->at++;
            end_group(s);
        } else if (*s->at == '{') {
            s->at++;
            s->depth++;
        } else {
            s->at++;
            if (!s->depth)
                return;
        }
    }
}

int rtl_library_text(const char *text, size_t size, struct rtl_library *l, struct mp_error *err)
{
    struct scan s = {.at = text, .end = text + size};
    size_t bytes;
    *l->name = 0;
    l->nand2_area = 0;
    s.flops = cli_have(open_memstream(&l->flops, &bytes));
    scan(&s, l);
    fclose(s.flops);
    int result = 0;
    if (!*l->name)
        result = mp_fail(err, "not a Liberty file; one begins with library (NAME) {");
    else if (s.depth)
        result = mp_fail(err, "ends within a group; a whole Liberty file is needed");
    else if (!s.driver)
        result =
            mp_fail(err, "no cell '%.60s'; --cells driver=CELL, a buffer that drives the inputs", l->driver);
    else if (!s.nand2)
        result =
            mp_fail(err, "no cell '%.60s'; --cells nand2=CELL, in whose area others are counted", l->nand2);
    else if (!(l->nand2_area > 0))
        result = mp_fail(err, "'%.60s' has no area; a number above 0", l->nand2);
    else if (!s.usable)
        result = mp_fail(err, "no flop with an asynchronous reset and an output that is not inverted; "
                              "an ff with clear or preset");
    if (result) {
        free(l->flops);
        l->flops = NULL;
    }
    return result;
}

int rtl_library_read(struct rtl_library *l, struct mp_error *err)
{
    struct mp_error why;
    char *text = NULL, part[1 << 16];
    size_t size = 0, n;
    FILE *f = fopen(l->file, "r"), *all = cli_have(open_memstream(&text, &size));
    while (f && (n = fread(part, 1, sizeof part, f)) > 0)
        fwrite(part, 1, n, all);
    bool good = f && !ferror(f);
    int number = errno;
    if (f)
        fclose(f);
    fclose(all);
    int result = good ? rtl_library_text(text, size, l, &why)
                      : mp_fail(&why, "%s; a cell library in Liberty is needed", strerror(number));
    free(text);
    return result ? mp_fail(err, "--liberty: %s: %s", l->file, why.text) : 0;
}

/* ---- cells ---- */

static int is_name(const char *text)
{
    return *text && strlen(text) < RTL_CELL_NAME &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_")] == 0;
}

int rtl_library_cells(const char *text, struct rtl_library *l, struct mp_error *err)
{
    static const char allowed[] = "driver=CELL, nand2=CELL and load=PF, separated by commas";
    while (*text) {
        char setting[2 * RTL_CELL_NAME], *value, *end;
        size_t n = strcspn(text, ",");
        snprintf(setting, sizeof setting, "%.*s", (int)(n < sizeof setting ? n : sizeof setting - 1), text);
        text += n + (text[n] == ',');
        value = strchr(setting, '=');
        if (!value)
            return mp_fail(err, "--cells: '%.60s' is not a setting; %s", setting, allowed);
        *value++ = 0;
        if (!strcmp(setting, "load")) {
            l->load = strtod(value, &end);
            if (!isdigit((unsigned char)*value) || *end || !(l->load > 0 && l->load < 1000))
                return mp_fail(err, "--cells: '%.60s' is not a load; pF, above 0", value);
            continue;
        }
        char *name = !strcmp(setting, "driver") ? l->driver : !strcmp(setting, "nand2") ? l->nand2 : NULL;
        if (!name)
            return mp_fail(err, "--cells: no setting '%.60s'; %s", setting, allowed);
        if (!is_name(value))
            return mp_fail(err, "--cells: '%.60s' is not the name of a cell; letters, digits and _", value);
        snprintf(name, RTL_CELL_NAME, "%s", value);
    }
    return 0;
}
