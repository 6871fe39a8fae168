/* SPDX-License-Identifier: Apache-2.0 */
/* A list of free entries as `mempath cosim toy` compares it: modes and stimuli. */
#ifndef MP_RTL_TOY_COSIM_H
#define MP_RTL_TOY_COSIM_H

#include "cli/cosim/cosim.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cosim_block cosim_toy;

/* A stimulus: the inputs of a clock. */
struct cosim_toy_clock {
    bool take, give;
    uint32_t given;
};

#ifdef __cplusplus
}
#endif
#endif
