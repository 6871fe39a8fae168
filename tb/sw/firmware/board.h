/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The board for firmware on the host, without a core: connects the firmware's register accesses to the
 * platform's devices (models/soc) and delivers their interrupts. An access that no device answers traps as on
 * the core.
 */
#ifndef BOARD_H
#define BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soc/ce.h"
#include "soc/clint.h"
#include "soc/dma.h"
#include "soc/host_port.h"
#include "soc/plic.h"
#include "soc/uart.h"

enum {
    BOARD_HOST_MEMORY = 1 << 20, /* bytes, as in map.def */
    BOARD_HOST_PAGES = 1 << 25   /* of the memory behind the link */
};

struct board {
    struct mp_uart uart;
    struct mp_clint clint;
    struct mp_plic plic;
    struct mp_dma dma;
    struct mp_ce ce;
    unsigned ce_errors;         /* copies that are to fail */
    bool ce_hangs, ce_in_hangs; /* both engines; that to the GPU */
    struct mp_host_port host;
    uint8_t host_memory[BOARD_HOST_MEMORY];
    uint32_t pending, enabled; /* interrupts by cause */
    bool locked, in_handler;
    bool wild; /* the firmware is made to do anything: nothing of it reaches the host, and sleeping for ever
                  ends it */
    unsigned sleeps;
    char text[65536]; /* the console's output */
    size_t length;
    jmp_buf *finish; /* target of cpu_finish */
    int code;        /* exit code of cpu_finish */
};

extern struct board board;
extern uint8_t board_host_pages[BOARD_HOST_PAGES]; /* not cleared by board_reset */

/* Resets everything, initialises the trap, PLIC and CLINT drivers, and enables interrupts. */
void board_reset(void);

/* One step of all devices, of 1 us. */
void board_step(void);

/* Types characters as far as there is room, and takes the interrupts. */
void board_type(const char *text);

/* Takes pending interrupts, unless they are locked. */
void board_interrupts(void);

/* An access to other devices; returns false if the address is not theirs. May be NULL. */
extern bool (*board_more)(uint64_t address, unsigned width, bool write, uint64_t *data);
/* Called while the core sleeps, to advance other devices. May be NULL. */
extern void (*board_idle)(void);

/* The call must not end the run. */
#define BOARD_RUNS(call)                                                                                     \
    do {                                                                                                     \
        jmp_buf finish_;                                                                                     \
        board.finish = &finish_;                                                                             \
        if (setjmp(finish_))                                                                                 \
            fail_msg("the firmware ended with code %d:\n%s", board.code, board.text);                        \
        call;                                                                                                \
        board.finish = NULL;                                                                                 \
    } while (0)

/* The call must end the run with this code. */
#define BOARD_ENDS(call, expected)                                                                           \
    do {                                                                                                     \
        jmp_buf finish_;                                                                                     \
        board.finish = &finish_;                                                                             \
        if (!setjmp(finish_)) {                                                                              \
            call;                                                                                            \
            fail_msg("the firmware goes on after %s", #call);                                                \
        }                                                                                                    \
        board.finish = NULL;                                                                                 \
        assert_int_equal(board.code, expected);                                                              \
    } while (0)

#endif
