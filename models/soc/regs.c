/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/regs.h"

#include <stdio.h>
#include <string.h>

#define REG(p, name, offset, count, stride, width, access, reset, reserved, flags, text)                     \
    {#name, offset, count, stride, width, MP_REG_##access, reset, reserved, FLAGS(flags), text},
#define FIELD(p, reg, name, low, bits, text) {MP_##p##_##reg##_ID, #name, low, bits, text},

/* The .def files name flags without their prefix. */
enum {
    ON_READ = MP_REG_ON_READ,
    ON_WRITE = MP_REG_ON_WRITE,
    LIVE = MP_REG_LIVE,
    DLAB_CLEAR = MP_REG_DLAB_CLEAR,
    DLAB_SET = MP_REG_DLAB_SET,
    HALVES = MP_REG_HALVES
};
#define FLAGS(f) (uint32_t)(f)

#define TABLES(p, title)                                                                                     \
    static const struct mp_reg p##_regs[] = {MP_##p##_REGS(REG, p)};                                         \
    static const struct mp_reg_field p##_fields[] = {MP_##p##_FIELDS(FIELD, p)};
MP_SOC_BLOCKS(TABLES)

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define BLOCK(p, title)                                                                                      \
    {#p, title, &mp_soc_map[MP_WINDOW_##p], COUNT(p##_regs), COUNT(p##_fields), p##_regs, p##_fields},
const struct mp_reg_block mp_soc_blocks[] = {MP_SOC_BLOCKS(BLOCK)};
const unsigned mp_soc_nblocks = COUNT(mp_soc_blocks);

#define WINDOW(name, base, bytes, kind, text) {#name, base, bytes, MP_MAP_##kind, text},
const struct mp_map_window mp_soc_map[] = {MP_SOC_MAP(WINDOW)};
const unsigned mp_soc_nmap = COUNT(mp_soc_map);

#define VALUE(prefix, name, value, choice, text) {#name, value, choice, text},
#define VALUES(block, name, prefix, where, text)                                                             \
    static const struct mp_reg_value name##_values[] = {MP_ENUM_##name(VALUE, prefix)};
MP_SOC_ENUMS(VALUES)

#define ENUM(block, name, prefix, where, text)                                                               \
    {#block, "mp_" #name, #prefix, where, text, name##_values, COUNT(name##_values)},
const struct mp_reg_enum mp_soc_enums[] = {MP_SOC_ENUMS(ENUM)};
const unsigned mp_soc_nenums = COUNT(mp_soc_enums);

/* Returns whether a list of words, separated by blanks, contains this word. */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == n && !memcmp(list, word, n))
            return true;
    return false;
}

const struct mp_reg_enum *mp_reg_enum_of(const struct mp_reg_block *b, const struct mp_reg *reg,
                                         const struct mp_reg_field *field)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", reg->name, field ? "." : "", field ? field->name : "");
    for (unsigned i = 0; i < mp_soc_nenums; i++)
        if (!strcmp(mp_soc_enums[i].block, b->name) && has_word(mp_soc_enums[i].where, name))
            return &mp_soc_enums[i];
    return NULL;
}

static const struct mp_reg_value *find_value(enum mp_soc_enum e, uint32_t value)
{
    for (unsigned i = 0; i < mp_soc_enums[e].values; i++)
        if (mp_soc_enums[e].value[i].value == value)
            return &mp_soc_enums[e].value[i];
    return NULL;
}

const char *mp_reg_choice(enum mp_soc_enum e, uint32_t value)
{
    const struct mp_reg_value *v = find_value(e, value);
    return v ? v->choice : NULL;
}

const char *mp_reg_text(enum mp_soc_enum e, uint32_t value)
{
    const struct mp_reg_value *v = find_value(e, value);
    return v ? v->text : NULL;
}

void mp_regs_reset(struct mp_regs *r)
{
    uint64_t *v = r->value;
    for (unsigned k = 0; k < r->block->regs; k++)
        for (unsigned i = 0; i < r->block->reg[k].count; i++)
            *v++ = r->block->reg[k].reset;
    r->latest = r->before = 0;
}

static bool in_view(const struct mp_regs *r, const struct mp_reg *reg)
{
    unsigned view = reg->flags & (MP_REG_DLAB_CLEAR | MP_REG_DLAB_SET);
    return !view || (view == MP_REG_DLAB_SET) == r->dlab(r->device);
}

/* Returns the register's index in its array, or -1 if the offset is not in the array. */
static int index_of(const struct mp_reg *reg, uint64_t offset)
{
    uint64_t at = offset - reg->offset; /* far too large for an offset below the register's */
    if (reg->count == 1)
        return at ? -1 : 0;
    if (at >= (uint64_t)reg->count * reg->stride)
        return -1;
    return at % reg->stride ? -1 : (int)(at / reg->stride);
}

static bool is_upper_half(const struct mp_reg *reg, uint64_t offset)
{
    return reg->flags & MP_REG_HALVES && ((offset - reg->offset) & 4);
}

