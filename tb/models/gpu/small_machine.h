/* SPDX-License-Identifier: Apache-2.0 */
/* A machine of three GPC slices with two TPCs of two SMs each, for the tests of plans and of instances. */
#ifndef MP_TB_SMALL_MACHINE_H
#define MP_TB_SMALL_MACHINE_H

#include "../engine/fakes.h"

#include "gpu/plan.h"

#define PAGE      4096ull
#define PER_SLICE (1ull << 24) /* bytes of memory */

enum { SLICES = 3, TPCS = 2, SMS_PER_TPC = 2, SLICE_SMS = TPCS * SMS_PER_TPC, SMS = SLICES * SLICE_SMS };

/* Not divided yet; walks take a fixed latency. */
struct mp_machine small_machine(void);

/* The plan of the machine; the test fails if there is none. */
struct mp_plan plan_of(const struct mp_machine *m);

/* The block with that path; the test fails if there is none. */
const struct mp_plan_block *block_at(const struct mp_plan *plan, const char *path);

/* The paths of all blocks in order, one after the other with a blank between them, as far as they match the
 * level (NULL: every level). Valid until the next call. */
const char *paths(const struct mp_plan *plan, const char *level);

/* The links of a block, e.g. "0>gpu.l3_tlb:2/1": out link, target, port, mask of tenants in hexadecimal.
 * Valid until the next call. */
const char *links(const struct mp_plan *plan, const char *path);

#endif
