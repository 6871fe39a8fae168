/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every register of every block behaves as the register description says: the reset value, the
 * bits that can be written, those that cannot, and a bus error for every other access. */
#include <inttypes.h>

#include "fw.h"

enum { RO = MP_REG_RO, RW = MP_REG_RW, WO = MP_REG_WO, W1C = MP_REG_W1C };
enum { ON_READ = 1, ON_WRITE = 2, LIVE = 4, DLAB_CLEAR = 8, DLAB_SET = 16, HALVES = 32 };

struct line {
    const char *block, *name;
    uint64_t address;
    uint32_t count, stride, width, access, flags;
    uint64_t reset, reserved;
};

#define LINE(p, name, offset, count, stride, width, access, reset, reserved, flags, text)                    \
    {#p, #name, (offset), count, stride, width, access, flags, reset, reserved},
#define LINES(p, title) static struct line p##_lines[] = {MP_##p##_REGS(LINE, p)};
MP_SOC_BLOCKS(LINES)

static uint64_t checked;

static void fail(const struct line *l, uint64_t address, const char *what, uint64_t value)
{
    printf("%s.%s at %" PRIx64 ": %s, %" PRIx64 "\n", l->block, l->name, address, what, value);
    _exit(1);
}

static uint64_t mask(const struct line *l)
{
    return UINT64_MAX >> (64 - 8 * l->width);
}

static uint64_t read(const struct line *l, uint64_t address)
{
    uint64_t value;
    if (!fw_read(address, l->width, &value))
        fail(l, address, "reading trapped, cause", fw_trap.cause);
    return value;
}

static void write(const struct line *l, uint64_t address, uint64_t value)
{
    if (!fw_write(address, l->width, value))
        fail(l, address, "writing trapped, cause", fw_trap.cause);
}

static void must_trap(const struct line *l, uint64_t address, bool trapped, uint64_t cause, const char *what)
{
    checked++;
    if (!trapped)
        fail(l, address, what, 0);
    if (fw_trap.cause != cause || fw_trap.value != address)
        fail(l, address, "wrong cause", fw_trap.cause);
}

static bool is_part(const struct line *l, uint64_t from, unsigned width)
{
    return (!from && width == l->width) || (l->flags & HALVES && width == 4 && (!from || from == 4));
}

/* Returns whether a register of the block may answer this access. */
static bool answers(const struct line *lines, unsigned n, uint64_t at, unsigned width)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < lines[i].count; k++)
            if (is_part(&lines[i], at - (lines[i].address + k * lines[i].stride), width))
                return true;
    return false;
}

static void wrong_widths(const struct line *lines, unsigned n, const struct line *l, uint64_t base,
                         uint64_t at)
{
    uint64_t value;
    for (unsigned width = 1; width <= 8; width *= 2)
        for (unsigned shift = 0; shift < l->width; shift++) {
            if (answers(lines, n, at + shift, width))
                continue;
            must_trap(l, base + at + shift, !fw_read(base + at + shift, width, &value), 5,
                      "a wrong read passed");
            must_trap(l, base + at + shift, !fw_write(base + at + shift, width, 0), 7,
                      "a wrong write passed");
        }
}

static void wrong_direction(const struct line *l, uint64_t address, bool other_view)
{
    uint64_t value;
    if (other_view)
        return;
    if (l->access == RO)
        must_trap(l, address, !fw_write(address, l->width, 0), 7, "writing a read-only register passed");
    if (l->access == WO)
        must_trap(l, address, !fw_read(address, l->width, &value), 5, "reading a write-only register passed");
}

static void bits(const struct line *l, uint64_t address)
{
    uint64_t keep = mask(l) & ~l->reserved, value;
    if (l->access == WO)
        return;
    value = read(l, address);
    checked++;
    if (l->flags & LIVE ? (value & l->reserved) != 0 : value != (l->reset & mask(l)))
        fail(l, address, "wrong reset value", value);
    if (l->access == W1C) {
        write(l, address, mask(l));
        if (read(l, address) & ~l->reset)
            fail(l, address, "not cleared", read(l, address));
    }
    if (l->access != RW || l->flags & LIVE)
        return;
    for (unsigned bit = 0; bit <= 8 * l->width; bit++) { /* each bit separately, then all */
        uint64_t pattern = bit < 8 * l->width ? 1ull << bit : mask(l);
        write(l, address, pattern);
        value = read(l, address);
        checked++;
        if (value != (pattern & keep))
            fail(l, address, "bits that were not written, or lost", value ^ (pattern & keep));
    }
    write(l, address, l->reset);
}

/* Returns whether another register of the other direction has the same address, as RBR and THR of a 16550
 * do. */
static bool shared(const struct line *lines, unsigned n, const struct line *l)
{
    for (unsigned i = 0; i < n; i++)
        if (&lines[i] != l && lines[i].address == l->address)
            return true;
    return false;
}

/* Words without a register in the first 4 KB of the block. */
static void holes(const struct line *lines, unsigned n, uint64_t base)
{
    uint64_t value;
    for (uint64_t at = 0; at < 0x1000; at += 4) {
        if (answers(lines, n, at, 4))
            continue;
        must_trap(lines, base + at, !fw_read(base + at, 4, &value), 5, "reading a hole passed");
        must_trap(lines, base + at, !fw_write(base + at, 4, 0), 7, "writing a hole passed");
    }
}

static void walk(struct line *lines, unsigned n, uint64_t base)
{
    for (unsigned i = 0; i < n; i++) {
        struct line *l = &lines[i];
        if (l->flags & DLAB_SET)
            WRITE8(MP_UART_BASE + MP_UART_LCR, MP_UART_LCR_DLAB);
        for (unsigned k = 0; k < l->count; k++) {
            uint64_t at = l->address + k * l->stride;
            bits(l, base + at);
            wrong_widths(lines, n, l, base, at);
            wrong_direction(l, base + at, shared(lines, n, l));
        }
        if (l->flags & DLAB_SET)
            WRITE8(MP_UART_BASE + MP_UART_LCR, 0);
    }
    holes(lines, n, base);
}

int main(void)
{
#define WALK(p, title) walk(p##_lines, sizeof p##_lines / sizeof *p##_lines, MP_##p##_BASE);
    MP_SOC_BLOCKS(WALK)
    printf("%ld checks, %ld traps\n", (long)checked, (long)fw_trap.count);
    CHECK(checked > 1000);
    return 0;
}
