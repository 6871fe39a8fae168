/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that do not do as they should, for host.sh: host_client HOW PATH. */
#include <string.h>
#include <unistd.h>

#include "host/socket.h"

static struct mp_driver_socket s;
static struct mp_driver d;
static const char *path;

/* It goes without BYE. */
static int vanish(void)
{
    return 0;
}

static int garbage(void)
{
    return write(s.fd, "no message of any kind at all", 29) == 29 && read(s.fd, s.answer, 24) == 24 &&
                   s.answer[0] == MP_MESSAGE_ERROR
               ? 0
               : 1;
}

static int outside(void)
{
    uint32_t value;
    return s.transport.read(&s, 1 << 20, &value, 4) && s.error == MP_MESSAGE_MEMORY ? 0 : 1;
}

/* The run goes on, and its console ends it. */
static int leave(void)
{
    mp_driver_socket_close(&s);
    return 0;
}

/* It waits for nothing, until the run has ended without it. */
static int remain(void)
{
    return mp_driver_open(&d, &s.transport, UINT64_C(1000000000)) ||
                   !s.transport.wait(&s, UINT64_C(1000000000000))
               ? 1
               : 0;
}

/* A second driver is not let in; the first goes as it should. */
static int second(void)
{
    static struct mp_driver_socket other;
    int refused = mp_driver_socket_open(&other, path);
    mp_driver_socket_close(&s);
    return refused ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } how[] = {{"vanish", vanish}, {"garbage", garbage}, {"outside", outside},
               {"leave", leave},   {"remain", remain},   {"second", second}};
    if (argc != 3 || mp_driver_socket_open(&s, path = argv[2]))
        return 2;
    for (unsigned i = 0; i < sizeof how / sizeof *how; i++)
        if (!strcmp(how[i].name, argv[1]))
            return how[i].run();
    return 2;
}
