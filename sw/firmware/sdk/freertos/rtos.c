/* SPDX-License-Identifier: Apache-2.0 */
/* What FreeRTOS calls: traps that are not its own, idle time, failed assertions. */
#include "rtos.h"

#include <inttypes.h>
#include <stdbool.h>

#include "FreeRTOS.h"
#include "task.h"

#include "fw/cpu.h"
#include "fw/print.h"
#include "fw/trap.h"
#include "soc/regs.h"

extern void freertos_risc_v_trap_handler(void);
void freertos_risc_v_application_interrupt_handler(uint64_t cause);
void freertos_risc_v_application_exception_handler(uint64_t cause);

/* Of the port: the running task, whose first word points to its saved context, and the end of the stack for
 * traps. */
extern uint64_t **volatile pxCurrentTCB;
extern uint64_t *const xISRStackTop;

/* Words of a saved context (portContext.h); x5 to x31 follow T0. gp and tp are the same for all tasks. */
enum { CONTEXT_PC = 0, CONTEXT_RA = 1, CONTEXT_T0 = 2, CONTEXT_WORDS = 31 };
enum { RA = 1, SP = 2, T0 = 5, REGISTERS = 32 };

/* The drivers' handlers, also by the PLIC. */
void freertos_risc_v_application_interrupt_handler(uint64_t cause)
{
    struct trap_frame frame = {.cause = cause};
    trap_handle(&frame);
}

static struct trap_frame exception(uint64_t cause, const uint64_t *context)
{
    struct trap_frame f = {.cause = cause};
    f.x[RA] = context[CONTEXT_RA];
    f.x[SP] = (uint64_t)(context + CONTEXT_WORDS);
    for (unsigned i = T0; i < REGISTERS; i++)
        f.x[i] = context[CONTEXT_T0 + i - T0];
    __asm__ volatile("mv %0, gp\n mv %1, tp" : "=r"(f.x[3]), "=r"(f.x[4]));
    __asm__ volatile("csrr %0, mepc\n csrr %1, mstatus" : "=r"(f.pc), "=r"(f.status));
    __asm__ volatile("csrr %0, mtval" : "=r"(f.value));
    return f;
}

static bool in_handler(const uint64_t *context)
{
    return context < xISRStackTop && context >= xISRStackTop - configISR_STACK_SIZE_WORDS;
}

/* As without FreeRTOS (trap.h): the access is made again or skipped, or the run ends. In a handler it ends,
 * since the port has written over the handler's stack. */
void freertos_risc_v_application_exception_handler(uint64_t cause)
{
    uint64_t *const context = *pxCurrentTCB;
    struct trap_frame frame = exception(cause, context);
    if (in_handler(context)) {
        print("exception %" PRIu64 " in an interrupt handler, at pc %" PRIx64 ", value %" PRIx64 "\n", cause,
              frame.pc, frame.value);
        cpu_finish(1);
    }
    trap_handle(&frame);
    context[CONTEXT_PC] = frame.pc;
}

void failed_assertion(const char *file, int line)
{
    cpu_lock();
    print("%s:%d: an assertion of FreeRTOS failed\n", file, line);
    cpu_finish(1);
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    cpu_lock();
    print("task %s: its stack was too small\n", name);
    cpu_finish(1);
}

void vApplicationIdleHook(void)
{
    __asm__ volatile("wfi");
}

void rtos_start(void)
{
    configASSERT(configMTIME_BASE_ADDRESS == MP_CLINT_BASE + MP_CLINT_MTIME);
    configASSERT(configMTIMECMP_BASE_ADDRESS == MP_CLINT_BASE + MP_CLINT_MTIMECMP);
    cpu_lock();                                                             /* until the first task runs */
    __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler)); /* which needs a task */
    vTaskStartScheduler();
}
