/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address maps over GF(2): each bit of a module's, an L2 set's and a DRAM bank's number is the XOR of some
 * bits of the physical address. A function is the mask of these bits, bit i of the mask for address bit i. A
 * list of functions gives a number, bit 0 first.
 */
#ifndef MP_MAP_GF2_H
#define MP_MAP_GF2_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_GF2_LINE_SHIFT 7u /* no function has a lower bit */
#define MP_GF2_ROW_BYTES  2048u
#define MP_GF2_MODULE     5u /* functions at most */
#define MP_GF2_BANK       9u
#define MP_GF2_SET        10u

/* The functions of a machine. Modules are a subspace both of the banks and of the sets, so that no two
 * modules share a bank or a set. */
struct mp_gf2 {
    const char *name;
    uint32_t address_bits;         /* of its memory */
    uint32_t row_shift;            /* an aligned block of 2^row_shift B has one row of each bank */
    uint32_t modules, banks, sets; /* numbers of functions, not of modules */
    uint64_t module[MP_GF2_MODULE], bank[MP_GF2_BANK], set[MP_GF2_SET];
};

/* Fractional GPUs, Figure 6, and the masks of the authors' published driver. */
extern const struct mp_gf2 mp_gf2_gtx1080, mp_gf2_v100;
extern const struct mp_gf2 *const mp_gf2_machines[]; /* ends with NULL */

const struct mp_gf2 *mp_gf2_find(const char *name); /* NULL if there is none */

/* A machine of the same geometry whose functions follow from the seed. */
void mp_gf2_hide(struct mp_gf2 *hidden, const struct mp_gf2 *published, uint64_t seed);

/* Brings n functions into the reduced form of their span: the lowest bit of a function leads it, no leading
 * bit is in another function, and leading bits ascend. Equal spans have equal reduced forms. Returns the
 * rank, the number of functions that are left. */
unsigned mp_gf2_reduce(uint64_t *function, unsigned n);

/* The number that n functions give for an address, bit by bit; for what is not asked for at each access. */
static inline uint32_t mp_gf2_number(const uint64_t *function, unsigned n, uint64_t pa)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < n; i++)
        number |= (uint32_t)__builtin_parityll(pa & function[i]) << i;
    return number;
}

/* All numbers of an address by one look-up per byte of the line's number. */
struct mp_gf2_tables {
    uint32_t part[4][256];
    uint32_t row_shift;
};

struct mp_gf2_place {
    uint32_t module, set, bank; /* set and bank count those of all modules */
    uint32_t module_bank;       /* the bank among those of its module */
};

void mp_gf2_tables_init(struct mp_gf2_tables *t, const struct mp_gf2 *machine);

static inline struct mp_gf2_place mp_gf2_place(const struct mp_gf2_tables *t, uint32_t line)
{
    uint32_t packed = t->part[0][line & 255] ^ t->part[1][line >> 8 & 255] ^ t->part[2][line >> 16 & 255] ^
                      t->part[3][line >> 24];
    struct mp_gf2_place place; /* C++ includes this, too */
    place.set = packed & 1023;
    place.module = packed >> 10 & 31;
    place.bank = packed >> 15 & 511;
    place.module_bank = packed >> 24;
    return place;
}

#ifdef __cplusplus
}
#endif
#endif
