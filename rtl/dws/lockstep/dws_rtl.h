/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/dws/mp_dws_scheduler.sv: events in; responses and the contents of its
 * tables out.
 */
#ifndef MP_RTL_DWS_RTL_H
#define MP_RTL_DWS_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"
#include "walk/scheduler/dws_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order in which the RTL accepts the events of a clock. */
enum dws_rtl_kind { DWS_RTL_DONE, DWS_RTL_OWN, DWS_RTL_ENQ, DWS_RTL_KINDS };

/* Codes of mp_dws_pkg.sv. The last is only used here, because a new owner has no response. */
enum dws_rtl_action { DWS_RTL_NO_ROOM, DWS_RTL_QUEUED, DWS_RTL_START, DWS_RTL_IDLE, DWS_RTL_OWNED };

struct dws_rtl_event {
    uint8_t kind;
    uint8_t walker; /* DONE, OWN */
    uint8_t tenant; /* ENQ; OWN: the number of tenants or more means no owner */
    uint16_t id;    /* ENQ, below dws_rtl.ids */
};

struct dws_rtl_response {
    uint8_t action, walker, tenant;
    bool reset; /* a reset came before the response, or before the event was accepted */
    uint16_t id;
    uint32_t clocks; /* from the event's acceptance to the response */
    /* How the RTL broke the rules of its ports, which assertion failed, or how it ended; NULL if nothing is
     * wrong. The text lasts as long as the block. */
    const char *wrong;
};

/* The thresholds of struct mp_walk_rules in walks; UINT16_MAX if a threshold cannot be reached. */
struct dws_rtl_setup {
    bool plus;
    uint16_t epoch;
    uint16_t diff_thres[MP_WALK_RATIOS], queue_thres;
};

struct dws_state {
    struct mp_dws_state
        t; /* without diff_thres; wtm_tenant is the number of tenants if a walker has no owner */
    uint16_t diff_thres; /* in walks, as above */
    uint32_t room;       /* a bit per tenant: whether a walk would be kept */
};

struct dws_rtl {
    struct rtl_verilated verilated;
    struct mp_walk_geometry g;
    uint32_t ids; /* at least the number of walks that can wait or be in flight */
    bool timed;   /* two clocks from an event to its response, three when a walk leaves a queue */
    /* seed: for registers and memories before the first reset. Returns NULL if memory runs out. */
    void *(*open)(const struct dws_rtl_setup *setup, uint64_t seed);
    /* Sends events in the same clock, at most one of each kind, sorted by kind. Returns when all have their
     * responses, or after a reset. */
    void (*events)(void *rtl, const struct dws_rtl_event *events, struct dws_rtl_response *responses,
                   unsigned n, struct rtl_manner manner);
    /* Epoch and thresholds of the next events; `plus` stays. */
    void (*rules)(void *rtl, const struct dws_rtl_setup *setup);
    void (*state)(void *rtl, struct dws_state *state); /* NULL if the state is not visible */
    uint32_t (*room)(const void *rtl);                 /* a bit per tenant: whether a walk would be kept */
};

#ifdef __cplusplus
}
#endif
#endif
