/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/l1_tlb/mp_l1_tlb.sv: the inputs of a clock in; its answer and its entries
 * out. */
#ifndef MP_RTL_L1_TLB_RTL_H
#define MP_RTL_L1_TLB_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"

#ifdef __cplusplus
extern "C" {
#endif

#define L1_TLB_ASID_W       8u
#define L1_TLB_VPN_W        36u
#define L1_TLB_PAGE_W       (L1_TLB_ASID_W + L1_TLB_VPN_W) /* a page is asid << L1_TLB_VPN_W | vpn */
#define L1_TLB_FRAME_W      36u
#define L1_TLB_MOST_ENTRIES 32u

enum l1_tlb_change { L1_TLB_NONE, L1_TLB_INSERT, L1_TLB_DROP };

/* The inputs of a clock. */
struct l1_tlb_rtl_clock {
    uint64_t lookup; /* a page */
    bool use;        /* it is looked up; otherwise only the answer is shown */
    bool empty;      /* the array is emptied, and the change has no effect */
    enum l1_tlb_change change;
    uint64_t page, frame; /* of the change */
};

struct l1_tlb_rtl_answer {
    bool hit, evicted;
    uint64_t frame, page; /* of the hit; that is evicted. 0 if there is none */
    bool reset;           /* a reset came before the clock's edge */
    const char *wrong;    /* as rtl_verilated.wrong */
};

/* The entries, the most recent first. */
struct l1_tlb_state {
    struct l1_tlb_entry {
        bool valid;
        uint64_t page, frame;
    } entry[L1_TLB_MOST_ENTRIES];
};

struct l1_tlb_rtl {
    struct rtl_verilated verilated;
    uint32_t entries;
    void *(*open)(uint64_t seed); /* returns NULL if memory runs out */
    void (*clock)(void *rtl, const struct l1_tlb_rtl_clock *in, struct l1_tlb_rtl_answer *answer,
                  struct rtl_manner manner);
    void (*state)(const void *rtl, struct l1_tlb_state *state); /* NULL if the state is not visible */
};

#ifdef __cplusplus
}
#endif
#endif
