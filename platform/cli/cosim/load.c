/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cosim/cosim.h"
#include "cli/spawn.h"

#define LINE_BYTES 4096u

/* The path of a file next to the program, malloc'ed; NULL with err if it does not exist. */
static char *built(const char *file, const char *by, struct mp_error *err)
{
    char *path = spawn_beside(file);
    if (!access(path, R_OK))
        return path;
    mp_fail(
        err,
        "the RTL is not built (no %s); in the sources, platform/mempath cosim%s builds it, with verilator",
        path, by);
    free(path);
    return NULL;
}

/* Reads the script's answer: "library PATH" or "error WHAT". */
static void ask_script(char *const argv[], char line[LINE_BYTES])
{
    int reader, pid = spawn_start(argv, STDOUT_FILENO, &reader);
    FILE *f = pid < 0 ? NULL : fdopen(reader, "r");
    if (!f || !fgets(line, LINE_BYTES, f))
        *line = 0;
    if (f)
        fclose(f);
    if (pid > 0)
        spawn_wait(pid);
    line[strcspn(line, "\n")] = 0;
}

static bool warned; /* warnings are shown once, although there are several designs */

void cosim_load_warned(void)
{
    warned = true;
}

/* Has rtl/lockstep/own.sh build a library. */
static char *own(const struct cosim_library *which, struct mp_error *err)
{
    char design[16], line[LINE_BYTES], *path = NULL;
    char *script = built("mempath-own-rtl.sh", " star --waves", err);
    if (!script)
        return NULL;
    snprintf(design, sizeof design, "%u", which->design);
    const char *argv[] = {"/bin/sh",
                          script,
                          which->block,
                          design,
                          which->waves ? "1" : "0",
                          which->chosen ? "1" : "0",
                          warned ? "0" : "1",
                          which->top,
                          NULL};
    warned = true;
    ask_script((char *const *)(uintptr_t)argv, line);
    free(script);
    if (!strncmp(line, "library ", 8))
        path = cli_have(strdup(line + 8));
    else
        mp_fail(err, "%s",
                strncmp(line, "error ", 6) ? "the build of the RTL was interrupted; try again" : line + 6);
    return path;
}

const void *cosim_load(const char *symbol, const struct cosim_library *which, struct mp_error *err)
{
    char *path = which->mutants ? built("libmempath-mutants.so", " star --mutants", err)
                 : which->top || which->waves || which->unusual ? own(which, err)
                                                                : built(COSIM_LIBRARY, "", err);
    if (!path)
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *found = library ? dlsym(library, symbol) : NULL;
    if (!found) {
        mp_fail(err, "%s; rebuild it with platform/mempath cosim", dlerror());
    } else if (strcmp(*(const char *const *)found, MP_RTL_INTERFACE) != 0) {
        mp_fail(err, "%s: was built for another version of mempath; platform/mempath cosim rebuilds it",
                path);
        found = NULL;
    }
    free(path);
    return found;
}

int cosim_waves_begin(const char *file, struct mp_error *err)
{
    FILE *f = fopen(file, "wb");
    if (!f)
        return mp_fail(err, "--waves: %s: %s; a writable file is needed", file, strerror(errno));
    fclose(f);
    return 0;
}

bool cosim_waves_end(const char *file)
{
    FILE *f = fopen(file, "rb");
    bool written = f && fgetc(f) != EOF;
    if (f)
        fclose(f);
    if (!written)
        unlink(file);
    return written;
}
