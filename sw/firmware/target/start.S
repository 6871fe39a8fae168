/* SPDX-License-Identifier: Apache-2.0 */
/* From the boot ROM to main, and from its return to the end of the run. The loader has filled .data and zeroed .bss. */
    .section .init, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la tp, __tls_base
    la t0, unhandled
    csrw mtvec, t0
    call main

/* void _exit(int code): 0 is success. */
    .globl _exit
_exit:
    li t0, 0x5555
    beqz a0, 1f
    slli a0, a0, 16
    li t0, 0x3333
    or t0, t0, a0
1:  li t1, 0x100000 /* the finisher */
    sw t0, 0(t1)
    j 1b

/* Before cpu_take_traps, or in a program without a handler: a trap ends the run with code 255. */
    .align 2
unhandled:
    li a0, 255
    j _exit