static bool named(const struct mp_reg *reg, uint64_t offset, bool write, bool dlab)
{
    if (reg->access == (write ? MP_REG_RO : MP_REG_WO) ||
        reg->flags & (dlab ? MP_REG_DLAB_CLEAR : MP_REG_DLAB_SET))
        return false;
    return index_of(reg, is_upper_half(reg, offset) ? offset - 4 : offset) >= 0;
}

static void name_in_block(const struct mp_reg_block *b, uint64_t offset, bool write, bool dlab, char *text,
                          size_t size)
{
    for (unsigned k = 0; k < b->regs; k++) {
        const struct mp_reg *reg = &b->reg[k];
        if (!named(reg, offset, write, dlab))
            continue;
        const bool high = is_upper_half(reg, offset);
        const uint64_t start = high ? offset - 4 : offset;
        const char *upper = high ? "+4" : "";
        if (reg->count > 1)
            snprintf(text, size, "%s.%s[%d]%s", b->name, reg->name, index_of(reg, start), upper);
        else
            snprintf(text, size, "%s.%s%s", b->name, reg->name, upper);
        return;
    }
    snprintf(text, size, "%s+0x%llx", b->name, (unsigned long long)offset);
}

void mp_soc_name(uint64_t address, bool write, bool dlab, char *text, size_t size)
{
    for (unsigned i = 0; i < mp_soc_nblocks; i++) {
        const struct mp_map_window *w = mp_soc_blocks[i].window;
        if (address - w->base < w->bytes) {
            name_in_block(&mp_soc_blocks[i], address - w->base, write, dlab, text, size);
            return;
        }
    }
    for (unsigned i = 0; i < mp_soc_nmap; i++)
        if (address - mp_soc_map[i].base < mp_soc_map[i].bytes) {
            snprintf(text, size, "%s", mp_soc_map[i].name);
            return;
        }
    snprintf(text, size, "-");
}

static uint64_t read_one(struct mp_regs *r, unsigned k, unsigned i, const uint64_t *kept)
{
    const struct mp_reg *reg = &r->block->reg[k];
    return reg->flags & MP_REG_ON_READ ? r->read(r->device, k, i, *kept) : *kept;
}

static void write_one(struct mp_regs *r, unsigned k, unsigned i, uint64_t *kept, uint64_t data)
{
    const struct mp_reg *reg = &r->block->reg[k];
    uint64_t value = data & ~reg->reserved;
    if (reg->access == MP_REG_RW)
        *kept = value;
    else if (reg->access == MP_REG_W1C)
        *kept &= ~value;
    if (reg->flags & MP_REG_ON_WRITE)
        r->write(r->device, k, i, value);
}

static uint64_t low_bytes(unsigned width)
{
    return UINT64_MAX >> (64 - 8 * width);
}

/* Returns the index of the register that the access concerns, or -1, and by how many bits it is shifted. */
static int concerns(const struct mp_reg *reg, uint64_t offset, unsigned width, unsigned *shift)
{
    bool half = reg->flags & MP_REG_HALVES && width == 4, high = half && is_upper_half(reg, offset);
    *shift = high ? 32 : 0;
    return half || width == reg->width ? index_of(reg, high ? offset - 4 : offset) : -1;
}

/* The other half keeps its value. */
static uint64_t combine(uint64_t old, uint64_t data, unsigned width, unsigned shift)
{
    uint64_t mask = low_bytes(width) << shift;
    return (old & ~mask) | (data << shift & mask);
}

/* Advances to the register that the access concerns, of which it returns the index, or -1 if there is none.
 */
static int find(struct mp_regs *r, uint64_t offset, unsigned width, bool write, unsigned *shift)
{
    const struct mp_reg_block *b = r->block;
    for (unsigned n = 0; n < b->regs; n++) {
        const struct mp_reg *reg = &b->reg[r->latest];
        int i = concerns(reg, offset, width, shift);
        if (i >= 0 && reg->access != (write ? MP_REG_RO : MP_REG_WO) && in_view(r, reg))
            return i;
        bool last = ++r->latest == b->regs;
        r->before = last ? 0 : r->before + reg->count;
        r->latest = last ? 0 : r->latest;
    }
    return -1;
}

bool mp_regs_access(struct mp_regs *r, uint64_t offset, unsigned width, bool write, uint64_t *data)
{
    unsigned shift;
    int found = find(r, offset, width, write, &shift);
    if (found < 0)
        return false;
    unsigned k = r->latest, i = (unsigned)found;
    uint64_t *kept = r->value + r->before + i;
    if (!write)
        *data = read_one(r, k, i, kept) >> shift & low_bytes(width);
    else if (width == r->block->reg[k].width)
        write_one(r, k, i, kept, *data & low_bytes(width));
    else
        write_one(r, k, i, kept, combine(read_one(r, k, i, kept), *data, width, shift));
    return true;
}
