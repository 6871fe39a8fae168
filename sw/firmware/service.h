/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out the host's commands by the drivers. A launch runs while further commands are carried out. */
#ifndef FW_SERVICE_H
#define FW_SERVICE_H

#include <stdbool.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns FW_EABSENT if the run has no host. */
enum fw_error service_init(void);

/* Whether there is anything to serve. Call it within cpu_lock before sleeping. */
bool service_due(void);

/* Serves launches and all commands that have come, without waiting for others. Returns false after QUIT. */
bool service_serve(void);

#ifdef __cplusplus
}
#endif
#endif
