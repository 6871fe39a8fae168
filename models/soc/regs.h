/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every register of the SoC, from the lines in regs/<block>.def. Firmware includes this header, and the
 * platform decodes and checks accesses with it. Firmware needs no other folder.
 *
 * R(block, name, offset, count, stride, width, access, reset, reserved, flags, text)
 * F(block, register, name, low, bits, text)
 * N(block, name, PREFIX, where, text)           an enumeration, and the registers or fields that hold it
 * V(PREFIX, name, value, choice, text)          its values, in MP_ENUM_<name>
 *
 * offset, stride and width are in bytes; `count` registers are `stride` apart. Reserved bits read as zero and
 * ignore writes. An access must have the register's width and address, unless it is a half of one with
 * HALVES. Any other access, a write to RO and a read of WO cause a bus error. `where` is a list of REGISTER
 * or REGISTER.FIELD. `choice` is the configuration's name for the value, or "".
 *
 * R(UART, LCR, ...) yields MP_UART_LCR, the offset, and MP_UART_LCR_STRIDE. F(UART, LCR, DLAB, 7, 1, ...)
 * yields MP_UART_LCR_DLAB, its mask, and MP_UART_LCR_DLAB_LOW. N(GPU, mgmt_status, MP_MGMT, ...) yields
 * enum mp_mgmt_status with an MP_MGMT_<name> for each V. In map.def, M(UART, ...) yields MP_UART_BASE, and
 * I(UART, ...) yields MP_UART_IRQ.
 */
#ifndef MP_SOC_REGS_H
#define MP_SOC_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "soc/map.def"
#include "soc/regs/ce.def"
#include "soc/regs/clint.def"
#include "soc/regs/dma.def"
#include "soc/regs/finisher.def"
#include "soc/regs/gpu.def"
#include "soc/regs/host.def"
#include "soc/regs/plic.def"
#include "soc/regs/uart.def"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SOC_BLOCKS(B)                                                                                     \
    B(FINISHER, "finisher: ends the run")                                                                    \
    B(CLINT, "timer and software interrupt (CLINT layout)")                                                  \
    B(PLIC, "interrupt controller (PLIC layout)")                                                            \
    B(UART, "console (16550)")                                                                               \
    B(DMA, "copy engine")                                                                                    \
    B(CE, "copy engines of the link to the host")                                                            \
    B(HOST, "port of the host")                                                                              \
    B(GPU, "management registers of the GPU")

enum mp_reg_access { MP_REG_RO, MP_REG_RW, MP_REG_WO, MP_REG_W1C };

/* ON_READ and ON_WRITE: the access calls the device, in addition to reading or storing the value. LIVE:
 * the value changes by itself, or a write may be refused, so it need not be the reset value or the one
 * written. HALVES: a register of 8 bytes whose halves of 4 bytes can be accessed, too. */
enum {
    MP_REG_ON_READ = 1,
    MP_REG_ON_WRITE = 2,
    MP_REG_LIVE = 4,
    MP_REG_DLAB_CLEAR = 8,
    MP_REG_DLAB_SET = 16,
    MP_REG_HALVES = 32
};

#define MP_REG_OFFSET(p, name, offset, ...)                MP_##p##_##name = (offset),
#define MP_REG_STRIDE(p, name, offset, count, stride, ...) MP_##p##_##name##_STRIDE = (stride),
#define MP_REG_ID(p, name, ...)                            MP_##p##_##name##_ID,
#define MP_REG_VALUE(p, name, offset, count, ...)          uint64_t name[count];
#define MP_FIELD_LOW(p, reg, name, low, bits, text)                                                          \
    static const unsigned MP_##p##_##reg##_##name##_LOW __attribute__((unused)) = (low);
#define MP_FIELD_MASK(p, reg, name, low, bits, text)                                                         \
    static const uint64_t MP_##p##_##reg##_##name __attribute__((unused)) = (UINT64_MAX >> (64 - (bits)))    \
                                                                            << (low);

/* Offsets, strides, the registers' numbers, the masks of fields, and the storage of a device: one array
 * per register. */
