/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in of FreeRTOS for the test of sw/firmware/sdk/freertos: the functions that its example uses, at
 * the paths of the kernel's files. It is written for this test and has no line of FreeRTOS. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#include "FreeRTOSConfig.h"

/* What FreeRTOS.h and the port ask of a configuration. */
#if !defined(configMINIMAL_STACK_SIZE) || !defined(configMAX_PRIORITIES) ||                                  \
    !defined(configUSE_PREEMPTION) || !defined(configUSE_IDLE_HOOK) || !defined(configUSE_TICK_HOOK) ||      \
    !defined(configUSE_16_BIT_TICKS) || !defined(configTOTAL_HEAP_SIZE) || !defined(configTICK_RATE_HZ) ||   \
    !defined(configCPU_CLOCK_HZ)
#error the configuration is not complete
#endif
#if configMTIME_BASE_ADDRESS == 0 || configMTIMECMP_BASE_ADDRESS == 0
#error the port needs the addresses where the preprocessor can compare them
#endif

#include "portmacro.h"

#define pdPASS              1
#define pdTRUE              1
#define pdFALSE             0
#define pdMS_TO_TICKS(time) ((TickType_t)(time)*configTICK_RATE_HZ / 1000)

void *pvPortMalloc(size_t bytes);

#endif
