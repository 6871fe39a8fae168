/* SPDX-License-Identifier: Apache-2.0 */
/* Start of FreeRTOS on the management core. */
#ifndef RTOS_H
#define RTOS_H

/* Starts the scheduler. Call boot() before, and create tasks. Returns if there is no memory for the idle
 * task. */
void rtos_start(void);

#endif
