/* SPDX-License-Identifier: Apache-2.0 */
/* The included image: it starts the console if a key is typed soon enough, otherwise the job. */
#include <stdbool.h>

#include "boot.h"
#include "clint.h"
#include "console.h"
#include "cpu.h"
#include "gpu.h"
#include "job.h"
#include "print.h"
#include "uart.h"

/* Whether a key is typed before the time is over. A run without input spends no host time waiting for it.
 */
static bool key_comes(unsigned ms)
{
    char c;
    clint_alarm(clint_now() + ms * CLINT_TICKS_PER_MS);
    bool before = cpu_lock(), came;
    while (!(came = uart_get(&c)) && !clint_rang())
        cpu_sleep();
    cpu_unlock(before);
    clint_cancel();
    return came;
}

int main(void)
{
    enum { PATIENCE_MS = 300 };
    enum fw_error e = boot();
    print("mempath firmware: %u slices, %u workloads; a key at a terminal (--uart pty) opens the console\n",
          gpu_slices(), gpu_workloads());
    if (e)
        print("start: %s\n", fw_error_text(e));
    else if (key_comes(PATIENCE_MS))
        console_serve();
    else
        e = job_run();
    print("%s\n", e ? fw_error_text(e) : "done");
    return e != FW_OK;
}
