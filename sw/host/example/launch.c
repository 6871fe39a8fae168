/* SPDX-License-Identifier: Apache-2.0 */
/* A driver in a second process: launches a workload on two instances at once, whose pages come on demand.
 *
 *     mempath firmware run --host-socket gpu.sock &
 *     ./launch gpu.sock
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/driver.h"
#include "host/socket.h"
#include "soc/mgmt.h"

#define MS UINT64_C(1000000) /* ns */

enum { TENANTS = 2, PAGE = 65536 };

static const unsigned slices[TENANTS] = {3, 2};

/* Instance, address space, workload and tag of a tenant have its number. */
static enum mp_driver_error start(struct mp_driver *d, unsigned t)
{
    enum mp_driver_error e = mp_driver_create(d, t, slices[t]);
    if (!e)
        e = mp_driver_open_space(d, t, t, PAGE);
    if (!e)
        e = mp_driver_promise(d, t, 0, UINT64_C(1) << 48);
    if (!e)
        e = mp_driver_launch(d, t, t, t, t);
    return e;
}

static enum mp_driver_error finish(struct mp_driver *d, unsigned t)
{
    uint64_t value[MP_MGMT_COUNTERS];
    uint32_t sequence;
    enum mp_driver_error e = mp_driver_wait(d, t, 20 * MS, &sequence);
    if (!e)
        e = mp_driver_counters(d, t, value);
    if (!e)
        printf("space %u: cycles %" PRIu64 ", accesses %" PRIu64 ", walks %" PRIu64 "\n", t,
               value[MP_MGMT_CYCLES], value[MP_MGMT_ACCESSES], value[MP_MGMT_WALKS]);
    return e;
}

static enum mp_driver_error drive(struct mp_driver *d, const struct mp_driver_transport *t)
{
    enum mp_driver_error e = mp_driver_open(d, t, 1000 * MS);
    for (unsigned i = 0; !e && i < TENANTS; i++)
        e = start(d, i);
    for (unsigned i = 0; !e && i < TENANTS; i++)
        e = finish(d, i);
    return e ? e : mp_driver_quit(d);
}

int main(int argc, char **argv)
{
    static struct mp_driver_socket s;
    static struct mp_driver d;
    if (argc != 2) {
        fprintf(stderr, "launch: no socket; launch PATH\n");
        return 2;
    }
    if (mp_driver_socket_open(&s, argv[1])) {
        fprintf(stderr, "launch: %s: %s; the socket of firmware run --host-socket\n", argv[1],
                strerror(errno));
        return 2;
    }
    enum mp_driver_error e = drive(&d, &s.transport);
    mp_driver_socket_close(&s);
    if (e)
        fprintf(stderr, "launch: %s (%s)\n", mp_driver_error_text(e), mp_driver_status_text(d.status));
    return e != MP_DRIVER_OK;
}
