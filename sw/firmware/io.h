/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to devices and to GPU memory, in program order. target/io.c implements them for the core; the
 * tests have another implementation. */
#ifndef FW_IO_H
#define FW_IO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint8_t io_read8(uint64_t address);
uint16_t io_read16(uint64_t address);
uint32_t io_read32(uint64_t address);
uint64_t io_read64(uint64_t address);
void io_write8(uint64_t address, uint8_t value);
void io_write16(uint64_t address, uint16_t value);
void io_write32(uint64_t address, uint32_t value);
void io_write64(uint64_t address, uint64_t value);

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
