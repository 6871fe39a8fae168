/* SPDX-License-Identifier: Apache-2.0 */
#include "host/socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int send_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t done = send(fd, at, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        at += done;
        n -= (size_t)done;
    }
    return 0;
}

static int receive(struct mp_driver_socket *s, struct mp_driver_message *answer)
{
    size_t have = 0;
    int length;
    while (!(length = mp_driver_message_decode(s->answer, have, answer))) {
        ssize_t n = recv(s->fd, s->answer + have, sizeof s->answer - have, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        have += (size_t)n;
    }
    return length < 0 || (size_t)length != have ? -1 : 0; /* one answer for each request */
}

/* Sends a request and receives its answer. */
static int ask(struct mp_driver_socket *s, const struct mp_driver_message *request,
               struct mp_driver_message *answer)
{
    uint8_t header[MP_MESSAGE_HEADER];
    mp_driver_message_encode(request, header);
    if (send_all(s->fd, header, sizeof header) || send_all(s->fd, request->data, request->bytes) ||
        receive(s, answer))
        return -1;
    s->now = answer->b;
    if (answer->kind == MP_MESSAGE_ERROR)
        s->error = answer->a;
    return answer->kind == request->kind ? 0 : -1;
}

static int get(void *self, uint32_t offset, uint32_t *value)
{
    struct mp_driver_message answer;
    if (ask(self, &(struct mp_driver_message){.kind = MP_MESSAGE_GET, .a = offset}, &answer))
        return -1;
    *value = (uint32_t)answer.a;
    return 0;
}

static int put(void *self, uint32_t offset, uint32_t value)
{
    struct mp_driver_message answer;
    return ask(self, &(struct mp_driver_message){.kind = MP_MESSAGE_PUT, .a = offset, .b = value}, &answer);
}

static uint32_t part(uint32_t n)
{
    return n < MP_MESSAGE_DATA ? n : MP_MESSAGE_DATA;
}

static int read_memory(void *self, uint32_t at, void *bytes, uint32_t n)
{
    struct mp_driver_message answer;
    for (uint32_t done = 0, size; done < n; done += size) {
        size = part(n - done);
        if (ask(self, &(struct mp_driver_message){.kind = MP_MESSAGE_READ, .a = at + done, .b = size},
                &answer) ||
            answer.bytes != size)
            return -1;
        memcpy((char *)bytes + done, answer.data, size);
    }
    return 0;
}

static int write_memory(void *self, uint32_t at, const void *bytes, uint32_t n)
{
    struct mp_driver_message answer;
    for (uint32_t done = 0; done < n; done += part(n - done))
        if (ask(self,
                &(struct mp_driver_message){.kind = MP_MESSAGE_WRITE,
                                            .bytes = part(n - done),
                                            .a = at + done,
                                            .data = (const uint8_t *)bytes + done},
                &answer))
            return -1;
    return 0;
}

static int wait(void *self, uint64_t ns)
{
    struct mp_driver_message answer;
    return ask(self, &(struct mp_driver_message){.kind = MP_MESSAGE_WAIT, .a = ns}, &answer);
}

static uint64_t now(void *self)
{
    return ((struct mp_driver_socket *)self)->now;
}

static int hello(struct mp_driver_socket *s)
{
    struct mp_driver_message answer;
    const struct mp_driver_message request = {
        .kind = MP_MESSAGE_HELLO, .a = MP_MESSAGE_VERSION, .b = MP_MESSAGE_MAGIC};
    if (!ask(s, &request, &answer))
        return 0;
    errno = EPROTO;
    return -1;
}

int mp_driver_socket_open(struct mp_driver_socket *s, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *s =
        (struct mp_driver_socket){.fd = -1, .transport = {s, get, put, read_memory, write_memory, wait, now}};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0)
        return -1;
    if (!connect(s->fd, (const struct sockaddr *)&address, sizeof address) && !hello(s))
        return 0;
    int why = errno;
    close(s->fd);
    errno = why;
    return -1;
}

void mp_driver_socket_close(struct mp_driver_socket *s)
{
    struct mp_driver_message answer;
    ask(s, &(struct mp_driver_message){.kind = MP_MESSAGE_BYE}, &answer);
    close(s->fd);
}
