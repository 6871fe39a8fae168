/* SPDX-License-Identifier: Apache-2.0 */
#include "not_before.h"

#include "launch.h"

void device_not_before(struct device *d, uint64_t ns)
{
    gwt_write_time(d->writer, ns);
}
