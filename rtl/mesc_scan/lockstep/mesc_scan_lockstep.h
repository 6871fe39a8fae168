/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's scan and the C model, one frame at a time: the entry of the table after the scan, the
 * answer, the numbers of accesses, and the clocks of a calm scan must be those of the model; each access must
 * be that of Algorithm 1 (mesc_scan_table.h). While a table changes during a scan, Algorithm 1 alone decides,
 * because the model scans at once. A reset may end a scan: then its accesses are the first ones of it. */
#ifndef MP_RTL_MESC_SCAN_LOCKSTEP_H
#define MP_RTL_MESC_SCAN_LOCKSTEP_H

#include <signal.h>
#include <stdio.h>

#include "rtl/lockstep/lockstep.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_rtl.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_table.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mesc_scan_lockstep;

/* seed: for the RTL's state before its first reset. Returns NULL if memory runs out. */
struct mesc_scan_lockstep *mesc_scan_lockstep_new(const struct mesc_scan_rtl *rtl, uint64_t seed);
void mesc_scan_lockstep_free(struct mesc_scan_lockstep *l);
struct rtl_lockstep *mesc_scan_lockstep_base(struct mesc_scan_lockstep *l); /* transactions are scans */
const struct mesc_scan_rtl *mesc_scan_lockstep_rtl(const struct mesc_scan_lockstep *l);
/* Turns the RTL into its mutant of this number, and resets it. */
void mesc_scan_lockstep_mutate(struct mesc_scan_lockstep *l, unsigned mutant);

/* The table of the next scan: as the scan before has left it, at first without any page. It may be changed.
 */
struct scan_table *mesc_scan_lockstep_table(struct mesc_scan_lockstep *l);

/* Scans the table by both. Returns false if RTL and model differ; make no more calls then. */
bool mesc_scan_lockstep_step(struct mesc_scan_lockstep *l, struct rtl_manner manner);

/* Scans constrained-random tables from the seed, driven calmly and roughly in turn (manner.h), with resets,
 * until this number is reached, RTL and model differ (false), or *stop is set (NULL: never). */
bool mesc_scan_lockstep_random(struct mesc_scan_lockstep *l, uint64_t seed, uint64_t scans,
                               const volatile sig_atomic_t *stop);

/* Coverage by number, from 0; false after the last. */
bool mesc_scan_lockstep_point(const struct mesc_scan_lockstep *l, unsigned number,
                              char name[MP_RTL_POINT_NAME], struct mp_rtl_point *point);
/* Whether neither this session nor an earlier one of the run has met the point. */
bool mesc_scan_lockstep_open(const struct mesc_scan_lockstep *l, unsigned number);
/* Reports the RTL's lines (lines.h). */
bool mesc_scan_lockstep_lines(const struct mesc_scan_lockstep *l, rtl_each_line *each, void *to);

/* Prints the first difference: the answers, the first access that differs, and the subregions whose bits
 * differ. full: all subregions. */
void mesc_scan_lockstep_report(const struct mesc_scan_lockstep *l, FILE *out, bool full);

#ifdef __cplusplus
}
#endif
#endif
