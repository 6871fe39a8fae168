// SPDX-License-Identifier: Apache-2.0
// Records a run of firmware: the core's counters, and the counters of every block of the GPU by address
// space.
#ifndef MP_SOC_RECORD_H
#define MP_SOC_RECORD_H

#include "gpu/mig.h"
#include "soc/run.h"

namespace mp::soc
{

// Fills in the GPU's part of the result, and writes to the run's database if there is one. result.counts must
// be set. Returns -1 with err.
int record(const mp_soc_run &run, const MigGpu &gpu, mp_soc_result *result, mp_error *err);

} // namespace mp::soc

#endif
