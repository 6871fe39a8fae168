/* SPDX-License-Identifier: Apache-2.0 */
/* Saves all registers as struct trap_frame, calls trap_handle, and continues at the address in the frame. A handler may
 * trap in turn, after which mstatus.MPP is U, so it is restored, too. A debugger finds the return address in mepc, which
 * is register 4096 + 0x341 in DWARF. */
    .cfi_sections .debug_frame
    .globl trap_entry
    .type trap_entry, @function
    .align 2
trap_entry:
    .cfi_startproc
    .cfi_signal_frame
    .cfi_return_column 4929
    addi sp, sp, -288
    .cfi_def_cfa_offset 288
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sd x\n, 8*\n(sp)
    .cfi_offset \n, 8*\n-288
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
    ld t0, 264(sp)
    csrw mstatus, t0
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ld x\n, 8*\n(sp)
    .endr
    addi sp, sp, 288
    .cfi_def_cfa_offset 0
    mret
    .cfi_endproc
    .size trap_entry, . - trap_entry
