/* SPDX-License-Identifier: Apache-2.0 */
/* uint64_t enter_m(struct frame *), from M-mode, and enter_s, from S-mode: continues in less privilege with the
 * registers of the frame, and returns the cause of the trap that leads back, with the registers then in the frame.
 * The frame is x0 to x31 and pc; the place of x0 has the caller's stack pointer. */
    .macro callers, do
    \do ra, 0(sp)
    \do gp, 8(sp)
    \do tp, 16(sp)
    \do s0, 24(sp)
    \do s1, 32(sp)
    \do s2, 40(sp)
    \do s3, 48(sp)
    \do s4, 56(sp)
    \do s5, 64(sp)
    \do s6, 72(sp)
    \do s7, 80(sp)
    \do s8, 88(sp)
    \do s9, 96(sp)
    \do s10, 104(sp)
    \do s11, 112(sp)
    .endm

    .macro all_but_a0, do
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \do x\n, 8*\n(a0)
    .endr
    .endm

    .macro enter, mode
    .globl enter_\mode
    .align 2
enter_\mode:
    addi sp, sp, -128
    callers sd
    sd sp, 0(a0)
    csrw \mode\()scratch, a0
    la t0, leave_\mode
    csrrw t0, \mode\()tvec, t0
    sd t0, 120(sp)
    ld t0, 256(a0)
    csrw \mode\()epc, t0
    all_but_a0 ld
    ld a0, 80(a0)
    \mode\()ret
    .align 2
leave_\mode:
    csrrw a0, \mode\()scratch, a0
    all_but_a0 sd
    csrr t0, \mode\()scratch
    sd t0, 80(a0)
    csrr t0, \mode\()epc
    sd t0, 256(a0)
    ld sp, 0(a0)
    ld t0, 120(sp)
    csrw \mode\()tvec, t0
    callers ld
    addi sp, sp, 128
    csrr a0, \mode\()cause
    ret
    .endm

    .text
    enter m
    enter s
