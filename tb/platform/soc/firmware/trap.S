/* SPDX-License-Identifier: Apache-2.0 */
/* Saves what C may change, lets trap() decide where to go on. A debugger's way back out of the frame is mepc,
 * which is register 4096 + 0x341 in DWARF. */
    .cfi_sections .debug_frame
    .globl trap_entry
    .type trap_entry, @function
    .align 2
trap_entry:
    .cfi_startproc
    .cfi_signal_frame
    .cfi_return_column 4929
    addi sp, sp, -128
    .cfi_def_cfa_offset 128
    sd ra, 0(sp)
    .cfi_offset ra, -128
    sd t0, 8(sp)
    .cfi_offset t0, -120
    sd t1, 16(sp)
    .cfi_offset t1, -112
    sd t2, 24(sp)
    .cfi_offset t2, -104
    sd a0, 32(sp)
    .cfi_offset a0, -96
    sd a1, 40(sp)
    .cfi_offset a1, -88
    sd a2, 48(sp)
    .cfi_offset a2, -80
    sd a3, 56(sp)
    .cfi_offset a3, -72
    sd a4, 64(sp)
    .cfi_offset a4, -64
    sd a5, 72(sp)
    .cfi_offset a5, -56
    sd a6, 80(sp)
    .cfi_offset a6, -48
    sd a7, 88(sp)
    .cfi_offset a7, -40
    sd t3, 96(sp)
    .cfi_offset t3, -32
    sd t4, 104(sp)
    .cfi_offset t4, -24
    sd t5, 112(sp)
    .cfi_offset t5, -16
    sd t6, 120(sp)
    .cfi_offset t6, -8
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    mv a3, ra
    call trap
    csrw mepc, a0
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld t1, 16(sp)
    ld t2, 24(sp)
    ld a0, 32(sp)
    ld a1, 40(sp)
    ld a2, 48(sp)
    ld a3, 56(sp)
    ld a4, 64(sp)
    ld a5, 72(sp)
    ld a6, 80(sp)
    ld a7, 88(sp)
    ld t3, 96(sp)
    ld t4, 104(sp)
    ld t5, 112(sp)
    ld t6, 120(sp)
    addi sp, sp, 128
    mret
    .cfi_endproc
    .size trap_entry, . - trap_entry
