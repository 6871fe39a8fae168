/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/mesc_tlb/mp_mesc_tlb.sv: requests in; responses and its entries out. */
#ifndef MP_RTL_MESC_TLB_RTL_H
#define MP_RTL_MESC_TLB_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MESC_TLB_ASID_W    8u
#define MESC_TLB_VPN_W     36u
#define MESC_TLB_PFN_W     36u
#define MESC_TLB_MOST_WAYS 16u
#define MESC_TLB_MOST_SETS 32u
#define MESC_SUBREGIONS    8u /* of a frame of 2 MB */

/* Codes of mp_mesc_tlb_pkg.sv. */
enum mesc_tlb_rtl_op {
    MESC_LOOKUP,
    MESC_INSERT_PAGE,
    MESC_INSERT_SUBREGIONS,
    MESC_INVALIDATE_PAGE,
    MESC_INVALIDATE_ASID,
    MESC_INVALIDATE_ALL
};
enum mesc_tlb_rtl_action {
    MESC_MISS,
    MESC_HIT_PAGE,
    MESC_HIT_SUBREGIONS,
    MESC_UPDATE,
    MESC_VACANT,
    MESC_EVICT,
    MESC_INVALIDATED,
    MESC_ACTIONS
};

struct mesc_tlb_rtl_request {
    enum mesc_tlb_rtl_op op;
    uint16_t asid;
    uint64_t vpn, pfn; /* pfn: of the page */
    bool read_only;
    uint8_t first, last; /* subregions of the page's frame; the page's is one of them */
    struct rtl_manner manner;
};

struct mesc_tlb_rtl_response {
    uint8_t action, way;
    bool read_only;
    bool reset;      /* a reset came before the response was accepted; the other fields are not set */
    uint32_t clocks; /* from the request's acceptance to the response */
    uint64_t pfn;
    const char *wrong; /* as rtl_verilated.wrong */
};

/* A way of a set. Vacant ones are all zero, except for the rank. */
struct mesc_way {
    uint64_t vpn, pfn; /* of the first page */
    uint16_t pages;    /* 0: vacant */
    uint16_t asid;
    bool subregions, read_only;
    uint8_t spare; /* bits of the tag that a subregion entry does not use */
    uint8_t rank;  /* how many ways of the set were used more recently */
};

struct mesc_set {
    struct mesc_way way[MESC_TLB_MOST_WAYS];
};

struct mesc_tlb_rtl {
    struct rtl_verilated verilated;
    uint32_t sets, ways, sub_ways; /* sub_ways 0: without subregion entries */
    bool timed;                    /* a lookup takes 3 clocks, or 4 if subregion entries missed */
    /* seed: for registers and memories before the first reset. Returns a block that is reset and ready for
     * requests, or NULL if memory runs out. */
    void *(*open)(uint64_t seed);
    void (*request)(void *rtl, const struct mesc_tlb_rtl_request *request,
                    struct mesc_tlb_rtl_response *response);
    void (*state)(const void *rtl, uint32_t set, struct mesc_set *state); /* NULL if it is not visible */
};

#ifdef __cplusplus
}
#endif
#endif
