// SPDX-License-Identifier: Apache-2.0
// Includes Verilator's declarations of mempath_dpi.svh and mempath_models.h, so that a difference in a type
// is an error.
#include "Vstar_dpi_bench__Dpi.h"

#include "dpi/mempath_models.h"
