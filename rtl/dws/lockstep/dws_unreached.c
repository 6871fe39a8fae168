/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that no event can make a design execute, by mode. Find the reason before you add one. */
#include <stddef.h>

#include "rtl/dws/lockstep/dws_lockstep.h"

#define ARBITER "mp_dws_arbiter.sv"

static const char plus[] = "only DWS++ has epochs and steals by threshold";

const struct rtl_unreached dws_unreached[] = {
    {ARBITER, "if (threshold_q && other_q", "dws", plus},
    {ARBITER, "> most) most", "dws", plus},
    {ARBITER, "ratio = 3'd", "dws", plus},
    {ARBITER, "if (state_q == Epoch)", "dws", plus},
    {ARBITER, "if (pop_o && !plus_i", "dws++", "an assertion about DWS alone"},
    {NULL, NULL, NULL, NULL},
};
