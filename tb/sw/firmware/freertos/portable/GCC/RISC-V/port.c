/* SPDX-License-Identifier: Apache-2.0 */
/* The tick, by the accesses that FreeRTOS' port makes: MTIME in halves, MTIMECMP of this hart, which it
 * computes. */
#include "FreeRTOS.h"
#include "task.h"

enum { ENVIRONMENT_CALL = 11, TIMER = 7 };
enum {
    MEPC = 0,
    A0 = 7,
    FRAME = 31
}; /* words of a frame, as in FreeRTOS' port: mepc, x1, x5 to x31, 2 more */

static StackType_t trap_stack[configISR_STACK_SIZE_WORDS] __attribute__((aligned(16)));
StackType_t *const xISRStackTop = trap_stack + configISR_STACK_SIZE_WORDS;
extern StackType_t **volatile pxCurrentTCB; /* the saved stack pointer of the task that runs */
static uint64_t next_tick;

void freertos_risc_v_application_interrupt_handler(uint64_t cause);
void freertos_risc_v_application_exception_handler(uint64_t cause);
StackType_t *stub_trap(int64_t cause, StackType_t *frame);
void stub_resume(StackType_t *frame);

StackType_t *pxPortInitialiseStack(StackType_t *top, void (*code)(void *), void *argument)
{
    StackType_t *frame = top - FRAME;
    frame[MEPC] = (uintptr_t)code;
    frame[A0] = (uintptr_t)argument;
    return frame;
}

static void plan_tick(void)
{
    uint64_t hart;
    __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
    next_tick += configCPU_CLOCK_HZ / configTICK_RATE_HZ;
    *(volatile uint64_t *)(uintptr_t)(configMTIMECMP_BASE_ADDRESS + 8 * hart) = next_tick;
}

StackType_t *stub_trap(int64_t cause, StackType_t *frame)
{
    *pxCurrentTCB = frame;
    if (cause >= 0)
        frame[MEPC] += 4;
    if (cause < 0 && (cause & 63) == TIMER) {
        plan_tick();
        xTaskIncrementTick();
        vTaskSwitchContext();
    } else if (cause < 0) {
        freertos_risc_v_application_interrupt_handler((uint64_t)cause);
    } else if (cause == ENVIRONMENT_CALL) {
        vTaskSwitchContext();
    } else {
        freertos_risc_v_application_exception_handler((uint64_t)cause);
    }
    return *pxCurrentTCB;
}

BaseType_t xPortStartScheduler(void)
{
    enum { MIE_TIMER = 0x80, MIE_EXTERNAL = 0x800, MSTATUS_MPIE_AND_MPP = 0x1880 };
    const volatile uint32_t *const time = (const volatile uint32_t *)(uintptr_t)configMTIME_BASE_ADDRESS;
    next_tick = (uint64_t)time[1] << 32 | time[0];
    plan_tick();
    __asm__ volatile("csrs mie, %0" ::"r"(MIE_TIMER | MIE_EXTERNAL));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MPIE_AND_MPP));
    stub_resume(*pxCurrentTCB);
    return pdFALSE;
}