#define MP_BLOCK_DECLARE(p, title)                                                                           \
    enum { MP_##p##_REGS(MP_REG_OFFSET, p) };                                                                \
    enum { MP_##p##_REGS(MP_REG_STRIDE, p) };                                                                \
    enum { MP_##p##_REGS(MP_REG_ID, p) MP_##p##_REG_COUNT };                                                 \
    MP_##p##_FIELDS(MP_FIELD_LOW, p) MP_##p##_FIELDS(MP_FIELD_MASK, p) struct mp_##p##_values {              \
        MP_##p##_REGS(MP_REG_VALUE, p)                                                                       \
    };
MP_SOC_BLOCKS(MP_BLOCK_DECLARE)

#define MP_SOC_ENUMS(N) MP_FINISHER_ENUMS(N) MP_UART_ENUMS(N) MP_CE_ENUMS(N) MP_HOST_ENUMS(N) MP_GPU_ENUMS(N)

#define MP_ENUM_VALUE(prefix, name, value, choice, text) prefix##_##name = (value),
#define MP_ENUM_DECLARE(block, name, prefix, where, text)                                                    \
    enum mp_##name{MP_ENUM_##name(MP_ENUM_VALUE, prefix)};
MP_SOC_ENUMS(MP_ENUM_DECLARE)

#define MP_MAP_BASE(name, base, bytes, kind, text)                                                           \
    static const uint64_t MP_##name##_BASE __attribute__((unused)) = (base);                                 \
    static const uint64_t MP_##name##_BYTES __attribute__((unused)) = (bytes);
MP_SOC_MAP(MP_MAP_BASE)

#define MP_INTERRUPT_NUMBER(name, number, text) MP_##name##_IRQ = (number),
enum { MP_SOC_INTERRUPTS(MP_INTERRUPT_NUMBER) };

enum mp_map_kind { MP_MAP_MEMORY, MP_MAP_ROM, MP_MAP_DEVICE };

struct mp_map_window {
    const char *name;
    uint64_t base, bytes;
    enum mp_map_kind kind;
    const char *text;
};

#define MP_MAP_WINDOW(name, ...) MP_WINDOW_##name,
enum { MP_SOC_MAP(MP_MAP_WINDOW) };

extern const struct mp_map_window mp_soc_map[];
extern const unsigned mp_soc_nmap;

struct mp_reg {
    const char *name;
    uint32_t offset, count, stride;
    uint8_t width;
    uint8_t access; /* enum mp_reg_access */
    uint64_t reset, reserved;
    uint32_t flags;
    const char *text;
};

struct mp_reg_field {
    uint32_t reg;
    const char *name;
    uint8_t low, bits;
    const char *text;
};

struct mp_reg_block {
    const char *name, *title;
    const struct mp_map_window *window;
    uint32_t regs, fields;
    const struct mp_reg *reg;
    const struct mp_reg_field *field;
};

extern const struct mp_reg_block mp_soc_blocks[];
extern const unsigned mp_soc_nblocks;

enum mp_soc_block {
#define MP_BLOCK_NUMBER(p, title) MP_BLOCK_##p,
    MP_SOC_BLOCKS(MP_BLOCK_NUMBER)
};

struct mp_reg_value {
    const char *name;
    uint32_t value;
    const char *choice, *text;
};

struct mp_reg_enum {
    const char *block, *name, *prefix, *where, *text;
    const struct mp_reg_value *value;
    uint32_t values;
};

enum mp_soc_enum {
#define MP_ENUM_NUMBER(block, name, ...) MP_ENUM_OF_##name,
    MP_SOC_ENUMS(MP_ENUM_NUMBER)
};

extern const struct mp_reg_enum mp_soc_enums[]; /* by enum mp_soc_enum */
extern const unsigned mp_soc_nenums;

/* Returns the enumeration of a register (field NULL) or of its field, or NULL if there is none. */
const struct mp_reg_enum *mp_reg_enum_of(const struct mp_reg_block *b, const struct mp_reg *reg,
                                         const struct mp_reg_field *field);
/* Returns the configuration's name for this value, and its meaning, or NULL if the enumeration has no such
 * value. */
const char *mp_reg_choice(enum mp_soc_enum e, uint32_t value);
const char *mp_reg_text(enum mp_soc_enum e, uint32_t value);

/* Names what is at an address: "UART.LCR", "GPU.AS_ROOT[3]", "UART+0x9" for an address in a block without
 * a register there, "RAM", "-". If several registers share the address, it is the one for this direction
 * and the current DLAB. */
void mp_soc_name(uint64_t address, bool write, bool dlab, char *text, size_t size);

/* A block's registers in a device: the storage of their values, in the order of the table, and the
 * functions to call. */
struct mp_regs {
    const struct mp_reg_block *block;
    uint64_t *value;
    void *device;
    /* For registers with ON_READ: returns the value read, without reserved bits, given the stored value. */
    uint64_t (*read)(void *device, unsigned reg, unsigned index, uint64_t kept);
    /* For registers with ON_WRITE: called after the value was stored. For a W1C register, `value` contains
     * the bits that were written as one. */
    void (*write)(void *device, unsigned reg, unsigned index, uint64_t value);
    bool (*dlab)(const void *device); /* NULL if the block has no second view */
    /* The register of the latest access, where the search for the next one begins, since firmware polls and
     * reads neighbours; and the number of values before its own. mp_regs_reset sets them. */
    unsigned latest, before;
};

void mp_regs_reset(struct mp_regs *r);

/* Performs one access. Returns false for a bus error, in which case no state has changed. */
bool mp_regs_access(struct mp_regs *r, uint64_t offset, unsigned width, bool write, uint64_t *data);

#ifdef __cplusplus
}
#endif
#endif
