// SPDX-License-Identifier: Apache-2.0
#include "platform.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "gpu/configure.h"
#include "gpu/run/block_log.h"
#include "gpu/run/fault_log.h"
#include "gpu/run/run.h"
#include "gpu/run/session.h"
#include "gpu/run/walk_log.h"
#include "gpu/tlm/plugin.h"
#include "gpu/tlm/tap.h"

// libsystemc's main would call this function; mempath has its own main.
int sc_main(int, char **)
{
    return 0;
}

namespace
{

using namespace mp;

// SystemC prints on stdout, which is for results.
void report(const sc_core::sc_report &r, const sc_core::sc_actions &actions)
{
    if (r.get_severity() == sc_core::SC_WARNING)
        std::fprintf(stderr, "mempath: SystemC: %s\n", r.get_msg());
    if (actions & sc_core::SC_THROW)
        throw r;
}

struct CloseFile {
    void operator()(std::FILE *f) const { std::fclose(f); }
};

// ---- observed links ----

struct Observation {
    std::unique_ptr<std::FILE, CloseFile> file;
    std::unique_ptr<Hook> hook;
};

// What --observe names: the TLBs of a level, the array of its TLB, page walks, a block of RTL, or the paths
// of blocks.
struct Observed {
    bool array, walks;
    std::string level, pattern; // level: empty if it names none
};

Observed observed_of(const mp_run &run)
{
    const std::string name = run.observe, array = "_array";
    if (run.writer)
        return {false, false, "", name};
    size_t end = name.size() > array.size() ? name.size() - array.size() : 0;
    bool is_array = name.compare(end, array.size(), array) == 0, walks = name == "walks";
    const std::string level = is_array ? name.substr(0, end) : name;
    if (mp_config_tlb(run.config, level.c_str()) >= 0)
        return {is_array, false, level, "gpu*." + level};
    return {false, walks, "", walks ? "gpu*.walk*" : name};
}

// Returns the number of blocks with incoming links that have this path. *paths lists the paths of all such
// blocks.
unsigned count_paths(const mp_config &config, const std::string &pattern, std::string *paths, mp_error *err)
{
    mp_machine machine;
    mp_plan plan;
    unsigned found = 0;
    mp_machine_configure(&machine, &config);
    if (mp_plan_init(&plan, &machine, err))
        throw Refused(err->text);
    for (uint32_t i = 0; i < plan.blocks; i++)
        found += plan.block[i].ins && Hook(pattern).wants(plan.block[i]);
    *paths = paths_of(plan);
    mp_plan_free(&plan);
    return found;
}

int refuse_observation(const mp_run &run, const Observed &o, mp_error *err)
{
    const char *last = mp_machine_last_tlb()->name;
    std::string paths;
    if (!o.level.empty() && mp_config_need_level(run.config, o.level.c_str(), "--observe", run.observe, err))
        return -1;
    if (o.walks && mp_config_walk_systems(run.config) > 1)
        return mp_fail(err,
                       "--observe walks: %s has %u page-walk systems; one for all (machine.sharing = mps, "
                       "walk.per = instance), or a single tenant",
                       run.config->name, mp_config_walk_systems(run.config));
    unsigned n = count_paths(*run.config, o.pattern, &paths, err);
    if (run.writer && !run.writer->scan && !run.writer->prefetch && n != 1)
        return mp_fail(err, "--observe: %u blocks are %s; one, by its path, as in BLOCK:PATH: %s", n,
                       run.observe, paths.c_str());
    if (!n || (o.array && n > 1))
        return mp_fail(err,
                       "--observe: no link '%s'; %s, %s_array, walks, faults, or the path of a block: %s",
                       run.observe, last, last, paths.c_str());
    return 0;
}

// Each instance with managed memory has a server of page faults.
int refuse_faults(const mp_config &config, mp_error *err)
{
    unsigned servers = 0;
    for (unsigned t = 0; t < config.ntenants; t++)
        servers += config.tenant[t].managed && (!servers || !mp_config_is_mps(&config));
    if (servers == 1)
        return 0;
    return mp_fail(err, "--observe faults: %u instances have managed memory; one (tenants.N.managed)",
                   servers);
}

int observe(const mp_run &run, GpuOptions &options, Observation &o, mp_error *err)
{
    const bool faults = run.observe == std::string("faults");
    const Observed observed = observed_of(run);
    const std::string &pattern = observed.pattern;
    if (faults ? refuse_faults(*run.config, err) : refuse_observation(run, observed, err))
        return -1;
    o.file.reset(std::fopen(run.observe_file, "w"));
    if (!o.file)
        return mp_fail(err, "%s: %s; a writable file is needed", run.observe_file, std::strerror(errno));
    std::FILE *file = o.file.get();
    if (faults) {
        o.hook = std::make_unique<FaultLogHook>(file);
    } else if (observed.array) {
        o.hook = std::make_unique<BlockLogHook>(run.observe, pattern, array_writer, file);
    } else if (run.writer) {
        o.hook = std::make_unique<BlockLogHook>(run.observe, pattern, *run.writer, file);
    } else if (observed.walks) {
        o.hook = std::make_unique<WalkLogHook>(pattern, file);
    } else {
        ObserverTap::header(file);
        o.hook = std::make_unique<TapHook>(
            pattern, [file](const Site &s, const mp_plan_link &l, const std::string &name) {
                return std::make_unique<ObserverTap>(name.c_str(), s.fabric.kernel, l.kind, file);
            });
    }
    options.hooks.push_back(o.hook.get());
    return 0;
}

} // namespace

