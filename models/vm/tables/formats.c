/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of page tables that others have published. Only what a walk needs is here; bits for caches, memory
 * types and the like may have any value. All memory is the GPU's own, so that other apertures are reserved.
 * Rights of upper entries that hardware would combine with those of the leaf are fixed: they allow
 * everything.
 */
#include <stddef.h>
#include <string.h>

#include "vm/page_format.h"

#define BIT(n)         (1ull << (n))
#define FIELD(hi, low) ((BIT(hi) << 1) - BIT(low))
#define EIGHT_BYTES                                                                                          \
    {                                                                                                        \
        3, 3, 3, 3, 3, 3, 3                                                                                  \
    }

/* An address field `at`, whose bits for less than 1 << log2 B are zero in a leaf; others are shifted left. */
#define UNDER(log2, by) ((BIT(log2) - 1) >> (by))

/* --- NVIDIA
 * ------------------------------------------------------------------------------------------------- */

/*
 * Version 2, of GP100: manuals/pascal/gp100/dev_mmu.ref.txt of NVIDIA's open-gpu-doc, NV_MMU_VER2_*. Upper
 * entries (PDE): bit 0 clear, 2:1 aperture (0 not valid, 1 video memory), 3 volatile, 32:8 address / 16
 * (ADDRESS_VID). Leaves (PTE): bit 0 valid, 2:1 aperture (0 video memory), 3 volatile, 6 read only, 32:8
 * address / 16, 63:56 kind. A dual entry (DUAL_PDE) has in bits 63:0 a leaf of 2 MB, or the address / 16 of a
 * big page table in bits 32:4, and in 127:64 the small page table. A big entry that is not valid with bit 5
 * set (privilege) has no small pages: Linux, drivers/gpu/drm/nouveau/nvkm/subdev/mmu/vmmgp100.c,
 * gp100_vmm_lpt_invalid.
 */
#define V2_ADDRESS FIELD(32, 8)
#define V2_BIG     FIELD(32, 4)
#define V2_VOL     BIT(3)
#define V2_KIND    FIELD(63, 56)
#define V2_PDE(number, field, valid_bits)                                                                    \
    {                                                                                                        \
        .bits = ~((field) | V2_VOL), .value = BIT(1), .known = (field) | FIELD(3, 0), .valid = (valid_bits), \
        .kind = BIT(0), .is = 0, .address = (field), .made = BIT(1), .shift = 4, .next = (number)            \
    }
#define V2_PTE(log2, valid_bits, ends_bits)                                                                  \
    {                                                                                                        \
        .bits = ~(V2_ADDRESS | V2_VOL | V2_KIND | BIT(6)) | (UNDER(log2, 4) & V2_ADDRESS), .value = BIT(0),  \
        .known = V2_ADDRESS | V2_KIND | FIELD(3, 0) | BIT(6), .valid = (valid_bits), .kind = BIT(0),         \
        .is = BIT(0), .address = V2_ADDRESS, .right = BIT(6), .read_only = BIT(6), .made = BIT(0),           \
        .ends = (ends_bits), .ends_is = (ends_bits), .shift = 4, .page_shift = (log2)                        \
    }

static const struct mp_page_format nvidia_v2 = {
    .name = "nvidia-v2",
    .page_shift = 12,
    .levels = 5,
    .va_bits = 49,
    .pages = BIT(12) | BIT(16) | BIT(21),
    .dual = 3,
    .low_bit = {47, 38, 29, 21, 12, 16},
    .bits = {2, 9, 9, 8, 9, 5},
    .entry_shift = {3, 3, 3, 4, 3, 3, 3},
    .level = {0, 1, 2, 3, 4, 4},
    .forms = {1, 1, 1, 2, 1, 1},
    .form = {{V2_PDE(1, V2_ADDRESS, FIELD(2, 0))},
             {V2_PDE(2, V2_ADDRESS, FIELD(2, 0))},
             {V2_PDE(3, V2_ADDRESS, FIELD(2, 0))},
             {V2_PDE(5, V2_BIG, FIELD(2, 0)), V2_PTE(21, FIELD(2, 0), 0)},
             {V2_PTE(12, BIT(0), 0)},
             {V2_PTE(16, BIT(0), BIT(5))}},
    .other = V2_PDE(4, V2_ADDRESS, FIELD(2, 0))};

/*
 * Version 3, of GH100: src/common/inc/swref/published/hopper/gh100/dev_mmu.h of NVIDIA's
 * open-gpu-kernel-modules, NV_MMU_VER3_*, and for the levels kern_gmmu_fmt_gh10x.c there. Upper entries: bit
 * 0 clear, 2:1 aperture, 5:3 flags, 51:12 address. Leaves: bit 0 valid, 2:1 aperture, 7:3 permission flags
 * (of which 3 uncached, 4 privilege, 5 read only, 6 no atomics, 7 access counter), 11:8 kind, 39:12 address
 * (ADDRESS_VID). Level 3 may have leaves of 512 MB. The big half of a dual entry has address bits 51:8. A big
 * entry that is not valid with flags 3 (NO_VALID_4KB_PAGE) has no small pages.
 */
