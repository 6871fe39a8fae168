/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that is narrower by a whole factor, for evaluations that take a fraction of the time. */
#ifndef MP_CLI_SCALE_H
#define MP_CLI_SCALE_H

#include "config/config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCALE_MOST 8u /* the factors are 1 and 8: inputs of an eighth exist */

/* Divides what there is per slice or for the whole GPU by factor, at least one staying, and makes each
 * tenant's input the one for that machine ("paper" becomes "paper/8"). What there is per SM or TPC, and all
 * latencies, page and line sizes and associativities, stay. -1 with err if that is no machine; config is then
 * empty. */
int scale_config(struct mp_config *config, unsigned factor, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
