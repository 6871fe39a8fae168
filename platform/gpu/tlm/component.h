// SPDX-License-Identifier: Apache-2.0
// A source of counters that are recorded: a block, a design that a block uses, or an application.
#ifndef MP_GPU_COMPONENT_H
#define MP_GPU_COMPONENT_H

#include <string>
#include <vector>

#include "gpu/plan.h"

namespace mp
{

struct Component {
    std::string path, kind;
    const mp_metric_table *table;
    void *stats;                                   // one structure per tenant, unless `single`
    int tenant;                                    // the only tenant that it serves, or shared, or unused
    const mp_block_kind *block;                    // nullptr unless it is a block of a plan
    void *model;                                   // of that block
    bool design = false;                           // the counters are those that a design brings
    bool single = false;                           // stats is one structure, for the only tenant
    uint32_t group = 0;                            // of the block (gpu/split.h)
    bool rare = false;                             // recorded only if they are not all zero
    static constexpr int shared = -1, unused = -2; // shared: serves all tenants; unused: serves none
};

// Adds a block of a plan, and those of its designs that have counters: gpu.l3_tlb, gpu.l3_tlb.mask.
void add_components(std::vector<Component> &to, const mp_plan_block &block, void *model, int tenant);

} // namespace mp

#endif
