// SPDX-License-Identifier: Apache-2.0
#include "soc/record.h"

#include "gpu/configure.h"
#include "gpu/run/recorder.h"

namespace mp::soc
{

namespace
{

static_assert(MP_SOC_SPACES == MP_MGMT_SPACES, "run.h says how many there are to those who know no models");

using Counts = struct mp_hart_counts;

const mp_metric core_metrics[] = {
    MP_COUNTER_OF(Counts, instructions, "instructions", "begun by the core"),
    {"exceptions", "traps", "by cause", MP_HISTOGRAM_LINEAR, offsetof(Counts, exceptions), MP_TRAPS},
    {"interrupts", "traps", "by cause", MP_HISTOGRAM_LINEAR, offsetof(Counts, interrupts), MP_TRAPS},
};
const mp_metric_table core_table = {"core", sizeof(Counts), sizeof core_metrics / sizeof *core_metrics,
                                    core_metrics};

void add_block(void *self, const mp_plan_block *block, void *model)
{
    add_components(*static_cast<std::vector<Component> *>(self), *block, model, Component::shared);
}

} // namespace

int record(const mp_soc_run &run, const MigGpu &gpu, mp_soc_result *result, mp_error *err)
{
    std::vector<Component> components;
    mp_app_stats runs[MP_MGMT_SPACES];
    const mp_design &dispatch = gpu.model.machine.dispatch.policy->design;
    std::vector<uint64_t> dispatched[MP_MGMT_SPACES];
    mp_mig_visitor visitor{&components, add_block};
    mp_mig_visit(&gpu.model, &visitor);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        runs[a] = mp_mig_runs(&gpu.model, a);
        if (!(gpu.model.used >> a & 1))
            continue;
        const std::string path = "gpu.space" + std::to_string(a);
        components.push_back({path, "tenant", &mp_app_metrics, &runs[a], static_cast<int>(a), nullptr,
                              nullptr,
                              /*design=*/false, /*single=*/true});
        if (!dispatch.counters)
            continue;
        dispatched[a].resize(dispatch.counters->bytes / sizeof(uint64_t));
        mp_mig_dispatched(&gpu.model, a, dispatched[a].data());
        components.push_back({path + "." + dispatch.name, dispatch.name, dispatch.counters,
                              dispatched[a].data(), static_cast<int>(a), nullptr, nullptr, /*design=*/true,
                              /*single=*/true});
    }
    components.push_back(
        {"soc.core", "core", &core_table, &result->counts, Component::unused, nullptr, nullptr});

    const mp_counter_name translations = mp_machine_translations(&gpu.model.machine);
    Recorder recorder(components, MP_MGMT_SPACES, run.db);
    recorder.freeze_others();
    result->cycles = gpu.model.wheel->now;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        if (!(gpu.model.used >> a & 1))
            continue;
        recorder.freeze(a);
        mp_soc_space &s = result->space[a];
        s.used = true;
        s.cycles = runs[a].cycles;
        s.instructions = runs[a].instructions;
        s.accesses = runs[a].accesses;
        s.completions = runs[a].completions;
        s.translations = recorder.sum(translations.level, translations.metric, a);
        s.walks = recorder.sum("walk", "walks", a);
        s.faults = recorder.sum("walk", "faults", a);
        result->instructions += s.instructions;
        result->accesses += s.accesses;
        result->translations += s.translations;
    }
    recorder.digest(result->digest);
    return run.db ? recorder.write(err) : 0;
}

} // namespace mp::soc
