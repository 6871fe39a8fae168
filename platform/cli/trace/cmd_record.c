/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath record`: executes the recorder, a separate program because kernels are compiled into it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/spawn.h"

static const char help[] =
    "Usage: mempath record APP [--size SIZE] [--seed N] [--input FILE] -o FILE\n"
    "  or:  mempath record --cl FILE.cl [-D NAME[=VALUE]]... [-I FOLDER]...\n"
    "           {--kernel NAME --global X[,Y[,Z]] --local X[,Y[,Z]] {--arg SPEC}}... -o FILE\n"
    "  or:  mempath record --list\n"
    "Executes an OpenCL program, checks its results (if it is one of the project's), and writes the memory "
    "accesses\n"
    "of its warps. The trace is compressed if FILE ends in .zst; it appears only when it is complete.\n"
    "An access outside a buffer or array, an integer division by zero, or work-items that diverge before a "
    "barrier\n"
    "end the recording with kernel, line and work-item.\n"
    "\n"
    "      --size SIZE    size of an application's input (--list explains each)\n"
    "      --seed N       seed of the input\n"
    "      --input FILE   a graph, Matrix Market or DIMACS .gr, for the applications that take one\n"
    "      --cl FILE.cl   your kernels; each --kernel is launched in turn\n"
    "      -D NAME[=VALUE], -I FOLDER\n"
    "                     passed to the compiler: a macro, a folder of #include files\n"
    "      --arg SPEC     the kernel's next argument:\n"
    "                     buf:[NAME:]TYPE:COUNT[=HOW] a new buffer; HOW: zero, iota (0, 1, 2 ...), random,\n"
    "                       random:LOW:HIGH (integers: HIGH included), or a file of the buffer's bytes\n"
    "                     buf:NAME                    an earlier buffer again\n"
    "                     TYPE:VALUE                  a number; a vector: TYPE:VALUE,VALUE...\n"
    "                     struct:TYPE:VALUE/...       a structure, all members in order; or bytes:FILE\n"
    "                     local:BYTES                 local memory\n"
    "      --lanes 32|64  lanes of a warp (32; 64 at size star)\n"
    "      --limit N      fail when a warp issues more than N instructions in one launch: for endless loops\n"
    "      --early-exits  let work-items end without the barriers that others of their work-group reach; "
    "GPUs\n"
    "                     allow that, OpenCL C does not\n"
    "      --list         the applications and their sizes\n"
    "      --progress json, --quiet\n"
    "\n"
    "Examples:\n"
    "  mempath record MT --size medium -o mt.gwt.zst\n"
    "  mempath record BFS --input road.gr -o road.gwt.zst\n"
    "  mempath record --cl saxpy.cl --kernel saxpy --global 65536 --local 256 --arg float:2 \\\n"
    "      --arg buf:x:float:65536=random --arg buf:y:float:65536=random -o saxpy.gwt.zst\n"
    "  mempath record --cl tile.cl -D TILE=16 -I include --kernel transpose --global 512,512 --local 16,16 "
    "\\\n"
    "      --arg buf:int:262144=random:0:4095 --arg buf:int:262144 --arg struct:int:512/int:512 -o "
    "tile.gwt.zst\n"
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
    char *recorder = spawn_beside("mempath-record");
    argv[0] = recorder;
    execv(recorder, argv);
    int code =
        cli_fail(CLI_FAILED, "%s: cannot be run: %s; it is built next to mempath", recorder, strerror(errno));
    free(recorder);
    return code;
}
