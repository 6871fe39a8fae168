/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of half floats, which the compiled kernels call by these names on hosts without instructions
 * for them. They round to nearest even. */
#ifndef MP_RECORDER_HALF_H
#define MP_RECORDER_HALF_H

#include <stdint.h>

float __gnu_h2f_ieee(uint16_t half);
uint16_t __gnu_f2h_ieee(float value);
uint16_t __truncdfhf2(double value);

#endif
