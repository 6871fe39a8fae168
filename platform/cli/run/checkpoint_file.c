/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/checkpoint_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/cli.h"
#include "cli/hash.h"
#include "cli/revision.h"
#include "image/image.h"

int checkpoint_check(const struct checkpoint_wish *w, struct mp_error *err)
{
    const char *given = w->at ? "--checkpoint-at" : "--from";
    struct stat st;
    if (w->at && w->from)
        return mp_fail(err, "--checkpoint-at: the run goes on from a checkpoint; omit it or --from");
    if (w->at && !w->output)
        return mp_fail(err, "--checkpoint-at: no file to write to; add -o FILE");
    if (w->at && w->until && w->until < w->at)
        return mp_fail(err, "--checkpoint-at %" PRIu64 ": %s %" PRIu64 " is before it; an earlier one", w->at,
                       w->limit, w->until);
    if (w->at && !lstat(w->output, &st) && !S_ISREG(st.st_mode))
        return mp_fail(err, "%s: it would be replaced; a regular file, or a new one", w->output);
    if (w->experiments > 1)
        return mp_fail(err, "%s: a checkpoint is of one run; name one experiment", given);
    if (w->unfit)
        return mp_fail(err, "%s: a checkpoint is of one simulation and what it reads; omit %s", given,
                       w->unfit);
    return image_supported(err);
}

/* Ties a head to its image. */
static uint64_t label_of(const struct checkpoint_head *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    checkpoint_write_head(h, f);
    fclose(f);
    uint64_t label = XXH64(cli_have(text), size, 0);
    free(text);
    return label;
}

static int hash_program(uint64_t hash[2], struct mp_error *err)
{
    struct mp_db_file program;
    if (hash_file("/proc/self/exe", "the program", &program, err))
        return -1;
    memcpy(hash, program.hash, sizeof program.hash);
    return 0;
}

static bool is_read(const struct checkpoint_files *read, const struct stat *st)
{
    struct stat file;
    for (unsigned i = 0; i < read->n; i++)
        if (read->path[i] && !stat(read->path[i], &file) && file.st_dev == st->st_dev &&
            file.st_ino == st->st_ino)
            return true;
    return false;
}

/* Adds a descriptor if it is of a file that the simulation reads. Others are the parent's, or of who started
 * it. */
static int add_input(struct checkpoint_head *h, const struct checkpoint_files *read, int fd,
                     struct mp_error *err)
{
    char link[64], path[PATH_MAX];
    struct stat st;
    struct mp_db_file file;
    if (fstat(fd, &st) || !is_read(read, &st))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    off_t offset = lseek(fd, 0, SEEK_CUR);
    if (n <= 0 || offset < 0)
        return mp_fail(err, "%s: %s", link, strerror(errno));
    path[n] = 0;
    if (h->ninputs == CHECKPOINT_FILES)
        return mp_fail(err, "inputs are open more than %u times", CHECKPOINT_FILES);
    if (hash_file(path, "an input", &file, err))
        return -1;
    h->input[h->ninputs++] =
        (struct checkpoint_input){fd, (uint64_t)offset, {file.hash[0], file.hash[1]}, cli_have(strdup(path))};
    return 0;
}

static int find_inputs(struct checkpoint_head *h, const struct checkpoint_files *read, struct mp_error *err)
{
    DIR *d = opendir("/proc/self/fd");
    int bad = 0;
    if (!d)
        return mp_fail(err, "/proc/self/fd: %s", strerror(errno));
    for (struct dirent *e; !bad && (e = readdir(d));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
            bad = add_input(h, read, atoi(e->d_name), err);
    closedir(d);
    return bad;
}

static void note_plugins(struct checkpoint_head *h)
{
    const struct mp_db_plugin *p = plugin_list(&h->nplugins);
    for (unsigned i = 0; i < h->nplugins; i++) {
        snprintf(h->plugin[i].name, sizeof h->plugin[i].name, "%s", p[i].name);
        memcpy(h->plugin[i].hash, p[i].hash, sizeof p[i].hash);
    }
}

int checkpoint_describe(struct checkpoint_head *h, const struct mp_config *config,
                        const struct checkpoint_files *read, struct mp_error *err)
{
    snprintf(h->revision, sizeof h->revision, "%s %s", MEMPATH_REVISION, MEMPATH_BUILD_TYPE);
    note_plugins(h);
    h->config = cli_have(mp_config_text(config));
    h->config_bytes = strlen(h->config);
    return hash_program(h->program, err) || image_layout(&h->layout, err) || find_inputs(h, read, err) ? -1
                                                                                                       : 0;
}

int checkpoint_write(const char *file, const struct checkpoint_head *h, struct mp_error *err)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s.part", file);
    FILE *f = fopen(part, "wb");
    if (!f) {
        image_drop();
        return mp_fail(err, "%s: %s; a writable file is needed", part, strerror(errno));
    }
    checkpoint_write_head(h, f);
    int bad = image_save(f, label_of(h), err);
    if ((fclose(f) && !bad) || (!bad && rename(part, file)))
        bad = mp_fail(err, "%s: %s; a writable file is needed", file, strerror(errno));
    if (bad)
        unlink(part);
    return bad ? -1 : 0;
}

