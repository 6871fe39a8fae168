/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/semihosting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { A0 = 10, A1 = 11 };
enum { NAME = 256, PART = 4096 };

#define FAILED UINT64_MAX /* as an answer: -1 */

/* --- the program's memory --- */

static bool read_bytes(const struct mp_semihosting *s, uint64_t address, void *to, size_t bytes)
{
    uint8_t *out = to;
    uint64_t value, physical;
    for (size_t i = 0; i < bytes; i++) {
        if (!mp_hart_physical(s->hart, address + i, &physical) || !mp_hart_peek(s->hart, physical, 1, &value))
            return false;
        out[i] = (uint8_t)value;
    }
    return true;
}

static bool write_bytes(const struct mp_semihosting *s, uint64_t address, const void *from, size_t bytes)
{
    const uint8_t *in = from;
    uint64_t physical;
    for (size_t i = 0; i < bytes; i++)
        if (!mp_hart_physical(s->hart, address + i, &physical) || !mp_hart_poke(s->hart, physical, 1, in[i]))
            return false;
    return true;
}

static uint64_t word(const struct mp_semihosting *s, uint64_t block, unsigned number)
{
    uint64_t value = 0;
    return read_bytes(s, block + 8 * (uint64_t)number, &value, sizeof value) ? value : 0;
}

/* A name of `bytes` characters. */
static bool read_name(struct mp_semihosting *s, uint64_t address, uint64_t bytes, char name[NAME])
{
    if (bytes >= NAME || !read_bytes(s, address, name, bytes)) {
        s->error = ENAMETOOLONG;
        return false;
    }
    name[bytes] = '\0';
    return true;
}

/* --- files --- */

static uint64_t failed(struct mp_semihosting *s, int error)
{
    s->error = error;
    return FAILED;
}

static struct mp_semihosting_file *file_of(struct mp_semihosting *s, uint64_t handle)
{
    return handle - 1 < MP_SEMIHOSTING_FILES && s->file[handle - 1].kind ? &s->file[handle - 1] : NULL;
}

/* Opens a file below the folder. No name leads out of it, also not by a link. */
static int open_below(const struct mp_semihosting *s, const char *name, int flags)
{
    const struct open_how how = {.flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
                                 .mode = flags & O_CREAT ? 0666 : 0,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, s->folder, name, &how, sizeof how);
}

/* name, mode as an index of fopen's, length of the name */
static uint64_t call_open(struct mp_semihosting *s, uint64_t block)
{
    static const int modes[] = {/* r, r+ */ O_RDONLY,
                                O_RDWR,
                                /* w, w+ */ O_WRONLY | O_CREAT | O_TRUNC,
                                O_RDWR | O_CREAT | O_TRUNC,
                                /* a, a+ */ O_WRONLY | O_CREAT | O_APPEND,
                                O_RDWR | O_CREAT | O_APPEND};
    char name[NAME];
    uint64_t handle = 0, mode = word(s, block, 1) / 2; /* each mode has a binary twin */
    while (handle < MP_SEMIHOSTING_FILES && s->file[handle].kind)
        handle++;
    if (handle == MP_SEMIHOSTING_FILES)
        return failed(s, EMFILE);
    if (mode >= sizeof modes / sizeof *modes)
        return failed(s, EINVAL);
    if (!read_name(s, word(s, block, 0), word(s, block, 2), name))
        return FAILED;
    struct mp_semihosting_file f = {.kind = MP_SEMIHOSTING_FILE, .fd = -1};
    if (!strcmp(name, ":tt"))
        f.kind = MP_SEMIHOSTING_CONSOLE;
    else if (!strcmp(name, ":semihosting-features"))
        f.kind = MP_SEMIHOSTING_FEATURES;
    else if (s->folder < 0)
        return failed(s, EACCES);
    else if ((f.fd = open_below(s, name, modes[mode])) < 0)
        return failed(s, errno);
    s->file[handle] = f;
    return handle + 1;
}

static uint64_t call_close(struct mp_semihosting *s, uint64_t block)
{
    struct mp_semihosting_file *f = file_of(s, word(s, block, 0));
    if (!f)
        return failed(s, EBADF);
    if (f->kind == MP_SEMIHOSTING_FILE)
        close(f->fd);
    f->kind = MP_SEMIHOSTING_FREE;
    return 0;
}

