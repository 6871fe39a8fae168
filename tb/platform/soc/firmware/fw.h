/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the test images share: a console, traps that are recorded and skipped, and an exit with a
 * code. */
#ifndef FW_H
#define FW_H

#include <stdint.h>
#include <stdio.h>

#include "soc/regs.h"

#define READ8(address)          (*(volatile uint8_t *)(uintptr_t)(address))
#define READ16(address)         (*(volatile uint16_t *)(uintptr_t)(address))
#define READ32(address)         (*(volatile uint32_t *)(uintptr_t)(address))
#define READ64(address)         (*(volatile uint64_t *)(uintptr_t)(address))
#define WRITE8(address, value)  (*(volatile uint8_t *)(uintptr_t)(address) = (uint8_t)(value))
#define WRITE16(address, value) (*(volatile uint16_t *)(uintptr_t)(address) = (uint16_t)(value))
#define WRITE32(address, value) (*(volatile uint32_t *)(uintptr_t)(address) = (uint32_t)(value))
#define WRITE64(address, value) (*(volatile uint64_t *)(uintptr_t)(address) = (uint64_t)(value))

#define CSR_SET(csr, bits)   __asm__ volatile("csrs " #csr ", %0" ::"r"((uint64_t)(bits)) : "memory")
#define CSR_CLEAR(csr, bits) __asm__ volatile("csrc " #csr ", %0" ::"r"((uint64_t)(bits)) : "memory")
#define CSR_READ(csr)                                                                                        \
    ({                                                                                                       \
        uint64_t value_;                                                                                     \
        __asm__ volatile("csrr %0, " #csr : "=r"(value_)::"memory");                                         \
        value_;                                                                                              \
    })

#define MSTATUS_MIE  8
#define MIE_SOFTWARE (1 << 3)
#define MIE_TIMER    (1 << 7)
#define MIE_EXTERNAL (1 << 11)

/* The latest exception, and the number of exceptions. */
extern volatile struct fw_trap {
    uint64_t cause, epc, value, count;
} fw_trap;

/* Called for each interrupt, with its cause. */
extern void (*volatile fw_interrupt)(unsigned cause);

/* Reads or writes `width` bytes. Returns false if that trapped. */
bool fw_read(uint64_t address, unsigned width, uint64_t *value);
bool fw_write(uint64_t address, unsigned width, uint64_t value);

/* Ends the run with a failure and prints the position. */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fw_fail(__FILE__, __LINE__, #condition);                                                         \
    } while (0)
_Noreturn void fw_fail(const char *file, int line, const char *what);
_Noreturn void _exit(int code);

#endif
