/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/replay/replay.h"

int replay_open(struct replay_input *in, const char *file, struct mp_error *err)
{
    bool standard = !strcmp(file, "-");
    *in = (struct replay_input){.name = standard ? "stdin" : file,
                                .fd = standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)};
    if (in->fd < 0)
        return mp_fail(err, "%s: %s; a stimulus file, or - for stdin", file, strerror(errno));
    in->buffer = cli_alloc(REPLAY_BUFFER_BYTES, 1);
    return 0;
}

void replay_close(struct replay_input *in)
{
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->buffer);
}

/* Moves the incomplete line to the front and reads more after it. */
static int refill(struct replay_input *in, FILE *out, struct mp_error *err)
{
    memmove(in->buffer, in->buffer + in->start, in->end - in->start);
    in->end -= in->start;
    in->start = 0;
    if (in->end == REPLAY_BUFFER_BYTES)
        return mp_fail(err, "%s:%" PRIu64 ": the line does not end; at most %u characters", in->name,
                       in->line + 1, REPLAY_BUFFER_BYTES - 1);
    fflush(out);
    ssize_t n = read(in->fd, in->buffer + in->end, REPLAY_BUFFER_BYTES - in->end);
    if (n < 0 && errno != EINTR)
        return mp_fail(err, "%s: %s; a stimulus file, or - for stdin", in->name, strerror(errno));
    in->over = n == 0;
    in->end += n > 0 ? (size_t)n : 0;
    return 0;
}

int replay_line(struct replay_input *in, FILE *out, const char **line, size_t *length, struct mp_error *err)
{
    const char *newline;
    while (!(newline = memchr(in->buffer + in->start, '\n', in->end - in->start)) && !in->over)
        if (refill(in, out, err))
            return -1;
    if (!newline && in->start == in->end)
        return 0;
    *line = in->buffer + in->start;
    *length = newline ? (size_t)(newline - *line) : in->end - in->start; /* the last line may have no end */
    in->start += *length + (newline != NULL);
    in->line++;
    return 1;
}
