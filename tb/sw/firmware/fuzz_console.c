/* SPDX-License-Identifier: Apache-2.0 */
/* Any input to the console, including writes to devices and page tables, gets an answer or ends the run. */
#include "gpu_stub.h"

#include "console.h"
#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "uart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 1024 };
    static bool used;
    static jmp_buf finish;
    static volatile size_t i;
    if (used)
        gpu_stub_free();
    used = true;
    board_reset();
    gpu_stub_reset((struct rng){size}, 20);
    board.wild = true;
    board.finish = &finish;
    if (setjmp(finish))
        return 0;
    uart_init();
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    for (i = 0; i < size && i < LONGEST; i++) {
        board.length = 0;
        console_type((char)data[i]);
    }
    console_type('\n');
    return 0;
}
