/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to devices and to GPU memory, in program order: those of the core. The tests have others, as
 * functions. */
#ifndef FW_IO_H
#define FW_IO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __riscv /* in place, so that the place of an access is the driver's */
#define io_read8(address)          (*(volatile uint8_t *)(uintptr_t)(address))
#define io_read16(address)         (*(volatile uint16_t *)(uintptr_t)(address))
#define io_read32(address)         (*(volatile uint32_t *)(uintptr_t)(address))
#define io_read64(address)         (*(volatile uint64_t *)(uintptr_t)(address))
#define io_write8(address, value)  ((void)(io_read8(address) = (value)))
#define io_write16(address, value) ((void)(io_read16(address) = (value)))
#define io_write32(address, value) ((void)(io_read32(address) = (value)))
#define io_write64(address, value) ((void)(io_read64(address) = (value)))
#else
uint8_t io_read8(uint64_t address);
uint16_t io_read16(uint64_t address);
uint32_t io_read32(uint64_t address);
uint64_t io_read64(uint64_t address);
void io_write8(uint64_t address, uint8_t value);
void io_write16(uint64_t address, uint16_t value);
void io_write32(uint64_t address, uint32_t value);
void io_write64(uint64_t address, uint64_t value);
#endif

/* n words that follow each other, ascending: they become value, value + step, value + 2 * step, ... */
void io_fill64(uint64_t address, uint64_t value, uint64_t step, uint64_t n);
/* They become 0. Returns the number of those that were not, which alone are written. */
uint64_t io_clear64(uint64_t address, uint64_t n);

/* The address of this program's bytes for other bus masters. */
uint64_t io_address(const void *p);

#ifdef __cplusplus
}
#endif
#endif
