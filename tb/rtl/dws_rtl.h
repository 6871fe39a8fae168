/* SPDX-License-Identifier: Apache-2.0 */
/* A Verilated rtl/dws_scheduler.sv as a C interface: events in, responses and what its tables hold out. */
#ifndef MP_TB_DWS_RTL_H
#define MP_TB_DWS_RTL_H

#include "rtl/manner.h"
#include "rtl/verilated.h"
#include "walk/scheduler/dws_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order in which the RTL takes those of a clock. */
enum dws_rtl_kind { DWS_RTL_DONE, DWS_RTL_OWN, DWS_RTL_ENQ, DWS_RTL_KINDS };

/* Codes of dws_pkg.sv; the last is this side's, for a new owner has no response. */
enum dws_rtl_action { DWS_RTL_NO_ROOM, DWS_RTL_QUEUED, DWS_RTL_START, DWS_RTL_IDLE, DWS_RTL_OWNED };

struct dws_rtl_event {
    uint8_t kind;
    uint8_t walker; /* DONE, OWN */
    uint8_t tenant; /* ENQ; OWN: geometry's tenants or more is nobody */
    uint16_t id;    /* ENQ, below dws_rtl.ids */
};

struct dws_rtl_response {
    uint8_t action, walker, tenant;
    bool reset; /* there was one before the response, or before the event was taken */
    uint16_t id;
    uint32_t clocks; /* from the event's acceptance to the response */
    /* What the RTL did against the rules of its ports, an assertion of it that failed, or how it ended; NULL:
     * nothing. It lasts as long as the block. */
    const char *wrong;
};

/* The thresholds of struct mp_walk_rules in walks; those that cannot be reached: UINT16_MAX. */
struct dws_rtl_setup {
    bool plus;
    uint16_t epoch;
    uint16_t diff_thres[MP_WALK_RATIOS], queue_thres;
};

struct dws_state {
    struct mp_dws_state t; /* but diff_thres; wtm_tenant is geometry's tenants when nobody's */
    uint16_t diff_thres;   /* in walks, as above */
    uint32_t room;         /* a bit per tenant: a walk would be kept */
};

struct dws_rtl {
    struct rtl_verilated verilated;
    struct mp_walk_geometry g;
    uint32_t ids; /* at least a number for each walk that waits or is under way */
    bool timed;   /* two clocks from an event to its response, three when a walk leaves a queue */
    /* seed: of what registers and memories hold before the first reset. NULL: out of memory. */
    void *(*open)(const struct dws_rtl_setup *setup, uint64_t seed);
    /* Events that come in the same clock, at most one of a kind and by kind; until all have their responses,
     * or a reset came. */
    void (*events)(void *rtl, const struct dws_rtl_event *events, struct dws_rtl_response *responses,
                   unsigned n, struct rtl_manner manner);
    void (*state)(void *rtl, struct dws_state *state); /* NULL: it is not seen */
    uint32_t (*room)(const void *rtl);                 /* a bit per tenant: a walk would be kept */
};

extern const struct dws_rtl dws_rtl_16_12_2, dws_rtl_16_12_4, dws_rtl_4_2_2, dws_rtl_8_3_3;
extern const struct dws_rtl dws_rtl_16_12_2_lines; /* it counts */

#ifdef __cplusplus
}
#endif
#endif
