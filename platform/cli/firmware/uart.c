/* SPDX-License-Identifier: Apache-2.0 */
/* The console of a run, and what its host does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/firmware/firmware.h"

/* Opens the master side of a new raw pseudo-terminal and prints the path of its other side. */
static int open_pty(struct firmware_console *c, struct mp_error *err)
{
    struct termios raw;
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || grantpt(fd) || unlockpt(fd) || (c->far_side = open(ptsname(fd), O_RDWR | O_NOCTTY)) < 0)
        return mp_fail(err, "--uart pty: %s; a system with pseudo-terminals is needed", strerror(errno));
    if (!tcgetattr(c->far_side, &raw)) {
        cfmakeraw(&raw);
        tcsetattr(c->far_side, TCSANOW, &raw);
    }
    fprintf(stderr, "mempath: the console is %s\n", ptsname(fd));
    return fd;
}

int firmware_open_uart(const char *where, struct mp_soc_run *run, struct firmware_console *c,
                       struct mp_error *err)
{
    run->console_in = run->console_out = c->far_side = -1;
    if (!where)
        return 0;
    if (!strcmp(where, "-")) {
        run->console_out = STDOUT_FILENO;
        return 0;
    }
    bool pty = !strcmp(where, "pty");
    run->console_out = pty ? open_pty(c, err) : open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (pty)
        run->console_in = run->console_out;
    else if (run->console_out < 0)
        return mp_fail(err, "--uart %s: %s; name a writable file, - or pty", where, strerror(errno));
    return run->console_out < 0 ? -1 : 0;
}

/* All of a file, or of stdin for "-". The caller frees *text. */
static int read_all(const char *option, const char *file, char **text, size_t *bytes, struct mp_error *err)
{
    enum { PART = 65536 };
    FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
    size_t n = 0, got = f ? 1 : 0;
    *text = NULL;
    while (got) {
        *text = cli_have(realloc(*text, n + PART));
        got = fread(*text + n, 1, PART, f);
        n += got;
    }
    int bad = f && !ferror(f) ? 0 : mp_fail(err, "%s %s: %s; a readable file", option, file, strerror(errno));
    if (f && f != stdin)
        fclose(f);
    *bytes = n;
    return bad;
}

int firmware_open_input(const char *input, const char *script, struct mp_script *s, struct mp_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    int bad = input ? read_all("--input", input, &text, &bytes, err)
                    : read_all("--script", script, &text, &bytes, err);
    if (!bad)
        bad = input ? mp_script_characters(s, "--input", text, bytes, err)
                    : mp_script_parse(s, script, text, bytes, err);
    free(text);
    return bad;
}

int firmware_open_host(const char *file, struct mp_host_script *s, struct mp_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    int bad = read_all("--host", file, &text, &bytes, err) || mp_host_script_parse(s, file, text, bytes, err);
    free(text);
    return bad ? -1 : 0;
}

void firmware_close_uart(const struct mp_soc_run *run, const struct firmware_console *c)
{
    enum { PATIENCE = 100, PAUSE_US = 10000, QUIET = 3 };
    int unread = 0;
    if (c->far_side >= 0) {
        for (int i = 0, quiet = 0; i < PATIENCE && quiet < QUIET; i++) {
            usleep(PAUSE_US);
            quiet = ioctl(c->far_side, FIONREAD, &unread) || !unread ? quiet + 1 : 0;
        }
        close(c->far_side);
    }
    if (run->console_out >= 0 && run->console_out != STDOUT_FILENO)
        close(run->console_out);
}
