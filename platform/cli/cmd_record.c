/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath record`: hands over to the recorder, which is a program of its own because kernels are compiled
 * into it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cache.h"
#include "cli/cli.h"

static const char help[] =
    "Usage: mempath record APP [--size SIZE] [--seed N] [--input FILE] -o FILE\n"
    "  or:  mempath record --cl FILE.cl {--kernel NAME --global X[,Y[,Z]] --local X[,Y[,Z]] {--arg SPEC}}... "
    "-o FILE\n"
    "  or:  mempath record --list\n"
    "Runs an OpenCL program for real, checks what it computes (if it is one of the project's), and writes "
    "what its\n"
    "warps do to memory. The trace is compressed when FILE ends in .zst; it appears only when it is whole.\n"
    "\n"
    "      --size SIZE    of an application's input (--list says what each means)\n"
    "      --seed N       of the input\n"
    "      --input FILE   a graph, Matrix Market or DIMACS .gr, for the applications that take one\n"
    "      --cl FILE.cl   kernels of your own; each --kernel is launched in turn\n"
    "      --arg SPEC     the kernel's next argument: TYPE:VALUE for a number, local:BYTES for local "
    "memory,\n"
    "                     buf:[NAME:]TYPE:COUNT[=zero|iota|random|FILE] for a new buffer, buf:NAME for it "
    "again\n"
    "      --list         the applications and their sizes\n"
    "      --progress json, --quiet\n"
    "\n"
    "Examples:\n"
    "  mempath record MT --size medium -o mt.gwt.zst\n"
    "  mempath record BFS --input road.gr -o road.gwt.zst\n"
    "  mempath record --cl saxpy.cl --kernel saxpy --global 65536 --local 256 --arg float:2 \\\n"
    "      --arg buf:x:float:65536=random --arg buf:y:float:65536=random -o saxpy.gwt.zst\n"
    "  mempath run demo --set tenants.0.trace=saxpy.gwt.zst\n";

int cmd_record(struct cli *cli, int argc, char **argv)
{
    (void)cli;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            fputs(help, stdout);
            return CLI_DONE;
        }
    }
    char *recorder = cache_recorder();
    argv[0] = recorder;
    execv(recorder, argv);
    int code =
        cli_fail(CLI_FAILED, "%s: cannot be run: %s; it is built beside mempath", recorder, strerror(errno));
    free(recorder);
    return code;
}
