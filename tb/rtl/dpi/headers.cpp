// SPDX-License-Identifier: Apache-2.0
// What Verilator declares for mempath_dpi.svh and what mempath_models.h declares: any difference in a type is
// an error here.
#include "Vstar_dpi_bench__Dpi.h"

#include "dpi/mempath_models.h"
