/* SPDX-License-Identifier: Apache-2.0 */
#include "boot.h"

#include "clint.h"
#include "cpu.h"
#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "plic.h"
#include "recovery.h"
#include "request.h"
#include "runner.h"
#include "trap.h"
#include "uart.h"
#include "uvm.h"
#include "watchdog.h"

enum fw_error boot(void)
{
    recovery_init();
    trap_init();
    clint_init();
    plic_init();
    cpu_unlock(true);
    enum fw_error e = uart_init();
    if (!e)
        e = dma_init();
    if (!e)
        e = gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    request_init();
    runner_init();
    watchdog_init();
    uvm_init();
    return e;
}
