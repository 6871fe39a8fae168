/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual.h"

#include <stdio.h>
#include <string.h>

#include "cli/revision.h"

#define LINE 72u /* columns of a line in the source of the page */

void manual_each(struct cli *cli, void (*help)(struct cli *cli, const struct cli_usage *usage))
{
    char ask[] = "--help";
    struct cli asking = *cli;
    asking.help = help;
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        char *arguments[] = {(char *)(uintptr_t)c->name, ask, NULL};
        cli_run(&asking, c, 2, arguments);
    }
}

void manual_each_block(struct cli *cli, const struct cli_usage *usage)
{
    const char *name = strrchr(usage->command, ' ') + 1;
    const struct cli_command *c = cli_commands;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    for (unsigned i = 0; usage->blocks && usage->word(i); i++) {
        char ask[] = "--help";
        char *arguments[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)usage->word(i), ask, NULL};
        cli_run(cli, c, 3, arguments);
    }
}

/* ---- the manual page ---- */

/* Prints text of which no character is a request or an escape. A point at a line's start is a request. */
static void escape(const char *text, size_t length, bool starts_line)
{
    static const struct {
        char from;
        const char *to;
    } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    if (starts_line && length && *text == '.')
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++) {
        unsigned e = 0;
        while (e < sizeof escapes / sizeof *escapes && escapes[e].from != text[i])
            e++;
        if (e < sizeof escapes / sizeof *escapes)
            fputs(escapes[e].to, stdout);
        else
            putchar(text[i]);
    }
}

static bool ends_sentence(const char *word, size_t length)
{
    while (length && (word[length - 1] == ')' || word[length - 1] == '"'))
        length--;
    return length && strchr(".?!", word[length - 1]);
}

/* Prints words, each sentence on a new line. */
static void prose(const char *text, size_t length)
{
    size_t column = 0;
    const char *end = text + length;
    while (text < end) {
        const char *space = memchr(text, ' ', (size_t)(end - text));
        size_t n = space ? (size_t)(space - text) : (size_t)(end - text);
        if (n && column + n > LINE) {
            putchar('\n');
            column = 0;
        }
        if (n && column)
            putchar(' ');
        escape(text, n, !column);
        column += n ? n + 1 : 0;
        if (n && ends_sentence(text, n) && text + n < end) {
            putchar('\n');
            column = 0;
        }
        text += n + 1;
    }
    putchar('\n');
}

/* Prints paragraphs. Lines that begin with a blank, such as examples, are printed as they are. apart: the
 * first paragraph follows other text. */
static void paragraphs(const char *text, const char *end, bool apart)
{
    bool literal = false, first = !apart;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
        if (n && *text == ' ') {
            if (!literal)
                puts(".Bd -literal");
            else if (apart)
                putchar('\n');
            escape(text, n, false);
            putchar('\n');
            literal = true;
        } else if (n) {
            if (literal)
                puts(".Ed");
            if (literal || apart)
                puts(".Pp");
            prose(text, n);
            literal = false;
        }
        apart = !n && !first;
        first = first && !n;
        text += n + 1;
    }
    if (literal)
        puts(".Ed");
}

/* The names and the argument of an option as .It has them. \& prevents that a word is taken as a macro. */
static void option_names(const struct argp_option *o)
{
    bool letter = o->key > ' ' && o->key < 0x7f;
    fputs(".It", stdout);
    if (letter)
        printf(" Fl %c", o->key);
    if (letter && o->name)
        fputs(" ,", stdout);
    if (o->name) {
        fputs(" Fl \\-", stdout);
        escape(o->name, strlen(o->name), false);
    }
    if (o->arg) {
        fputs(o->name ? " Ns = Ns Ar \\&" : " Ar \\&", stdout);
        escape(o->arg, strlen(o->arg), false);
    }
    putchar('\n');
}

static void option_list(const struct argp_option *options)
{
    bool open = false;
    for (const struct argp_option *o = options; o && (o->name || o->key); o++) {
        if (!open)
            puts(".Bl -tag -width Ds");
        option_names(o);
        prose(o->doc, strlen(o->doc));
        open = true;
    }
    if (open)
        puts(".El");
}

static void page_of_command(struct cli *cli, const struct cli_usage *usage)
{
    const char *examples = strchr(usage->doc, '\v'), *end = usage->doc + strlen(usage->doc);
    struct argp_option own[CLI_OPTIONS];
    bool any = cli_own_options(cli, usage, own) > 0;
    printf(".Ss %s\n.Dl ", usage->command);
    escape(usage->command, strlen(usage->command), false);
    if (any)
        fputs(" [OPTION...]", stdout);
    if (usage->args) {
        putchar(' ');
        escape(usage->args, strlen(usage->args), false);
    }
    puts("\n.Pp");
    paragraphs(usage->doc, examples ? examples : end, false);
    option_list(own);
    if (examples)
        paragraphs(examples + 1, end, true);
    manual_each_block(cli, usage);
}

void manual_page(struct cli *cli, const char *overview)
{
    const char *name = overview + strcspn(overview, ":"); /* "mempath: what it is" */
    const char *what = name + 2, *line = what + strcspn(what, "\n");
    puts(".\\\" Generated by mempath help --man.");
    printf(".Dd %s\n.Dt MEMPATH 1\n.Os\n.Sh NAME\n.Nm mempath\n.Nd ", MEMPATH_DATE);
    escape(what, (size_t)(line - what), false);
    puts("\n.Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n.Sh DESCRIPTION");
    paragraphs(line, line + strlen(line), false);
    puts(".Sh OPTIONS\nAll commands except\n.Ic record\ntake:");
    option_list(cli_global_options + 1);
    puts(".Sh COMMANDS");
    manual_each(cli, page_of_command);
}
