/* SPDX-License-Identifier: Apache-2.0 */
/* Makes accesses that are refused, and then waits for an interrupt that is never raised. */
#include "fw.h"

int main(void)
{
    uint64_t value;
    fw_read(0x70000000, 4, &value);                  /* no device */
    fw_read(MP_UART_BASE + 0x100, 1, &value);        /* no register */
    fw_write(MP_DMA_BASE + MP_DMA_SOURCE + 4, 8, 1); /* misaligned */
    fw_write(MP_ROM_BASE, 4, 1);                     /* read-only */
    WRITE32(MP_PLIC_BASE + MP_PLIC_ENABLE, 1u << MP_DMA_IRQ | 1u << MP_GPU_FAULT_IRQ);
    CSR_SET(mie, MIE_EXTERNAL);
    __asm__ volatile("wfi");
    return 0;
}
