/* SPDX-License-Identifier: Apache-2.0 */
/* RTL inside a run, for any block (loop_tlb.c, loop_walks.c, ...): the RTL decides, or it is compared with
 * the model that decides. */
#ifndef MP_RTL_LOOP_H
#define MP_RTL_LOOP_H

#include "rtl/lockstep/lockstep.h"

/* The first member of a block in a run. */
struct rtl_loop {
    const struct mp_rtl_host *host;
    const struct rtl_verilated *rtl;
    void *block;                   /* set if the RTL decides */
    struct rtl_lockstep *lockstep; /* set if it is compared with the model */
    uint64_t transactions;
    struct rtl_window window; /* cycles */
    char trouble[320];
    bool over; /* the run must end; the RTL gets no more transactions */
};

/* Call before a transaction. */
void rtl_loop_begin(struct rtl_loop *l);

/* Ends the run, for this reason or for the lockstep's difference. */
__attribute__((format(printf, 2, 3))) void rtl_loop_end(struct rtl_loop *l, const char *format, ...);
void rtl_loop_differs(struct rtl_loop *l);

/* Closes the RTL that decides. */
void rtl_loop_close(struct rtl_loop *l);

/* Defines what the program loads for a run: struct mp_rtl_block with these members, and a view of the file's
 * report() and point(). */
#define RTL_LOOP_JOINED(a, b) a##b
#define RTL_LOOP_JOIN(a, b)   RTL_LOOP_JOINED(a, b)
#define RTL_LOOP_EXPORT(closes, ...)                                                                         \
    extern const struct mp_rtl_block RTL_LOOP_JOIN(mempath_rtl_, RTL_BLOCK);                                 \
    const struct mp_rtl_block RTL_LOOP_JOIN(mempath_rtl_,                                                    \
                                            RTL_BLOCK) = {.interface = MP_RTL_INTERFACE,                     \
                                                          .tools = VERILATOR_VERSION,                        \
                                                          .view = {.close = closes, RTL_LOOP_VIEW},          \
                                                          __VA_ARGS__}
#define RTL_LOOP_VIEW                                                                                        \
    .transactions = rtl_loop_transactions, .clocks = rtl_loop_clocks, .difference = rtl_loop_difference,     \
    .report = report, .point = point

/* Members of struct mp_rtl_view. */
uint64_t rtl_loop_transactions(const void *loop);
uint64_t rtl_loop_clocks(const void *loop);
const char *rtl_loop_difference(const void *loop);

#endif
