/* SPDX-License-Identifier: Apache-2.0 */
/* What all locksteps of RTL and model share (star_lockstep.h, dws_lockstep.h). */
#ifndef MP_RTL_LOCKSTEP_H
#define MP_RTL_LOCKSTEP_H

#include <stdbool.h>

#include "rtl/lockstep/lines.h"
#include "rtl/lockstep/verilated.h"
#include "rtl/lockstep/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first member of a lockstep. */
struct rtl_lockstep {
    const struct rtl_verilated *rtl;
    void *block; /* the Verilated design */
    struct rtl_window window;
    uint64_t session; /* transactions of the sessions before this one */
    volatile uint64_t *pulse;
    uint64_t transactions, resets;
    /* By the number of a point: earlier sessions of the run have met it. NULL if there are none. Random
     * transactions aim at points that neither those nor this session has met. */
    const bool *met;
    bool fresh;  /* nothing was compared since the last reset */
    bool broken; /* the RTL broke a rule of its ports, failed an assertion, or ended */
    char difference[256];
};

/* Makes this a session of a longer run in which `before` transactions came first; they count in reports and
 * waves. Waves are written while transactions of these numbers, from 1, are in flight. *pulse is set to the
 * number of each transaction, for other processes; it may be NULL. */
void rtl_lockstep_session(struct rtl_lockstep *l, uint64_t before, const struct mp_rtl_waves *waves,
                          volatile uint64_t *pulse);

/* Call before the transaction of this number in the session. */
static inline void rtl_lockstep_begin(struct rtl_lockstep *l, uint64_t number)
{
    if (l->pulse)
        *l->pulse = l->session + number;
    rtl_window_at(&l->window, l->session + number, l->rtl->waves, l->block);
}

/* Writes waves to the file while the RTL processes the transaction of this number; with a NULL file, stops.
 */
void rtl_lockstep_waves(struct rtl_lockstep *l, const char *file, uint64_t number);

/* X_lockstep_point() of a lockstep. */
typedef bool rtl_lockstep_points(const void *lockstep, unsigned number, char name[MP_RTL_POINT_NAME],
                                 struct mp_rtl_point *point);

/* Draws one of the points that neither this session nor an earlier one of the run has met. Returns its
 * number, or -1 if all are met. lockstep: the whole, as `point` takes it. */
int rtl_lockstep_aim(const struct rtl_lockstep *l, rtl_lockstep_points *point, const void *lockstep,
                     uint64_t random);

uint64_t rtl_lockstep_clocks(const struct rtl_lockstep *l); /* of the RTL */

/* Returns the first difference in a line ("walk", "state of set 5", ...), or NULL if there is none. If
 * l->broken, it is a sentence about what the RTL did. */
const char *rtl_lockstep_difference(const struct rtl_lockstep *l);

/* Set the difference, and return false. */
__attribute__((format(printf, 2, 3))) bool rtl_lockstep_differs(struct rtl_lockstep *l, const char *format,
                                                                ...);
bool rtl_lockstep_breaks(struct rtl_lockstep *l, const char *what);

/* ---- members of struct mp_rtl_view for objects that begin with a pointer to a lockstep ---- */

uint64_t rtl_view_transactions(const void *object);
uint64_t rtl_view_resets(const void *object);
uint64_t rtl_view_clocks(const void *object);
const char *rtl_view_difference(const void *object);
bool rtl_view_broken(const void *object);

#ifdef __cplusplus
}
#endif
#endif