/* "l3_tlb.entries is 512 there and 1024 here" */
static int same_settings(const char *file, const char *free_path, const struct mp_config *there,
                         const struct mp_config *here, struct mp_error *err)
{
    unsigned n = 0, m = 0;
    struct mp_setting *a = cli_have(mp_config_settings(there, &n)),
                      *b = cli_have(mp_config_settings(here, &m));
    int bad = 0;
    if (there->ntenants != here->ntenants)
        bad = mp_fail(err, "--from %s: %u tenants there and %u here; the same configuration", file,
                      there->ntenants, here->ntenants);
    for (unsigned i = 0; !bad && i < n && i < m; i++) {
        char x[32], y[32];
        snprintf(x, sizeof x, "%" PRIu64, a[i].number);
        snprintf(y, sizeof y, "%" PRIu64, b[i].number);
        const char *s = a[i].text ? a[i].text : x, *t = b[i].text ? b[i].text : y;
        bool may_differ = free_path && !strcmp(a[i].path, free_path);
        if (strcmp(a[i].path, b[i].path) != 0 || (strcmp(s, t) != 0 && !may_differ))
            bad = mp_fail(err, "--from %s: %s is %s there and %s here; the same configuration", file,
                          a[i].path, s, t);
    }
    if (!bad && n != m)
        bad = mp_fail(err, "--from %s: %u settings there and %u here; the same configuration", file, n, m);
    free(a);
    free(b);
    return bad;
}

int checkpoint_same_config(const char *file, const struct checkpoint_head *h, const struct mp_config *here,
                           const char *free_path, struct mp_error *err)
{
    struct mp_config there;
    if (mp_config_load_text(&there, file, h->config, h->config_bytes, 0, NULL, err))
        return -1;
    int bad = same_settings(file, h->point <= there.stats.warmup ? free_path : NULL, &there, here, err);
    mp_config_free(&there);
    return bad;
}

/* The memory has addresses of the plugins' designs. */
static int same_plugins(const char *file, const struct checkpoint_head *h, struct mp_error *err)
{
    unsigned n;
    const struct mp_db_plugin *p = plugin_list(&n);
    for (unsigned i = 0; i < h->nplugins; i++) {
        const struct checkpoint_plugin *there = &h->plugin[i];
        if (i >= n || strcmp(p[i].name, there->name) != 0)
            return mp_fail(err, "--from %s: it was taken with the plugin %s; the same --plugin options", file,
                           there->name);
        if (memcmp(p[i].hash, there->hash, sizeof there->hash) != 0)
            return mp_fail(err, "--from %s: the plugin %s was another file there; the same file", file,
                           there->name);
    }
    return n == h->nplugins
               ? 0
               : mp_fail(err, "--from %s: it was taken without the plugin %s; the same --plugin options",
                         file, p[h->nplugins].name);
}

int checkpoint_same_program(const char *file, const struct checkpoint_head *h, struct mp_error *err)
{
    uint64_t program[2], layout;
    if (strcmp(h->revision, MEMPATH_REVISION " " MEMPATH_BUILD_TYPE) != 0)
        return mp_fail(err, "--from %s: it is of revision %s, and this is %s; the same revision", file,
                       h->revision, MEMPATH_REVISION " " MEMPATH_BUILD_TYPE);
    if (hash_program(program, err) || image_layout(&layout, err))
        return -1;
    if (memcmp(program, h->program, sizeof program) != 0)
        return mp_fail(err, "--from %s: another build of revision %s wrote it; the same program", file,
                       h->revision);
    if (same_plugins(file, h, err))
        return -1;
    if (layout != h->layout)
        return mp_fail(
            err, "--from %s: it is of another system; the same shared libraries and kind of processor", file);
    return 0;
}

/* The file with this hash: one of those that are given, or the one at the same path. */
static int open_input(const char *from, const struct checkpoint_input *in,
                      const struct checkpoint_files *read, struct mp_error *err)
{
    const char *path = in->path;
    struct mp_db_file file;
    for (unsigned i = 0; i < read->n; i++)
        if (read->path[i] && !hash_file(read->path[i], "an input", &file, err) &&
            !memcmp(file.hash, in->hash, sizeof in->hash))
            path = read->path[i];
    if (hash_file(path, "the input of the checkpoint", &file, err))
        return -1;
    if (memcmp(file.hash, in->hash, sizeof in->hash) != 0)
        return mp_fail(err, "--from %s: %s has changed since; the same inputs", from, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, CHECKPOINT_DESCRIPTOR);
    if (high < 0 || lseek(high, (off_t)in->offset, SEEK_SET) < 0)
        return mp_fail(err, "%s: %s; a readable file", path, strerror(errno));
    close(fd);
    return high;
}

/* Gives the files the numbers that they had. */
static int open_inputs(const char *from, const struct checkpoint_head *h, const struct checkpoint_files *read,
                       struct mp_error *err)
{
    int high[CHECKPOINT_FILES];
    for (unsigned i = 0; i < h->ninputs; i++)
        if ((high[i] = open_input(from, &h->input[i], read, err)) < 0)
            return -1;
    for (unsigned i = 0; i < h->ninputs; i++)
        dup3(high[i], h->input[i].fd, O_CLOEXEC);
    return 0;
}

static int load(const char *file, size_t skip, uint64_t label, struct mp_error *err)
{
    struct mp_error why;
    FILE *f = fopen(file, "rb");
    if (!f || fseek(f, (long)skip, SEEK_SET)) {
        mp_fail(err, "%s: %s; a readable file", file, strerror(errno));
        if (f)
            fclose(f);
        return -1;
    }
    int bad = image_load(f, label, &why);
    fclose(f);
    return bad ? mp_fail(err, "%s: %s; a whole file of --checkpoint-at", file, why.text) : 0;
}

int checkpoint_load(const char *file, const struct checkpoint_head *h, const struct checkpoint_files *read,
                    struct mp_error *err)
{
    return load(file, h->image, label_of(h), err) || open_inputs(file, h, read, err) ? -1 : 0;
}
