/* SPDX-License-Identifier: Apache-2.0 */
/* A design prints to stderr, because stdout is for results. Include this before Verilator's files. */
#ifndef MP_RTL_VERILATED_SAY_H
#define MP_RTL_VERILATED_SAY_H

__attribute__((format(printf, 1, 2))) void rtl_say(const char *format, ...);

#define VL_PRINTF(...) rtl_say(__VA_ARGS__)

#endif
