/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which runs start: the longest first, so that the last ones to end are short. */
#ifndef MP_CLI_ORDER_H
#define MP_CLI_ORDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct order_job {
    double seconds; /* that such a run took; 0: unknown */
    uint64_t bytes; /* of its traces, by which an unknown time is estimated */
};

/* Sets order[0] to the index of the longest job, and so on. Jobs that are equally long stay in their order.
 */
void order_longest_first(const struct order_job *jobs, unsigned n, unsigned *order);

#ifdef __cplusplus
}
#endif
#endif
