/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's performance counters per address space, as the console shows them. */
#ifndef FW_COUNTERS_H
#define FW_COUNTERS_H

#include "error.h"
#include "soc/mgmt.h"

#ifdef __cplusplus
extern "C" {
#endif

struct counters {
    uint64_t value[MP_MGMT_COUNTERS];
};

/* Reads all counters at the same time. They count from reset on. */
enum fw_error counters_read(unsigned asid, struct counters *c);
/* The increase since `before`. */
struct counters counters_since(const struct counters *now, const struct counters *before);
void counters_print(const struct counters *c);

#ifdef __cplusplus
}
#endif
#endif
