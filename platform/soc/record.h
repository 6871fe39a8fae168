// SPDX-License-Identifier: Apache-2.0
// What a run of firmware leaves behind: the core's counters, and those of every block of the GPU by address
// space.
#ifndef MP_SOC_RECORD_H
#define MP_SOC_RECORD_H

#include "gpu/mig.h"
#include "soc/run.h"

namespace mp::soc
{

// Fills in the GPU's part of the result, and writes to the run's database if it has one. result.counts is
// there. -1 with err.
int record(const mp_soc_run &run, const MigGpu &gpu, mp_soc_result *result, mp_error *err);

} // namespace mp::soc

#endif
