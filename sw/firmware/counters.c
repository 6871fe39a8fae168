/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include <inttypes.h>

#include "gpu.h"
#include "print.h"

/* Lines of the report: a counter, and the counter that it is a part of. */
static const struct {
    const char *name;
    uint8_t counter, of;
} lines[] = {
    {"cycles", MP_MGMT_CYCLES, MP_MGMT_CYCLES},
    {"instructions", MP_MGMT_INSTRUCTIONS, MP_MGMT_INSTRUCTIONS},
    {"accesses", MP_MGMT_ACCESSES, MP_MGMT_ACCESSES},
    {"L1 TLB lookups", MP_MGMT_L1_TLB_LOOKUPS, MP_MGMT_L1_TLB_LOOKUPS},
    {"L1 TLB misses", MP_MGMT_L1_TLB_MISSES, MP_MGMT_L1_TLB_LOOKUPS},
    {"L2 TLB lookups", MP_MGMT_L2_TLB_LOOKUPS, MP_MGMT_L2_TLB_LOOKUPS},
    {"L2 TLB misses", MP_MGMT_L2_TLB_MISSES, MP_MGMT_L2_TLB_LOOKUPS},
    {"L3 TLB lookups", MP_MGMT_L3_TLB_LOOKUPS, MP_MGMT_L3_TLB_LOOKUPS},
    {"L3 TLB misses", MP_MGMT_L3_TLB_MISSES, MP_MGMT_L3_TLB_LOOKUPS},
    {"page walks", MP_MGMT_WALKS, MP_MGMT_WALKS},
    {"cycles walking", MP_MGMT_WALK_CYCLES, MP_MGMT_WALK_CYCLES},
    {"walks that faulted", MP_MGMT_WALK_FAULTS, MP_MGMT_WALKS},
};

enum fw_error counters_read(unsigned asid, struct counters *c)
{
    return gpu_count(asid, c->value);
}

struct counters counters_since(const struct counters *now, const struct counters *before)
{
    struct counters c;
    for (unsigned i = 0; i < MP_MGMT_COUNTERS; i++)
        c.value[i] = now->value[i] - before->value[i];
    return c;
}

void counters_print(const struct counters *c)
{
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint64_t value = c->value[lines[i].counter], of = c->value[lines[i].of];
        print("  %-18s %12" PRIu64, lines[i].name, value);
        if (lines[i].of != lines[i].counter && of) {
            uint64_t permille = value * 1000 / of;
            print("  %3" PRIu64 ".%" PRIu64 " %%", permille / 10, permille % 10);
        }
        print("\n");
    }
}
