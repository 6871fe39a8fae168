// SPDX-License-Identifier: Apache-2.0
#include "gpu/estimate_run.h"

#include <new>

namespace mp
{

namespace
{

// The counters of which a count is the sum.
const struct {
    mp_estimate_count count;
    const char *kind, *metric;
} sources[] = {
    {MP_COUNT_INSTRUCTIONS, "sm", "issued"},        {MP_COUNT_L1_LOOKUPS, "l1_tlb", "lookups"},
    {MP_COUNT_L1_HITS, "l1_tlb", "hits"},           {MP_COUNT_L2_LOOKUPS, "l2_tlb", "lookups"},
    {MP_COUNT_L2_HITS, "l2_tlb", "hits"},           {MP_COUNT_L3_LOOKUPS, "l3_tlb", "lookups"},
    {MP_COUNT_L3_HITS, "l3_tlb", "hits"},           {MP_COUNT_WALKS, "walk", "walks"},
    {MP_COUNT_WALK_CYCLES, "walk", "queue_cycles"}, {MP_COUNT_WALK_CYCLES, "walk", "walk_cycles"},
};

} // namespace

Estimate::Estimate(Gpu &gpu, const std::vector<gwt_reader *> &readers, double error)
    : counters_(gpu.apps.size()), kept_(gpu.apps.size())
{
    mp_estimate_params p{};
    p.error = error;
    p.tenants = static_cast<unsigned>(gpu.apps.size());
    p.count = count;
    p.self = this;
    for (unsigned t = 0; t < p.tenants; t++) {
        p.app[t] = &gpu.apps[t];
        p.instructions[t] = gwt_totals(readers[t])->instructions;
        for (const auto &s : sources)
            gpu.find_counters(s.kind, s.metric, t, &counters_[t][s.count]);
    }
    model_.reset(mp_estimate_new(gpu.kernel.wheel(), &p));
    if (!model_)
        throw std::bad_alloc();
    gpu.on_kernel = [this](unsigned tenant) { mp_estimate_begins(model_.get(), tenant); };
}

uint64_t Estimate::count(void *self, unsigned tenant, mp_estimate_count count)
{
    uint64_t sum = 0;
    for (const uint64_t *at : static_cast<Estimate *>(self)->counters_[tenant][count])
        sum += *at;
    return sum;
}

void Estimate::result(mp_result *result) const
{
    result->estimated = true;
    result->detail = mp_estimate_detail(model_.get());
    for (size_t t = 0; t < kept_.size(); t++)
        result->estimate[t] = kept_[t];
}

} // namespace mp
