/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/graph.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/spawn.h"

void graph_text(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '>')
            fputs("&gt;", f);
        else
            fputc(*text, f);
}

const char *graph_form(const char *file)
{
    static const char *const forms[] = {"svg", "png", "pdf", "dot"};
    const char *end = strrchr(file, '.');
    for (size_t i = 0; end && i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(end + 1, forms[i]))
            return forms[i];
    return NULL;
}

static int cannot_write(enum cli_exit code, const char *file)
{
    return cli_fail(code, "%s: %s; a writable file is needed", file, strerror(errno));
}

/* part: the temporary file; file: what errors name. */
static int write_graph(const char *part, const char *file, void (*draw)(const void *context, FILE *f),
                       const void *context)
{
    FILE *f = fopen(part, "w");
    if (!f)
        return cannot_write(CLI_USAGE, file);
    draw(context, f);
    bool written = !ferror(f);
    written = !fclose(f) && written;
    return written ? CLI_DONE : cannot_write(CLI_FAILED, file);
}

/* Reads what a program prints, to its end. line: the first line. */
static void read_all(int reader, char *line, size_t size)
{
    char rest[256];
    FILE *f = cli_have(fdopen(reader, "r"));
    if (fgets(line, (int)size, f))
        line[strcspn(line, "\n")] = 0;
    while (fread(rest, 1, sizeof rest, f))
        ;
    fclose(f);
}

static int run_dot(const char *asked, const char *form, const char *graph, const char *picture)
{
    char option[16], line[200] = "";
    snprintf(option, sizeof option, "-T%s", form);
    char *argv[] = {"dot", option, "-o", (char *)(uintptr_t)picture, (char *)(uintptr_t)graph, NULL};
    int reader, pid = spawn_tool(argv, NULL, &reader);
    if (pid < 0)
        return cli_fail(CLI_USAGE,
                        "%s: dot cannot be started (%s); the Debian package graphviz, which platform/mempath "
                        "installs, or a name that ends in .dot",
                        asked, strerror(errno));
    read_all(reader, line, sizeof line);
    return spawn_wait(pid) ? cli_fail(CLI_FAILED, "%s: dot could not draw: %s", asked, line) : CLI_DONE;
}

int graph_write(const char *option, const char *file, void (*draw)(const void *context, FILE *f),
                const void *context)
{
    char graph[PATH_MAX], picture[PATH_MAX];
    const char *form = graph_form(file);
    bool as_graph = !strcmp(form, "dot");
    if ((size_t)snprintf(graph, sizeof graph, "%s.graph.part", file) >= sizeof graph)
        return cli_fail(CLI_USAGE, "%s: the name is too long; less than %d characters", option,
                        PATH_MAX - 16);
    snprintf(picture, sizeof picture, "%s.part", file);
    int code = write_graph(graph, file, draw, context);
    if (!code && !as_graph)
        code = run_dot(option, form, graph, picture);
    if (!code && rename(as_graph ? graph : picture, file))
        code = cannot_write(CLI_FAILED, file);
    unlink(graph);
    unlink(picture);
    return code;
}
