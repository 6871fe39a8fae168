/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/neidty/mp_neidty_directory.sv: the inputs of a clock in; its answer and
 * its entries out. */
#ifndef MP_RTL_NEIDTY_RTL_H
#define MP_RTL_NEIDTY_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEIDTY_RTL_ASID_W       8u
#define NEIDTY_RTL_VPN_W        36u
#define NEIDTY_RTL_MOST_ENTRIES 128u

/* A page is asid << NEIDTY_RTL_VPN_W | vpn, with these flags. */
#define NEIDTY_RTL_PAGE  (UINT64_MAX >> (64 - NEIDTY_RTL_ASID_W - NEIDTY_RTL_VPN_W))
#define NEIDTY_RTL_VALID (UINT64_C(1) << 63)
#define NEIDTY_RTL_LOCAL (UINT64_C(1) << 62) /* of a neighbour's inserted page: the TLB itself holds it */

/* Whose array changes, in the order in which the changes of a clock take effect. */
enum neidty_rtl_side { NEIDTY_OWN, NEIDTY_LEFT, NEIDTY_RIGHT, NEIDTY_SIDES };

/* The inputs of a clock. */
struct neidty_rtl_clock {
    uint64_t lookup;
    uint64_t evicted[NEIDTY_SIDES], inserted[NEIDTY_SIDES];
    bool empty; /* an address space, or everything, is invalidated */
    bool drop;  /* left's evicted page is invalidated, and nothing else changes */
};

struct neidty_rtl_answer {
    bool left, right;  /* which neighbour a miss asks */
    bool reset;        /* a reset came before the clock's edge */
    const char *wrong; /* as rtl_verilated.wrong */
};

/* The entries, the oldest first; bits are those of enum mp_directory_bit. Free entries are all zero. */
struct neidty_state {
    uint64_t tag[NEIDTY_RTL_MOST_ENTRIES];
    uint8_t bits[NEIDTY_RTL_MOST_ENTRIES];
};

struct neidty_rtl {
    struct rtl_verilated verilated;
    uint32_t entries, tag_bits;
    void *(*open)(uint64_t seed); /* returns NULL if memory runs out */
    void (*clock)(void *rtl, const struct neidty_rtl_clock *in, struct neidty_rtl_answer *answer,
                  struct rtl_manner manner);
    void (*state)(const void *rtl, struct neidty_state *state); /* NULL if the state is not visible */
};

#ifdef __cplusplus
}
#endif
#endif
