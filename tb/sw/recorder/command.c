/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/record-commandXXXXXX";
static char files[32][64]; /* written, to be removed */
static unsigned nfiles;

int run(char output[2048], const char *format, ...)
{
    char arguments[2048], line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    snprintf(line, sizeof line, "cd %s && %s %s 2>&1", folder, MEMPATH_RECORD, arguments);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    output[fread(output, 1, 2047, f)] = 0;
    while (fgetc(f) != EOF) /* the list of applications is longer */
        ;
    const int status = pclose(f);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

void path_in(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
}

void write_file(const char *name, const char *text)
{
    char path[128];
    path_in(path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_true(nfiles < sizeof files / sizeof *files);
    snprintf(files[nfiles++], sizeof files[0], "%s", name);
}

void refused(int code, const char *arguments, const char *says)
{
    char said[2048], path[128];
    const int got = run(said, "%s", arguments);
    if (got != code || !strstr(said, says))
        fail_msg("%s: exit code %d, '%s'; expected %d, '%s'", arguments, got, said, code, says);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
    assert_null(strstr(said, "runtime error"));
    path_in(path, "t.gwt");
    assert_int_not_equal(access(path, F_OK), 0);
}

int command_begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int command_end(void **state)
{
    (void)state;
    char path[128];
    for (unsigned i = 0; i < nfiles; i++) {
        path_in(path, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}
