/* SPDX-License-Identifier: Apache-2.0 */
/* Saves everything as struct trap_frame, lets trap_handle decide, and goes on where that says. */
    .globl trap_entry
    .align 2
trap_entry:
    addi sp, sp, -288
    sd ra, 8(sp)
    .irp n, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sd x\n, 8*\n(sp)
    .endr
    sd zero, 0(sp)
    addi t0, sp, 288
    sd t0, 16(sp)
    csrr t0, mepc
    sd t0, 256(sp)
    csrr t0, mstatus
    sd t0, 264(sp)
    csrr t0, mcause
    sd t0, 272(sp)
    csrr t0, mtval
    sd t0, 280(sp)
    mv a0, sp
    call trap_handle
    ld t0, 256(sp)
    csrw mepc, t0
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ld x\n, 8*\n(sp)
    .endr
    addi sp, sp, 288
    mret