#define V3_ADDRESS FIELD(51, 12)
#define V3_VID     FIELD(39, 12)
#define V3_PDE(number, field)                                                                                \
    {                                                                                                        \
        .bits = ~((field) | FIELD(5, 3)), .value = BIT(1), .known = (field) | FIELD(5, 0),                   \
        .valid = FIELD(2, 0), .kind = BIT(0), .is = 0, .address = (field), .made = BIT(1), .next = (number)  \
    }
#define V3_FREE (BIT(3) | BIT(5) | BIT(7) | FIELD(11, 8))
#define V3_PTE(log2, valid_bits, ends_bits, ends_value)                                                      \
    {                                                                                                        \
        .bits = ~(V3_VID | V3_FREE) | (UNDER(log2, 0) & V3_VID), .value = BIT(0),                            \
        .known = V3_VID | V3_FREE | FIELD(2, 0), .valid = (valid_bits), .kind = BIT(0), .is = BIT(0),        \
        .address = V3_VID, .right = BIT(5), .read_only = BIT(5), .made = BIT(0), .ends = (ends_bits),        \
        .ends_is = (ends_value), .page_shift = (log2)                                                        \
    }

static const struct mp_page_format nvidia_v3 = {
    .name = "nvidia-v3",
    .page_shift = 12,
    .levels = 6,
    .va_bits = 57,
    .pages = BIT(12) | BIT(16) | BIT(21) | BIT(29),
    .dual = 4,
    .low_bit = {56, 47, 38, 29, 21, 12, 16},
    .bits = {1, 9, 9, 9, 8, 9, 5},
    .entry_shift = {3, 3, 3, 3, 4, 3, 3},
    .level = {0, 1, 2, 3, 4, 5, 5},
    .forms = {1, 1, 1, 2, 2, 1, 1},
    .form = {{V3_PDE(1, V3_ADDRESS)},
             {V3_PDE(2, V3_ADDRESS)},
             {V3_PDE(3, V3_ADDRESS)},
             {V3_PDE(4, V3_ADDRESS), V3_PTE(29, FIELD(2, 0), 0, 0)},
             {V3_PDE(6, FIELD(51, 8)), V3_PTE(21, FIELD(2, 0), 0, 0)},
             {V3_PTE(12, BIT(0), 0, 0)},
             {V3_PTE(16, BIT(0), FIELD(7, 3), BIT(3) | BIT(4))}},
    .other = V3_PDE(5, V3_ADDRESS)};

/* --- x86-64
 * ------------------------------------------------------------------------------------------------- */

/*
 * Four levels: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3A, section "4-Level
 * Paging and 5-Level Paging", tables of the structure of entries. Bit 0 present, 1 writable, 2 user, 3 and 4
 * caching, 5 accessed, 6 dirty, 7 large page (PS; in the last level a caching bit), 8 global, 51:12 address,
 * 63 no execution; 11:9 and 62:52 are for software. In a large leaf bit 12 is a caching bit, and the other
 * bits below the page are reserved. Addresses are canonical; those of applications are the lower half, so
 * that they have 47 bits. Accessed and dirty are set by the driver.
 */
#define X86_FREE    (FIELD(6, 3) | FIELD(11, 9) | FIELD(63, 52))
#define X86_ADDRESS FIELD(51, 12)
#define X86_RIGHTS  FIELD(2, 0)
#define X86_TABLE(number, kinds)                                                                             \
    {                                                                                                        \
        .bits = ~(X86_ADDRESS | X86_FREE | BIT(8)), .value = X86_RIGHTS,                                     \
        .known = X86_ADDRESS | X86_FREE | BIT(8) | X86_RIGHTS, .valid = BIT(0), .kind = (kinds), .is = 0,    \
        .address = X86_ADDRESS, .made = X86_RIGHTS | BIT(5), .next = (number)                                \
    }
#define X86_PAGE(log2, large, caching)                                                                       \
    {                                                                                                        \
        .bits = ~(FIELD(51, log2) | X86_FREE | BIT(8) | BIT(1) | (caching)),                                 \
        .value = BIT(0) | BIT(2) | (large),                                                                  \
        .known = FIELD(51, log2) | X86_FREE | BIT(8) | X86_RIGHTS | (large) | (caching), .valid = BIT(0),    \
        .kind = (large), .is = (large), .address = FIELD(51, log2), .right = BIT(1), .read_only = 0,         \
        .made = X86_RIGHTS | FIELD(6, 5) | (large), .page_shift = (log2)                                     \
    }

