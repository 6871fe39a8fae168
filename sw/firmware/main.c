/* SPDX-License-Identifier: Apache-2.0 */
/* The included image: if the run has a host, it serves the host and the console. Otherwise it starts the
 * console if a key is typed soon enough, or the job. */
#include <stdbool.h>

#include "boot.h"
#include "clint.h"
#include "console.h"
#include "cpu.h"
#include "gpu.h"
#include "job.h"
#include "print.h"
#include "recovery.h"
#include "runner.h"
#include "service.h"
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

/* Until one of both quits. */
static void serve_host_and_console(void)
{
    char c;
    struct clint_timer look = {.rang = true};
    for (bool more = true; more;) {
        bool before = cpu_lock(), typed;
        if (runner_busy() && look.rang)
            clint_set(&look, clint_now() + RUNNER_PERIOD);
        while (!(typed = uart_get(&c)) && !service_due() && !(look.rang && runner_busy()))
            cpu_sleep();
        cpu_unlock(before);
        if (look.rang && runner_busy())
            runner_look();
        more = (!typed || console_type(c)) && service_serve();
    }
    clint_clear(&look);
}

int main(void)
{
    enum { PATIENCE_MS = 300 };
    enum fw_error e = boot();
    print("mempath firmware: %u slices, %u workloads; a key at a terminal (--uart pty) opens the console\n",
          gpu_slices(), gpu_workloads());
    if (e)
        print("start: %s\n", fw_error_text(e));
    else if (!service_init())
        serve_host_and_console();
    else if (key_comes(PATIENCE_MS))
        console_serve();
    else
        e = job_run();
    recovery_report();
    print("%s\n", e ? fw_error_text(e) : "done");
    return e != FW_OK;
}
