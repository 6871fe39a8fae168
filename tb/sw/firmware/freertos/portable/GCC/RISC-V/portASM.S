/* SPDX-License-Identifier: Apache-2.0 */
#include "freertos_risc_v_chip_specific_extensions.h"
#include "FreeRTOSConfig.h"

    .globl freertos_risc_v_trap_handler, stub_resume
    .align 8
freertos_risc_v_trap_handler:
    addi sp, sp, -248
    sd ra, 8(sp)
    .irp n, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sd x\n, 8*\n-24(sp)
    .endr
    csrr t0, mepc
    sd t0, 0(sp)
    csrr a0, mcause
    mv a1, sp
    ld sp, xISRStackTop
    call stub_trap
stub_resume:
    mv sp, a0
    ld t0, 0(sp)
    csrw mepc, t0
    ld ra, 8(sp)
    .irp n, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ld x\n, 8*\n-24(sp)
    .endr
    addi sp, sp, 248
    mret
