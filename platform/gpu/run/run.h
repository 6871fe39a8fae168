// SPDX-License-Identifier: Apache-2.0
// mp_platform_run with other modules at some boundaries.
#ifndef MP_GPU_RUN_H
#define MP_GPU_RUN_H

#include "gpu/gpu.h"
#include "platform.h"

namespace mp
{

int run_with(const mp_run *run, const GpuOptions &options, mp_result *result, mp_error *err);

} // namespace mp

#endif