/* handle, bytes, number of bytes; returns how many were not written */
static uint64_t call_write(struct mp_semihosting *s, uint64_t block)
{
    struct mp_semihosting_file *f = file_of(s, word(s, block, 0));
    uint64_t from = word(s, block, 1), left = word(s, block, 2);
    uint8_t part[PART];
    if (!f || f->kind == MP_SEMIHOSTING_FEATURES)
        return left;
    while (left) {
        size_t n = left < PART ? left : PART;
        if (!read_bytes(s, from, part, n))
            break;
        ssize_t done = (ssize_t)n;
        if (f->kind == MP_SEMIHOSTING_FILE)
            done = write(f->fd, part, n);
        else
            for (size_t i = 0; i < n; i++)
                s->print(s->self, part[i]);
        if (done <= 0) {
            s->error = errno;
            break;
        }
        from += (uint64_t)done;
        left -= (uint64_t)done;
    }
    return left;
}

/* The file :semihosting-features: its mark, then SYS_EXIT_EXTENDED, and :tt for stdout and stderr. */
static const uint8_t features[] = {'S', 'H', 'F', 'B', 3};

/* Bytes of a file of any kind. Input of the console ends with what has been typed. */
static size_t read_some(struct mp_semihosting *s, struct mp_semihosting_file *f, uint8_t *part, size_t most)
{
    size_t n = 0;
    if (f->kind == MP_SEMIHOSTING_FILE) {
        ssize_t got = read(f->fd, part, most);
        return got > 0 ? (size_t)got : 0;
    }
    if (f->kind == MP_SEMIHOSTING_FEATURES)
        for (; n < most && f->read < sizeof features; n++)
            part[n] = features[f->read++];
    else
        for (int c; n < most && (c = s->key(s->self)) >= 0; n++)
            part[n] = (uint8_t)c;
    return n;
}

/* handle, place, number of bytes; returns how many were not read */
static uint64_t call_read(struct mp_semihosting *s, uint64_t block)
{
    struct mp_semihosting_file *f = file_of(s, word(s, block, 0));
    uint64_t to = word(s, block, 1), left = word(s, block, 2);
    uint8_t part[PART];
    while (f && left) {
        size_t n = read_some(s, f, part, left < PART ? left : PART);
        if (!n || !write_bytes(s, to, part, n))
            break;
        to += n;
        left -= n;
    }
    return left;
}

static uint64_t call_seek(struct mp_semihosting *s, uint64_t block)
{
    struct mp_semihosting_file *f = file_of(s, word(s, block, 0));
    if (!f || f->kind == MP_SEMIHOSTING_CONSOLE)
        return failed(s, EBADF);
    f->read = word(s, block, 1);
    if (f->kind == MP_SEMIHOSTING_FILE && lseek(f->fd, (off_t)f->read, SEEK_SET) < 0)
        return failed(s, errno);
    return 0;
}

static uint64_t call_length(struct mp_semihosting *s, uint64_t block)
{
    struct mp_semihosting_file *f = file_of(s, word(s, block, 0));
    struct stat status;
    if (f && f->kind == MP_SEMIHOSTING_FEATURES)
        return sizeof features;
    if (!f || f->kind != MP_SEMIHOSTING_FILE || fstat(f->fd, &status))
        return failed(s, EBADF);
    return (uint64_t)status.st_size;
}

static uint64_t call_is_terminal(struct mp_semihosting *s, uint64_t block)
{
    struct mp_semihosting_file *f = file_of(s, word(s, block, 0));
    return f && f->kind == MP_SEMIHOSTING_CONSOLE;
}

/* A name without folders, so that it is of the folder itself. */
static bool is_plain(const struct mp_semihosting *s, const char *name)
{
    return s->folder >= 0 && !strchr(name, '/') && strcmp(name, "..") != 0;
}

static uint64_t call_remove(struct mp_semihosting *s, uint64_t block)
{
    char name[NAME];
    if (!read_name(s, word(s, block, 0), word(s, block, 1), name))
        return FAILED;
    if (!is_plain(s, name))
        return failed(s, EACCES);
    return unlinkat(s->folder, name, 0) ? failed(s, errno) : 0;
}

static uint64_t call_rename(struct mp_semihosting *s, uint64_t block)
{
    char from[NAME], to[NAME];
    if (!read_name(s, word(s, block, 0), word(s, block, 1), from) ||
        !read_name(s, word(s, block, 2), word(s, block, 3), to))
        return FAILED;
    if (!is_plain(s, from) || !is_plain(s, to))
        return failed(s, EACCES);
    return renameat(s->folder, from, s->folder, to) ? failed(s, errno) : 0;
}

