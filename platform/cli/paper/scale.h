/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that is narrower by a factor, for evaluations in a fraction of the time. */
#ifndef MP_CLI_SCALE_H
#define MP_CLI_SCALE_H

#include "config/config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCALE_MOST 8u /* the factors are 1 and 8: inputs of an eighth exist */

/* Divides all that exists per slice or for the whole GPU by factor, but keeps at least one of each, and
 * replaces each tenant's input by the one for that machine ("paper" becomes "paper/8"). Resources per SM or
 * TPC, latencies, page and line sizes and associativities do not change. -1 with err if the result is not
 * valid; config is then empty. */
int scale_config(struct mp_config *config, unsigned factor, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