namespace mp
{

// Options that follow the accesses to one array cannot follow a change of its policy.
int refuse_warmup(const mp_run &run, mp_error *err)
{
    mp_tlb_params then;
    mp_design_values values;
    const char *last = mp_machine_last_tlb()->name;
    std::string what;
    for (unsigned i = 0; i < run.rtl.parts; i++)
        if (run.rtl.part[i].block->tlb && !std::strcmp(run.rtl.part[i].level, last))
            what = std::string("--rtl ") + last;
    if (what.empty() && run.observe &&
        (run.observe == std::string(last) + "_array" || (run.writer && run.writer->array)))
        what = std::string("--observe ") + run.observe;
    mp_config_level(run.config, last, &then);
    if (what.empty() || then.policy == mp_config_warmup_policy(run.config, &values))
        return 0;
    return mp_fail(err, "%s: the policy changes in cycle %ju; %s.warmup_policy = %s.policy", what.c_str(),
                   static_cast<uintmax_t>(run.config->stats.warmup), last, last);
}

// Arrays and directories of RTL, and the stimuli for them, have pages of one size.
int refuse_pages(const mp_run &run, mp_error *err)
{
    std::string what;
    for (unsigned i = 0; i < run.rtl.parts; i++)
        if (run.rtl.part[i].block->tlb || run.rtl.part[i].block->directory)
            what = std::string("--rtl ") + run.rtl.part[i].name;
    if (what.empty() && run.observe && (observed_of(run).array || (run.writer && !run.writer->scan)))
        what = std::string("--observe ") + run.observe;
    if (what.empty() || !mp_config_mixes_pages(run.config))
        return 0;
    return mp_fail(err, "%s: the array has pages of one size; without tenants.N.page_bytes", what.c_str());
}

int run_with(const mp_run *run, const GpuOptions &given, mp_result *result, mp_error *err)
{
    *result = mp_result{};
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
    sc_core::sc_report_handler::set_handler(report);
    GpuOptions options = given;
    options.force_tlm |= run->force_tlm;
    mp_hooks modules;
    Observation observation;
    if (refuse_warmup(*run, err) || refuse_pages(*run, err))
        return -1;
    try {
        add_modules(run->plugin, modules, options);
        if (run->observe && observe(*run, options, observation, err))
            return -1;
        Session session("gpu", *run, options);
        std::string paths;
        if (run->rtl.parts && count_paths(*run->config, "gpu*", &paths, err))
            session.rtl().check(paths);
        sc_core::sc_start();
        return session.finish(result, err);
    } catch (...) {
        return say_thrown(*run, "a module of a plugin", err);
    }
}

} // namespace mp

int mp_platform_run(const mp_run *run, mp_result *result, mp_error *err)
{
    return mp::run_with(run, mp::GpuOptions{}, result, err);
}
