/* SPDX-License-Identifier: Apache-2.0 */
/* What a configuration says of each block, as the models want it. */
#ifndef MP_GPU_MACHINE_H
#define MP_GPU_MACHINE_H

#include "config/config.h"
#include "mig/mig.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Per slice, TPC and SM: see struct mp_mig_params for what is left open. */
void mp_machine_params(const struct mp_config *config, struct mp_mig_params *params);

#ifdef __cplusplus
}
#endif
#endif
