// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/component.h"

namespace mp
{

void add_components(std::vector<Component> &to, const mp_plan_block &block, void *model, int tenant)
{
    const mp_block_kind &kind = *block.kind;
    to.push_back(
        {block.path, block.level, kind.metrics, kind.stats(model), tenant, &kind, model, /*design=*/false});
    mp_block_design designs[MP_BLOCK_DESIGNS];
    unsigned n = kind.designs ? kind.designs(model, designs) : 0;
    for (unsigned i = 0; i < n; i++)
        to.push_back({std::string(block.path) + "." + designs[i].design->name, designs[i].design->name,
                      designs[i].design->counters, designs[i].stats, tenant, nullptr, nullptr,
                      /*design=*/true});
    for (const auto &rare : kind.rare) {
        if (!rare.metrics || !rare.stats(model))
            continue;
        to.push_back({std::string(block.path) + "." + rare.metrics->kind,
                      std::string(kind.name) + "_" + rare.metrics->kind, rare.metrics, rare.stats(model),
                      tenant, nullptr, nullptr, /*design=*/true});
        to.back().rare = true;
    }
}

} // namespace mp
