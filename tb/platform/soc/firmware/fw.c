/* SPDX-License-Identifier: Apache-2.0 */
#include "fw.h"

volatile struct fw_trap fw_trap;
void (*volatile fw_interrupt)(unsigned cause);

static int put(char c, FILE *f)
{
    (void)f;
    WRITE8(MP_UART_BASE + MP_UART_THR, c);
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;

_Noreturn void _exit(int code)
{
    for (;;)
        WRITE32(MP_FINISHER_BASE + MP_FINISHER_FINISH, code ? (uint32_t)code << 16 | 0x3333 : 0x5555);
}

_Noreturn void fw_fail(const char *file, int line, const char *what)
{
    printf("%s:%d: %s (traps %ld, cause %ld at %lx, value %lx)\n", file, line, what, (long)fw_trap.count,
           (long)fw_trap.cause, (long)fw_trap.epc, (long)fw_trap.value);
    _exit(1);
}

enum { CAUSE_FETCH = 1 };

/* Called by trap.S. Returns the address at which to continue. The instruction of an exception is skipped;
 * a failed jump returns. */
uint64_t trap(uint64_t cause, uint64_t epc, uint64_t value, uint64_t ra)
{
    if (cause >> 63) {
        if (fw_interrupt)
            fw_interrupt((unsigned)(cause & 63));
        return epc;
    }
    fw_trap.cause = cause;
    fw_trap.epc = epc;
    fw_trap.value = value;
    fw_trap.count++;
    if (cause == CAUSE_FETCH)
        return ra;
    return epc + ((*(uint16_t *)epc & 3) == 3 ? 4 : 2);
}

extern void trap_entry(void);

__attribute__((constructor)) static void install_trap(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap_entry));
}

bool fw_read(uint64_t address, unsigned width, uint64_t *value)
{
    uint64_t before = fw_trap.count;
    switch (width) {
    case 1:
        *value = READ8(address);
        break;
    case 2:
        *value = READ16(address);
        break;
    case 4:
        *value = READ32(address);
        break;
    default:
        *value = READ64(address);
    }
    return fw_trap.count == before;
}

bool fw_write(uint64_t address, unsigned width, uint64_t value)
{
    uint64_t before = fw_trap.count;
    switch (width) {
    case 1:
        WRITE8(address, value);
        break;
    case 2:
        WRITE16(address, value);
        break;
    case 4:
        WRITE32(address, value);
        break;
    default:
        WRITE64(address, value);
    }
    return fw_trap.count == before;
}
