/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath record`: executes the recorder, a separate program because kernels are compiled into it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/spawn.h"

static const char doc[] =
    "Executes an OpenCL or CUDA program, checks its results (if it is one of the project's), "
    "and writes the memory accesses of its warps. The trace is compressed if FILE ends in .zst; "
    "it appears only when it is complete. An access outside a buffer or array, an integer "
    "division by zero, or work-items that diverge before a barrier end the recording with kernel, "
    "line and work-item.\vSPEC, the kernel's next argument, is one of:\n"
    "  buf:[NAME:]TYPE:COUNT[=HOW] a new buffer; HOW: zero, iota (0, 1, 2 ...), random,\n"
    "    random:LOW:HIGH (integers: HIGH included), or a file of the buffer's bytes\n"
    "  buf:NAME                    an earlier buffer again\n"
    "  TYPE:VALUE                  a number, an enum's as int; a vector: TYPE:VALUE,VALUE...\n"
    "  struct:TYPE:VALUE/...       a structure, all members in order, pointers as buf:NAME; or bytes:FILE\n"
    "  local:BYTES                 local memory\n"
    "  image:[NAME:]TEXEL:WxHxD[=HOW], sampler:WORD,...  an image or texture; a sampler\n"
    "\n"
    "Examples:\n"
    "  mempath record MT --size medium -o mt.gwt.zst\n"
    "  mempath record BFS --input road.gr -o road.gwt.zst\n"
    "  mempath record --cl saxpy.cl --kernel saxpy --global 65536 --local 256 --arg float:2 \\\n"
    "      --arg buf:x:float:65536=random --arg buf:y:float:65536=random -o saxpy.gwt.zst\n"
    "  mempath record --cl tile.cl -D TILE=16 -I include --kernel transpose "
    "--global 512,512 --local 16,16 \\\n"
    "      --arg buf:int:262144=random:0:4095 --arg buf:int:262144 "
    "--arg struct:int:512/int:512 -o tile.gwt.zst\n"
    "  mempath record --cu axpy.cu --kernel saxpy --grid 256 --block 256 --arg int:65536 --arg float:2 \\\n"
    "      --arg buf:x:float:65536=random --arg buf:y:float:65536 -o saxpy.gwt.zst\n"
    "  mempath run demo --set tenants.0.trace=saxpy.gwt.zst";

/* The recorder parses its options; these are for the help. */
static const struct argp_option options[] = {
    {"list", 0x100, NULL, 0, "list the applications and their sizes", 0},
    {"size", 0x10e, "SIZE", 0, "size of an application's input (--list explains each)", 0},
    {"seed", 0x101, "N", 0, "seed of the input", 0},
    {"input", 0x102, "FILE", 0,
     "a graph (Matrix Market or DIMACS .gr) or requests (SERVE), for applications that take one", 0},
    {"cl", 0x103, "FILE.cl", 0, "your kernels; each --kernel is launched in turn", 0},
    {"cu", 0x10f, "FILE.cu", 0, "likewise, of CUDA C++; a template's is named as in 'reduce<float>'", 0},
    {NULL, 'D', "NAME[=VALUE]", 0, "with --cl or --cu: define a macro", 0},
    {NULL, 'I', "FOLDER", 0, "with --cl or --cu: a folder of #include files", 0},
    {"kernel", 0x104, "NAME", 0, "launch this kernel, with the following options", 0},
    {"global", 0x105, "X[,Y[,Z]]", 0, "its work-items", 0},
    {"local", 0x106, "X[,Y[,Z]]", 0, "its work-group's work-items", 0},
    {"grid", 0x110, "X[,Y[,Z]]", 0, "its work-groups, in place of --global", 0},
    {"block", 0x111, "X[,Y[,Z]]", 0, "the same as --local", 0},
    {"shared", 0x112, "BYTES", 0, "with --cu: bytes of its extern __shared__ arrays", 0},
    {"arg", 0x107, "SPEC", 0, "its next argument", 0},
    {"symbol", 0x113, "NAME:TYPE=HOW", 0,
     "with --cu: before the launch, set a __constant__ or __device__ variable; HOW as for buffers, or "
     "numbers "
     "with commas",
     0},
    {"inline-limit", 0x114, "N", 0,
     "with --cl or --cu: keep calls of functions where inlining them all would make more than N instructions "
     "(20000)",
     0},
    {"lanes", 0x108, "32|64", 0, "lanes of a warp (32; 64 at size star)", 0},
    {"limit", 0x109, "N", 0,
     "fail when a warp issues more than N instructions in one launch: for endless loops", 0},
    {"early-exits", 0x10a, NULL, 0,
     "let work-items end without the barriers that others of their work-group reach; "
     "GPUs allow that, OpenCL C does not",
     0},
    {NULL, 'o', "FILE", 0, "the trace", 0},
    {"json", 0x10b, NULL, 0, "with --list: as a JSON document", 0},
    {"progress", 0x10c, "json", 0, "progress on stderr as JSON lines, for machines", 0},
    {"quiet", 0x10d, NULL, 0, "no progress", 0},
    {0},
};

static int ignore(void *values, int key, const char *arg, struct mp_error *err)
{
    (void)values, (void)key, (void)arg, (void)err;
    return 0;
}

/* The recorder's arguments: --NAME=VALUE is two words for it. */
static char **recorder_words(char *recorder, int argc, char **argv)
{
    char **words = cli_alloc(2 * (size_t)argc + 1, sizeof *words);
    unsigned n = 0;
    words[n++] = recorder;
    for (int i = 1; i < argc; i++) {
        char *equals = !strncmp(argv[i], "--", 2) ? strchr(argv[i], '=') : NULL;
        words[n++] = argv[i];
        if (equals) {
            *equals = 0;
            words[n++] = equals + 1;
        }
    }
    return words;
}

int cmd_record(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath record",
                                           .args = "APP|--cl FILE.cl|--cu FILE.cu|--list",
                                           .doc = doc,
                                           .options = options,
                                           .option = ignore,
                                           .foreign = true};
    for (int i = 1; i < argc; i++) {
        char name[] = "record", help[] = "--help", *arguments[] = {name, help, NULL};
        int code;
        if (!strcmp(argv[i], "--help") && !cli_parse(cli, &usage, 2, arguments, NULL, &code))
            return code;
    }
    char *recorder = spawn_beside("mempath-record"), **words = recorder_words(recorder, argc, argv);
    execv(recorder, words);
    int code =
        cli_fail(CLI_FAILED, "%s: cannot be run: %s; it is built next to mempath", recorder, strerror(errno));
    free(words);
    free(recorder);
    return code;
}
