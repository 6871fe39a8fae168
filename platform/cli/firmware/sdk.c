/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath firmware sdk`: copies the firmware library, with all that a program needs, to a folder. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/firmware/firmware.h"
#include "cli/out.h"
#include "cli/spawn.h"

static int copy_file(const char *from, const char *to, mode_t mode)
{
    char part[65536];
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    ssize_t n = in < 0 || out < 0 ? -1 : 1;
    while (n > 0) {
        n = read(in, part, sizeof part);
        if (n > 0 && write(out, part, (size_t)n) != n)
            n = -1;
    }
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out))
        n = -1;
    return n < 0 ? -1 : 0;
}

static int copy_entry(const FTSENT *e, const char *to)
{
    switch (e->fts_info) {
    case FTS_D:
        return mkdir(to, 0777);
    case FTS_F:
        return copy_file(e->fts_accpath, to, e->fts_statp->st_mode & 0777);
    case FTS_DP:
        return 0;
    default:
        errno = e->fts_errno ? e->fts_errno : EINVAL;
        return -1;
    }
}

/* Copies the files. Returns their number, or -1 with errno set. */
static int copy_tree(char *from, const char *to)
{
    char *const roots[] = {from, NULL};
    char path[PATH_MAX];
    int files = 0;
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; walk && files >= 0 && (e = fts_read(walk));) {
        int n = snprintf(path, sizeof path, "%s%s", to, e->fts_path + strlen(from));
        if (n >= (int)sizeof path || copy_entry(e, path))
            files = -1;
        else
            files += e->fts_info == FTS_F;
    }
    int why = errno;
    if (walk)
        fts_close(walk);
    errno = why;
    return walk ? files : -1;
}

static void remove_tree(char *folder)
{
    char *const roots[] = {folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; walk && (e = fts_read(walk));)
        if (e->fts_info != FTS_D)
            remove(e->fts_accpath);
    if (walk)
        fts_close(walk);
}

/* Writes the folder whole or not at all: under another name first, then moved to its place, where an empty
 * folder may exist. */
static int write_sdk(char *from, const char *folder, int *files)
{
    char part[PATH_MAX];
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    if (snprintf(part, sizeof part, "%.*s.part%d", (int)n, folder, (int)getpid()) >= (int)sizeof part)
        return cli_fail(CLI_USAGE, "firmware sdk: the folder's name is too long; %d characters at most",
                        PATH_MAX);
    *files = copy_tree(from, part);
    if (*files >= 0 && !rename(part, folder))
        return CLI_DONE;
    int why = errno;
    remove_tree(part);
    return cli_fail(CLI_USAGE, "firmware sdk: %s: %s; a new or empty writable folder is needed", folder,
                    strerror(why));
}

static void print(const struct cli *cli, const char *folder, int files)
{
    struct out_json j = {.f = stdout};
    if (!cli->json) {
        printf("%s: %d files; README.md describes them. The example:\n"
               "  %s/build.sh tenants.elf %s/example/tenants.c\n"
               "  mempath firmware run --elf tenants.elf --workload 0=MT:small --workload 1=FIR:small\n",
               folder, files, folder, folder);
        return;
    }
    json_object(&j, NULL);
    json_text(&j, "folder", folder);
    json_count(&j, "files", (uint64_t)files);
    json_end_object(&j);
}

int firmware_sdk(const struct cli *cli, const char *folder)
{
    int files = 0, code;
    if (!folder)
        return cli_fail(CLI_USAGE, "firmware sdk: no folder; firmware sdk DIR");
    char *from = spawn_beside("mempath-firmware-sdk");
    if (access(from, R_OK))
        code = cli_fail(CLI_USAGE,
                        "firmware sdk: %s: %s; it is built if gcc-riscv64-unknown-elf and "
                        "picolibc-riscv64-unknown-elf are installed",
                        from, strerror(errno));
    else
        code = write_sdk(from, folder, &files);
    if (!code)
        print(cli, folder, files);
    free(from);
    return code;
}
