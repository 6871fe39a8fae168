/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PORTMACRO_H
#define PORTMACRO_H

typedef uint64_t StackType_t, UBaseType_t, TickType_t;
typedef int64_t BaseType_t;

#define portMAX_DELAY            UINT64_MAX
#define portYIELD()              __asm__ volatile("ecall" ::: "memory")
#define portDISABLE_INTERRUPTS() __asm__ volatile("csrc mstatus, 8" ::: "memory")
#define portENABLE_INTERRUPTS()  __asm__ volatile("csrs mstatus, 8" ::: "memory")

#endif
