/* SPDX-License-Identifier: Apache-2.0 */
/* A host on the board: its transport lets the firmware's service run while the host waits. */
#ifndef HOST_BOARD_H
#define HOST_BOARD_H

#include "gpu_stub.h"
#include "host/driver.h"

/* Board, GPU and drivers from the start, with a host that has done nothing yet. accesses: of each launch. */
void host_start(unsigned accesses);

/* Lets the firmware do all that it can do at once; false after QUIT. */
bool host_serve(void);

extern const struct mp_driver_transport host_transport;

#endif
