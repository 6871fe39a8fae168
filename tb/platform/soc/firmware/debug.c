/* SPDX-License-Identifier: Apache-2.0 */
/* A program that a debugger examines. */
#include "fw.h"

volatile uint64_t counter = 40;
volatile uint64_t never, asleep;

__attribute__((noinline)) uint64_t step_on(uint64_t by)
{
    counter += by;
    return counter;
}

int main(void)
{
    step_on(2);
    __asm__ volatile("ecall");
    step_on(3);
    while (!never) /* until the debugger changes it */
        if (asleep)
            __asm__ volatile("wfi"); /* no interrupt is enabled */
    printf("counter %ld\n", (long)counter);
    return 0;
}
