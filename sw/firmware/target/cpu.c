/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu.h"

enum { MSTATUS_MIE = 8 };

extern void trap_entry(void);

void cpu_take_traps(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap_entry));
}

void cpu_enable(unsigned cause, bool on)
{
    if (on)
        __asm__ volatile("csrs mie, %0" ::"r"(1ul << cause));
    else
        __asm__ volatile("csrc mie, %0" ::"r"(1ul << cause));
}

bool cpu_lock(void)
{
    uint64_t before;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before)::"memory");
    return before & MSTATUS_MIE;
}

void cpu_unlock(bool before)
{
    if (before)
        __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

void cpu_sleep(void)
{
    __asm__ volatile("wfi\n csrsi mstatus, 8\n csrci mstatus, 8" ::: "memory");
}

void cpu_fence(void)
{
    __asm__ volatile("fence iorw, iorw" ::: "memory");
}

uint64_t cpu_instructions(void)
{
    uint64_t n;
    __asm__ volatile("csrr %0, minstret" : "=r"(n));
    return n;
}

extern _Noreturn void _exit(int code);

_Noreturn void cpu_finish(int code)
{
    _exit(code);
}
