/* SPDX-License-Identifier: Apache-2.0 */
#define READS_PLIC
#include "reads.c"
