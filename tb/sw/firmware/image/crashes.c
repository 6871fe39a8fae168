/* SPDX-License-Identifier: Apache-2.0 */
/* One way to crash for each image, chosen by KIND; there is no trap handler. The report that each must cause
 * is in
 * ../crashes.sh, which finds the line of each by the name of its function. */
#include <stdint.h>

#include "soc/regs.h"

#define AT(type, address) (*(volatile type *)(uintptr_t)(address))

volatile uint64_t depth;
int (*volatile nowhere)(void) = (int (*)(void))0x40000000;

__attribute__((noinline)) static void missing_register(void)
{
    AT(uint32_t, MP_GPU_BASE + 0xf00);
}

__attribute__((noinline)) static void read_only_register(void)
{
    AT(uint32_t, MP_GPU_BASE + MP_GPU_ID) = 1;
}

__attribute__((noinline)) static void wrong_width(void)
{
    AT(uint32_t, MP_GPU_BASE + MP_GPU_MEMORY);
}

__attribute__((noinline)) static void misaligned(void)
{
    AT(uint32_t, MP_GPU_BASE + MP_GPU_AS_ROOT + 2);
}

__attribute__((noinline)) static void misaligned_atomic(void)
{
    static uint32_t word[2];
    uintptr_t at = (uintptr_t)word + 2;
    __asm__ volatile("amoadd.w zero, zero, (%0)" ::"r"(at) : "memory");
}

__attribute__((noinline)) static void jump_to_nowhere(void)
{
    nowhere();
    depth++; /* no tail call */
}

__attribute__((noinline)) static void null_pointer(void)
{
    struct thing {
        uint64_t a, b;
    } *volatile thing = 0;
    *(volatile uint64_t *)&thing->b = 1;
}

__attribute__((noinline)) static void null_function(void)
{
    nowhere = 0;
    nowhere();
    depth++;
}

__attribute__((noinline)) static void stack_below_ram(void)
{
    volatile char large[100u << 20];
    large[0] = (char)depth;
    depth += large[0];
}

#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static uint64_t recursion(uint64_t n)
{
    volatile uint64_t local[32];
    local[n % 32] = n;
    return recursion(n + 1) + local[n % 32];
}

static void endless_recursion(void)
{
    recursion(depth);
}

__attribute__((noinline)) static void illegal_instruction(void)
{
    __asm__ volatile(".4byte 0xffffffff");
}

__attribute__((noinline)) static void floating_point(void)
{
    __asm__ volatile(".4byte 0x02a58553"); /* fadd.d fa0, fa1, fa0 */
}

__attribute__((noinline)) static void missing_csr(void)
{
    __asm__ volatile("csrr zero, 0x123");
}

__attribute__((noinline)) static void environment_call(void)
{
    __asm__ volatile("ecall");
}

__attribute__((noinline)) static void gpu_memory_end(void)
{
    AT(uint64_t, MP_GPU_MEMORY_BASE + MP_GPU_MEMORY_BYTES - 8);
}

__attribute__((noinline)) static void rom(void)
{
    AT(uint32_t, MP_ROM_BASE + 64) = 0;
}

/* A handler that does not return, and traps itself. */
__attribute__((noinline, aligned(4))) static void broken_handler(void)
{
    AT(uint32_t, 0x30000000);
    for (;;)
        ;
}

__attribute__((noinline)) static void handler_traps(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(broken_handler));
    AT(uint32_t, 0x30000000);
}

/* A handler that skips the instruction; what fails is something else. */
__attribute__((naked, aligned(4))) static void skip(void)
{
    __asm__ volatile("csrr t0, mepc\n addi t0, t0, 4\n csrw mepc, t0\n mret");
}

__attribute__((noinline)) static void handled(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(skip));
    __asm__ volatile(".option push\n .option norvc\n lw zero, (%0)\n .option pop" ::"r"(0x30000000ul) : "t0");
}

int main(void)
{
    KIND();
    return 3;
}
