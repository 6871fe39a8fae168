/* SPDX-License-Identifier: Apache-2.0 */
/* DWS's scheduler as `mempath cosim dws` compares it: modes and stimuli. */
#ifndef MP_RTL_DWS_COSIM_H
#define MP_RTL_DWS_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_dws;

enum cosim_dws_mode { COSIM_DWS, COSIM_DWSPP, COSIM_DWSPP_CONSERVATIVE, COSIM_DWSPP_AGGRESSIVE };

/* A stimulus is the arrival of a struct replay_walk. The usual size, and the largest one of a user's block:
 */
#define COSIM_DWS_WALKERS      16u
#define COSIM_DWS_DEPTH        12u
#define COSIM_DWS_MOST_WALKERS 64u
#define COSIM_DWS_MOST_DEPTH   63u

/* Decimal, so that own.sh reads it: 161202. */
#define COSIM_DWS_DESIGN(walkers, depth, tenants) ((walkers)*10000u + (depth)*100u + (tenants))

#ifdef __cplusplus
}
#endif
#endif
