/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises all drivers in the order of their dependencies, and enables interrupts. */
#ifndef FW_BOOT_H
#define FW_BOOT_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns FW_EABSENT if there is no GPU; the other drivers are ready then. */
enum fw_error boot(void);

#ifdef __cplusplus
}
#endif
#endif