static const struct mp_page_format x86_64 = {.name = "x86-64",
                                             .page_shift = 12,
                                             .levels = 4,
                                             .va_bits = 47,
                                             .pages = BIT(12) | BIT(21) | BIT(30),
                                             .low_bit = {39, 30, 21, 12},
                                             .bits = {9, 9, 9, 9},
                                             .entry_shift = EIGHT_BYTES,
                                             .level = {0, 1, 2, 3},
                                             .forms = {1, 2, 2, 1},
                                             .form = {{X86_TABLE(1, 0)},
                                                      {X86_TABLE(2, BIT(7)), X86_PAGE(30, BIT(7), BIT(12))},
                                                      {X86_TABLE(3, BIT(7)), X86_PAGE(21, BIT(7), BIT(12))},
                                                      {X86_PAGE(12, 0, BIT(7))}}};

/* --- RISC-V
 * ------------------------------------------------------------------------------------------------- */

/*
 * Sv39 and Sv48: The RISC-V Instruction Set Manual, Volume II, chapter "Supervisor-Level ISA". Bit 0 valid, 1
 * readable, 2 writable, 3 executable, 4 user, 5 global, 6 accessed, 7 dirty, 9:8 for software, 53:10 address
 * / 4; 63:54 are reserved without extensions. An entry with bits 3:1 clear points to a table, and then 7, 6
 * and 4 are reserved, too. Every level may have leaves. Addresses are sign-extended, as above: 38 and 47
 * bits. Accessed and dirty are set by the driver.
 */
#define SV_ADDRESS FIELD(53, 10)
#define SV_TABLE(number)                                                                                     \
    {                                                                                                        \
        .bits = ~(SV_ADDRESS | FIELD(9, 8) | BIT(5)), .value = BIT(0),                                       \
        .known = SV_ADDRESS | FIELD(9, 8) | BIT(5) | BIT(0), .valid = BIT(0), .kind = FIELD(3, 1), .is = 0,  \
        .address = SV_ADDRESS, .made = BIT(0), .shift = 2, .next = (number)                                  \
    }
#define SV_PAGE(log2)                                                                                        \
    {                                                                                                        \
        .bits = ~(SV_ADDRESS | FIELD(9, 5) | FIELD(3, 2)) | (UNDER(log2, 2) & SV_ADDRESS),                   \
        .value = BIT(0) | BIT(1) | BIT(4), .known = SV_ADDRESS | FIELD(9, 0), .valid = BIT(0),               \
        .kind = BIT(1), .is = BIT(1), .address = SV_ADDRESS, .right = BIT(2), .read_only = 0,                \
        .made = FIELD(2, 0) | BIT(4) | FIELD(7, 6), .shift = 2, .page_shift = (log2)                         \
    }

static const struct mp_page_format sv39 = {
    .name = "sv39",
    .page_shift = 12,
    .levels = 3,
    .va_bits = 38,
    .pages = BIT(12) | BIT(21) | BIT(30),
    .low_bit = {30, 21, 12},
    .bits = {9, 9, 9},
    .entry_shift = EIGHT_BYTES,
    .level = {0, 1, 2},
    .forms = {2, 2, 1},
    .form = {{SV_TABLE(1), SV_PAGE(30)}, {SV_TABLE(2), SV_PAGE(21)}, {SV_PAGE(12)}}};

static const struct mp_page_format sv48 = {
    .name = "sv48",
    .page_shift = 12,
    .levels = 4,
    .va_bits = 47,
    .pages = BIT(12) | BIT(21) | BIT(30) | BIT(39),
    .low_bit = {39, 30, 21, 12},
    .bits = {9, 9, 9, 9},
    .entry_shift = EIGHT_BYTES,
    .level = {0, 1, 2, 3},
    .forms = {2, 2, 2, 1},
    .form = {
        {SV_TABLE(1), SV_PAGE(39)}, {SV_TABLE(2), SV_PAGE(30)}, {SV_TABLE(3), SV_PAGE(21)}, {SV_PAGE(12)}}};

const struct mp_page_format *const mp_page_formats[] = {&nvidia_v2, &nvidia_v3, &x86_64, &sv39, &sv48, NULL};

const struct mp_page_format *mp_page_format_find(const char *name, uint64_t page_bytes)
{
    if (!strcmp(name, "mempath"))
        return mp_page_format(page_bytes);
    for (const struct mp_page_format *const *f = mp_page_formats; *f; f++)
        if (!strcmp((*f)->name, name) && (*f)->pages & page_bytes && !(page_bytes & (page_bytes - 1)))
            return *f;
    return NULL;
}
