/* SPDX-License-Identifier: Apache-2.0 */
/* All drivers ready, in the order in which they need each other, and interrupts on. */
#ifndef FW_BOOT_H
#define FW_BOOT_H

#include "error.h"

/* FW_EABSENT: there is no GPU; the other drivers are ready. */
enum fw_error boot(void);

#endif