/* --- the console, time and the end --- */

static uint64_t call_write_character(struct mp_semihosting *s, uint64_t address)
{
    uint8_t c;
    if (read_bytes(s, address, &c, 1))
        s->print(s->self, c);
    return 0;
}

static uint64_t call_write_string(struct mp_semihosting *s, uint64_t address)
{
    for (uint8_t c; read_bytes(s, address, &c, 1) && c; address++)
        s->print(s->self, c);
    return 0;
}

static uint64_t call_read_character(struct mp_semihosting *s, uint64_t unused)
{
    int c = s->key(s->self);
    (void)unused;
    if (c < 0)
        s->starved(s->self);
    return (uint64_t)(int64_t)c;
}

static uint64_t call_clock(struct mp_semihosting *s, uint64_t unused)
{
    (void)unused;
    return s->picoseconds(s->self) / 10000000000u; /* hundredths of a second */
}

static uint64_t call_time(struct mp_semihosting *s, uint64_t unused)
{
    (void)unused;
    return s->picoseconds(s->self) / 1000000000000u;
}

static uint64_t call_elapsed(struct mp_semihosting *s, uint64_t block)
{
    uint64_t ns = s->picoseconds(s->self) / 1000;
    return write_bytes(s, block, &ns, sizeof ns) ? 0 : FAILED;
}

static uint64_t call_tick_frequency(struct mp_semihosting *s, uint64_t unused)
{
    (void)s, (void)unused;
    return 1000000000;
}

static uint64_t call_error(struct mp_semihosting *s, uint64_t unused)
{
    (void)unused;
    return (uint64_t)s->error;
}

static uint64_t call_is_error(struct mp_semihosting *s, uint64_t block)
{
    return (int64_t)word(s, block, 0) < 0;
}

/* place, its size; the length is written into the second */
static uint64_t call_command_line(struct mp_semihosting *s, uint64_t block)
{
    uint64_t length = strlen(s->command_line);
    if (word(s, block, 1) <= length || !write_bytes(s, word(s, block, 0), s->command_line, length + 1) ||
        !write_bytes(s, block + 8, &length, sizeof length))
        return FAILED;
    return 0;
}

static uint64_t call_heap(struct mp_semihosting *s, uint64_t block)
{
    return write_bytes(s, word(s, block, 0), s->heap, sizeof s->heap) ? 0 : FAILED;
}

/* reason, code */
static uint64_t call_exit(struct mp_semihosting *s, uint64_t block)
{
    enum { APPLICATION_EXIT = 0x20026 };
    s->finish(s->self, word(s, block, 0) == APPLICATION_EXIT ? (int)(word(s, block, 1) & 0xffff) : 1);
    return 0;
}

static const struct {
    uint8_t number;
    uint64_t (*call)(struct mp_semihosting *s, uint64_t argument);
} calls[] = {
    {0x01, call_open},           {0x02, call_close},        {0x03, call_write_character},
    {0x04, call_write_string},   {0x05, call_write},        {0x06, call_read},
    {0x07, call_read_character}, {0x08, call_is_error},     {0x09, call_is_terminal},
    {0x0a, call_seek},           {0x0c, call_length},       {0x0e, call_remove},
    {0x0f, call_rename},         {0x10, call_clock},        {0x11, call_time},
    {0x13, call_error},          {0x15, call_command_line}, {0x16, call_heap},
    {0x18, call_exit},           {0x20, call_exit},         {0x30, call_elapsed},
    {0x31, call_tick_frequency},
};

void mp_semihosting_call(struct mp_semihosting *s)
{
    uint64_t number = 0, argument = 0, answer = FAILED;
    mp_hart_read(s->hart, A0, &number);
    mp_hart_read(s->hart, A1, &argument);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            answer = calls[i].call(s, argument);
    mp_hart_write(s->hart, A0, answer);
}

int mp_semihosting_open(struct mp_semihosting *s, const char *files, struct mp_error *err)
{
    s->error = 0;
    memset(s->file, 0, sizeof s->file);
    s->folder = files ? open(files, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    return files && s->folder < 0 ? mp_fail(err, "--semihosting %s: %s; a folder", files, strerror(errno))
                                  : 0;
}

void mp_semihosting_close(struct mp_semihosting *s)
{
    for (unsigned i = 0; i < MP_SEMIHOSTING_FILES; i++)
        if (s->file[i].kind == MP_SEMIHOSTING_FILE)
            close(s->file[i].fd);
    if (s->folder >= 0)
        close(s->folder);
}
