/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_format.h"

#include <stddef.h>

/* mempath's entries. `extra`: bits of a pointer that may have any value. */
#define POINTER(table, kinds, is_kind, extra)                                                                \
    {                                                                                                        \
        .bits = ~MP_PTE_ADDRESS & ~(extra), .value = MP_PTE_VALID | (is_kind),                               \
        .known = MP_PTE_ADDRESS | MP_PTE_VALID | MP_PTE_LEAF | (is_kind) | (extra), .valid = MP_PTE_VALID,   \
        .kind = (kinds), .is = (is_kind), .address = MP_PTE_ADDRESS, .made = MP_PTE_VALID | (is_kind),       \
        .next = (table)                                                                                      \
    }
#define TABLE(number)    POINTER(number, MP_PTE_LEAF, 0, 0)
#define OF_FRAME(number) POINTER(number, MP_PTE_LEAF, 0, MP_PTE_CONTIGUITY)
#define LEAF(log2)                                                                                           \
    {                                                                                                        \
        .bits = (~MP_PTE_ADDRESS & ~MP_PTE_READ_ONLY) | (((1ull << (log2)) - 1) & MP_PTE_ADDRESS),           \
        .value = MP_PTE_VALID | MP_PTE_LEAF,                                                                 \
        .known = MP_PTE_ADDRESS | MP_PTE_VALID | MP_PTE_LEAF | MP_PTE_READ_ONLY, .valid = MP_PTE_VALID,      \
        .kind = MP_PTE_LEAF, .is = MP_PTE_LEAF, .address = MP_PTE_ADDRESS, .right = MP_PTE_READ_ONLY,        \
        .read_only = MP_PTE_READ_ONLY, .made = MP_PTE_VALID | MP_PTE_LEAF, .page_shift = (log2)              \
    }
#define EIGHT_BYTES                                                                                          \
    {                                                                                                        \
        3, 3, 3, 3, 3, 3, 3                                                                                  \
    }

static const struct mp_page_format formats[] = {
    {.name = "mempath",
     .page_shift = 12,
     .levels = 4,
     .va_bits = 48,
     .pages = 1ull << 12,
     .contiguity = true,
     .low_bit = {39, 30, 21, 12},
     .bits = {9, 9, 9, 9},
     .entry_shift = EIGHT_BYTES,
     .level = {0, 1, 2, 3},
     .forms = {1, 1, 1, 1},
     .form = {{TABLE(1)}, {TABLE(2)}, {OF_FRAME(3)}, {LEAF(12)}}},
    {.name = "mempath",
     .page_shift = 16,
     .levels = 4,
     .va_bits = 48,
     .pages = 1ull << 16,
     .low_bit = {39, 30, 21, 16},
     .bits = {9, 9, 9, 5},
     .entry_shift = EIGHT_BYTES,
     .level = {0, 1, 2, 3},
     .forms = {1, 1, 1, 1},
     .form = {{TABLE(1)}, {TABLE(2)}, {TABLE(3)}, {LEAF(16)}}},
    {.name = "mempath",
     .page_shift = 21,
     .levels = 3,
     .va_bits = 48,
     .pages = 1ull << 21,
     .low_bit = {39, 30, 21},
     .bits = {9, 9, 9},
     .entry_shift = EIGHT_BYTES,
     .level = {0, 1, 2},
     .forms = {1, 1, 1},
     .form = {{TABLE(1)}, {TABLE(2)}, {LEAF(21)}}},
};

const struct mp_page_format mp_page_format_mixed = {
    .name = "mempath",
    .page_shift = 12,
    .levels = 4,
    .va_bits = 48,
    .pages = 1ull << 12 | 1ull << 16 | 1ull << 21,
    .contiguity = true,
    .low_bit = {39, 30, 21, 12, 16},
    .bits = {9, 9, 9, 9, 5},
    .entry_shift = EIGHT_BYTES,
    .level = {0, 1, 2, 3, 3},
    .forms = {1, 1, 3, 1, 1},
    .form = {{TABLE(1)},
             {TABLE(2)},
             {POINTER(3, MP_PTE_LEAF | MP_PTE_64K, 0, MP_PTE_CONTIGUITY),
              POINTER(4, MP_PTE_LEAF | MP_PTE_64K, MP_PTE_64K, 0), LEAF(21)},
             {LEAF(12)},
             {LEAF(16)}}};

const struct mp_page_format *mp_page_format(uint64_t page_bytes)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (1ull << formats[i].page_shift == page_bytes)
            return &formats[i];
    return NULL;
}

const struct mp_pte_form *mp_pte_pick(const struct mp_page_format *f, unsigned table, uint64_t entry)
{
    for (unsigned i = 0; i < f->forms[table]; i++)
        if ((entry & f->form[table][i].kind) == f->form[table][i].is)
            return &f->form[table][i];
    return f->form[table];
}

/* Whether an entry of this form leads to pages of this size. Pointers go down, so this ends. */
static bool leads(const struct mp_page_format *f, const struct mp_pte_form *form, uint32_t page_shift)
{
    return form->page_shift ? form->page_shift == page_shift
                            : mp_pte_form_to(f, form->next, page_shift) != NULL;
}

const struct mp_pte_form *mp_pte_form_to(const struct mp_page_format *f, unsigned table, uint32_t page_shift)
{
    for (unsigned i = 0; i < f->forms[table]; i++)
        if (leads(f, &f->form[table][i], page_shift))
            return &f->form[table][i];
    return f->dual && table == f->dual && leads(f, &f->other, page_shift) ? &f->other : NULL;
}
