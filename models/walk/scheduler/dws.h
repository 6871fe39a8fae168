/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of DWS that DWS++ shares. */
#ifndef MP_WALK_DWS_H
#define MP_WALK_DWS_H

#include "walk/scheduler/partition.h"

int mp_dws_arrive(void *state, struct mp_req *walk);
bool mp_dws_room(const void *state, uint8_t tenant);
struct mp_req *mp_dws_complete(void *state, uint32_t walker);

#endif
