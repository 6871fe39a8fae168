/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a register of the GPU three million times; reads_plic.c: one of the interrupt controller. */
#include "fw.h"

enum { READS = 3000000 };

#ifdef READS_PLIC
#define AT (MP_PLIC_BASE + MP_PLIC_ENABLE)
#else
#define AT (MP_GPU_BASE + MP_GPU_DONE_COUNT)
#endif

int main(void)
{
    for (unsigned i = 0; i < READS; i++)
        READ32(AT);
    return 0;
}
