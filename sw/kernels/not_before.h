/* SPDX-License-Identifier: Apache-2.0 */
/* Times in a trace. They are apart from device.h, on which the traces of all applications depend. */
#ifndef MP_KERNELS_NOT_BEFORE_H
#define MP_KERNELS_NOT_BEFORE_H

#include "device.h"

/* What follows does not happen before this time from the start of a run, in ns. Times do not decrease. */
void device_not_before(struct device *d, uint64_t ns);

#endif
