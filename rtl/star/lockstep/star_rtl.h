/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/star/mp_star_tlb.sv or rtl/star/mp_star_tlb_set.sv: requests in; responses
 * and the contents of its memories out. */
#ifndef MP_RTL_STAR_RTL_H
#define MP_RTL_STAR_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of the designs: the defaults of mp_star_tlb.sv, but a design may have fewer sets;
 * mp_star_tlb_set.sv is one set. */
#define STAR_RTL_SETS    128u
#define STAR_RTL_WAYS    8u
#define STAR_RTL_SUBS    16u
#define STAR_RTL_ASID_W  8u
#define STAR_RTL_VPB_W   22u
#define STAR_RTL_FRAME_W 51u
#define STAR_RTL_VPN_W   33u /* VPB_W + log2 SETS + log2 SUBS */
#define STAR_RTL_MODES   3u

/* Codes of mp_star_pkg.sv. */
enum star_rtl_op {
    STAR_RTL_LOOKUP,
    STAR_RTL_INSERT,
    STAR_RTL_INVALIDATE_PAGE,
    STAR_RTL_INVALIDATE_ASID,
    STAR_RTL_INVALIDATE_ALL
};
enum star_rtl_action {
    STAR_RTL_MISS,
    STAR_RTL_HIT,
    STAR_RTL_UPDATE,
    STAR_RTL_REPLACE,
    STAR_RTL_VACANT,
    STAR_RTL_SHARE_SEQUENTIAL,
    STAR_RTL_SHARE_STRIDE,
    STAR_RTL_SHARE4,
    STAR_RTL_REVERT,
    STAR_RTL_REVERT4,
    STAR_RTL_EVICT,
    STAR_RTL_INVALIDATED,
    STAR_RTL_ACTIONS
};
enum star_rtl_policy { STAR_RTL_DYNAMIC, STAR_RTL_SEQUENTIAL, STAR_RTL_STRIDE, STAR_RTL_LONE };

/* Whether the layout of two bases follows an entry's pattern. */
static inline bool star_rtl_is_dynamic(enum star_rtl_policy policy)
{
    return policy == STAR_RTL_DYNAMIC || policy == STAR_RTL_LONE;
}

struct star_rtl_request {
    enum star_rtl_op op;
    uint16_t asid;
    uint64_t vpn, frame;
    struct rtl_manner manner;
};

struct star_rtl_response {
    uint8_t action, way, base;
    bool reset; /* a reset came before the response was accepted; the other fields are not set */
    uint32_t gone;
    uint32_t clocks; /* from the request's acceptance to the response */
    uint64_t frame;
    /* How the RTL broke the rules of its ports, which assertion failed, or how it ended; NULL if nothing is
     * wrong. The text lasts as long as the block. */
    const char *wrong;
};

struct star_rtl {
    struct rtl_verilated verilated;
    unsigned mode;
    uint32_t sets;  /* a power of two, STAR_RTL_SETS at most */
    uint32_t words; /* of an entry */
    bool timed;     /* a lookup takes 3 clocks, and one for each base position after the first */
    /* stride: log2; seed: for registers and memories before the first reset. Returns a block that is reset
     * and ready for requests, or NULL if memory runs out. */
    void *(*open)(enum star_rtl_policy policy, unsigned stride, uint64_t seed);
    void (*request)(void *rtl, const struct star_rtl_request *request, struct star_rtl_response *response);
    /* The next two are NULL if the state is not visible. */
    const uint32_t *(*entry)(const void *rtl, uint32_t set, uint32_t way); /* bit 0 first */
    uint32_t (*order)(const void *rtl, uint32_t set);                      /* as in mp_lru_order.sv */
};

#ifdef __cplusplus
}
#endif
#endif
