/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions that fail speak on stderr: stdout is for results. Included before Verilator's own files. */
#ifndef MP_TB_VERILATED_STDERR_H
#define MP_TB_VERILATED_STDERR_H

#include <cstdio>

#define VL_PRINTF(...) std::fprintf(stderr, __VA_ARGS__)

#endif
