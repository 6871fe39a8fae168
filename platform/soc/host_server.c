/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/host_server.h"

const char *mp_host_server_error(uint64_t code)
{
    static const char *const texts[] = {"no error",
#define TEXT(name, text) text,
                                        MP_MESSAGE_ERRORS(TEXT)};
    return code < sizeof texts / sizeof *texts ? texts[code] : "an unknown error";
}

static bool in_memory(const struct mp_host_server *s, uint64_t at, uint64_t n)
{
    return at <= s->memory_bytes && n <= s->memory_bytes - at;
}

static enum mp_driver_message_error get(struct mp_host_server *s, const struct mp_driver_message *m,
                                        struct mp_driver_message *answer)
{
    uint32_t value = 0;
    if (m->a > UINT32_MAX || s->port->get(s->port->self, (uint32_t)m->a, &value))
        return MP_MESSAGE_REGISTER;
    answer->a = value;
    return MP_MESSAGE_NO_ERROR;
}

static enum mp_driver_message_error put(struct mp_host_server *s, const struct mp_driver_message *m)
{
    if (m->a > UINT32_MAX || m->b > UINT32_MAX || s->port->put(s->port->self, (uint32_t)m->a, (uint32_t)m->b))
        return MP_MESSAGE_REGISTER;
    return MP_MESSAGE_NO_ERROR;
}

static enum mp_driver_message_error read_memory(struct mp_host_server *s, const struct mp_driver_message *m,
                                                struct mp_driver_message *answer)
{
    if (m->bytes || m->b > MP_MESSAGE_DATA)
        return MP_MESSAGE_MALFORMED;
    if (!in_memory(s, m->a, m->b) || s->port->read(s->port->self, (uint32_t)m->a, s->data, (uint32_t)m->b))
        return MP_MESSAGE_MEMORY;
    answer->bytes = (uint32_t)m->b;
    answer->data = s->data;
    return MP_MESSAGE_NO_ERROR;
}

static enum mp_driver_message_error write_memory(struct mp_host_server *s, const struct mp_driver_message *m)
{
    if (!in_memory(s, m->a, m->bytes) || s->port->write(s->port->self, (uint32_t)m->a, m->data, m->bytes))
        return MP_MESSAGE_MEMORY;
    return MP_MESSAGE_NO_ERROR;
}

static enum mp_driver_message_error hello(struct mp_host_server *s, const struct mp_driver_message *m,
                                          struct mp_driver_message *answer)
{
    if (s->greeted || m->a != MP_MESSAGE_VERSION || m->b != MP_MESSAGE_MAGIC)
        return MP_MESSAGE_VERSION_ERROR;
    s->greeted = true;
    answer->a = s->memory_bytes;
    return MP_MESSAGE_NO_ERROR;
}

static enum mp_driver_message_error carry_out(struct mp_host_server *s, const struct mp_driver_message *m,
                                              struct mp_driver_message *answer)
{
    if (!s->greeted && m->kind != MP_MESSAGE_HELLO)
        return MP_MESSAGE_VERSION_ERROR;
    switch (m->kind) {
    case MP_MESSAGE_HELLO:
        return hello(s, m, answer);
    case MP_MESSAGE_GET:
        return get(s, m, answer);
    case MP_MESSAGE_PUT:
        return put(s, m);
    case MP_MESSAGE_READ:
        return read_memory(s, m, answer);
    case MP_MESSAGE_WRITE:
        return write_memory(s, m);
    case MP_MESSAGE_WAIT:
        s->port->wait(s->port->self, m->a);
        return MP_MESSAGE_NO_ERROR;
    case MP_MESSAGE_BYE:
        s->over = true;
        return MP_MESSAGE_NO_ERROR;
    default:
        return MP_MESSAGE_MALFORMED;
    }
}

static struct mp_driver_message error(const struct mp_host_server *s, enum mp_driver_message_error e)
{
    return (struct mp_driver_message){.kind = MP_MESSAGE_ERROR, .a = e, .b = s->port->now(s->port->self)};
}

struct mp_driver_message mp_host_server_answer(struct mp_host_server *s,
                                               const struct mp_driver_message *request)
{
    struct mp_driver_message answer = {.kind = request->kind};
    enum mp_driver_message_error e = carry_out(s, request, &answer);
    answer.b = s->port->now(s->port->self);
    return e ? error(s, e) : answer;
}

struct mp_driver_message mp_host_server_refuse(const struct mp_host_server *s)
{
    return error(s, MP_MESSAGE_MALFORMED);
}
