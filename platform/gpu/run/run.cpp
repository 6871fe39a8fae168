// SPDX-License-Identifier: Apache-2.0
#include "platform.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "gpu/configure.h"
#include "gpu/run/array_log.h"
#include "gpu/run/check.h"
#include "gpu/run/recorder.h"
#include "gpu/run/run.h"
#include "gpu/run/watch.h"
#include "gpu/run/windows.h"
#include "gpu/tlm/plugin.h"
#include "gpu/tlm/stand_in.h"
#include "gpu/tlm/tap.h"

// libsystemc's main would call this function; mempath has its own main.
int sc_main(int, char **)
{
    return 0;
}

namespace
{

using namespace mp;
using Clock = std::chrono::steady_clock;

constexpr unsigned warm_runs = 2; // at least, with the first, which is not measured

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// SystemC prints on stdout, which is for results.
void report(const sc_core::sc_report &r, const sc_core::sc_actions &actions)
{
    if (r.get_severity() == sc_core::SC_WARNING)
        std::fprintf(stderr, "mempath: SystemC: %s\n", r.get_msg());
    if (actions & sc_core::SC_THROW)
        throw r;
}

struct CloseReader {
    void operator()(gwt_reader *r) const { gwt_close(r); }
};

struct CloseFile {
    void operator()(std::FILE *f) const { std::fclose(f); }
};

// One run: the data that the callbacks need.
struct Session {
    const mp_run &run;
    Gpu &gpu;
    Recorder &recorder;
    Watch &watch;
    mp_progress progress{};
    Clock::time_point looked = Clock::now();
    unsigned open = 0;                 // number of tenants whose first run has not ended
    bool warm = false, warmed = false; // the first tenant's runs are measured, except the first of them
    bool interrupted = false;
    mp_error error{};
    bool failed = false, checkpointed = false;
    bool counts = true;                     // the warm-up has ended
    uint64_t warmup_accesses = 0;           // of all tenants
    Clock::time_point start = Clock::now(); // of simulation

    void poll();
    unsigned measured() const { return warm ? 1 : run.config->ntenants; }
    void freeze(unsigned tenant, bool later);
    bool complete(unsigned tenant);
    bool complete_warm(unsigned tenant);
    void cut();
    void epoch();
    void checkpoint();
    void end_warmup();
    void fail();
};

void Session::poll()
{
    if (run.stop && *run.stop) {
        interrupted = true;
        gpu.kernel.stop();
    }
    if (seconds_since(looked) < 0.2)
        return;
    looked = Clock::now();
    watch.poll();
    if (!run.progress)
        return;
    progress.accesses_done = 0;
    for (unsigned t = 0; t < progress.tenants; t++) {
        auto &tenant = progress.tenant[t];
        tenant.done =
            recorder.frozen(t) ? recorder.sum("tenant", "accesses", t) : mp_app_accesses(&gpu.apps[t]);
        tenant.done = std::min(tenant.done + (warmed ? tenant.total / warm_runs : 0), tenant.total);
        progress.accesses_done += tenant.done;
    }
    progress.cycles = gpu.kernel.now();
    run.progress(run.context, &progress);
}

bool runs_are(const mp_config &config, const char *choice)
{
    return !std::strcmp(mp_choice("stats.runs", config.stats.runs), choice);
}

// later: the groups of blocks have not all reached the current cycle.
void Session::freeze(unsigned tenant, bool later)
{
    if (later)
        recorder.freeze_later(tenant);
    else
        recorder.freeze(tenant);
}

// The first run of the first tenant only fills the memories. It is measured next to all phases of the others,
// which run until its last run ends.
bool Session::complete_warm(unsigned tenant)
{
    if (tenant)
        return true;
    if (!warmed)
        mp_app_forget(&gpu.apps[0]);
    warmed = true;
    for (const mp_app &app : gpu.apps)
        if (!app.stats.completions)
            return true;
    freeze(0, true);
    open = 0;
    gpu.kernel.stop();
    return false;
}

// Applications that end early are started again until each application has ended once.
bool Session::complete(unsigned tenant)
{
    if (warm)
        return complete_warm(tenant);
    bool first = !recorder.frozen(tenant);
    if (first || runs_are(*run.config, "all"))
        freeze(tenant, true);
    open -= first;
    if (open)
        return true;
    gpu.kernel.stop();
    return false;
}

// Tenants whose first run has not ended have their results up to here.
void Session::cut()
{
    for (unsigned t = 0; t < run.config->ntenants; t++) {
        mp_app &app = gpu.apps[t];
        if (recorder.frozen(t))
            continue;
        app.stats.cycles = gpu.kernel.now() - app.started;
        app.stats.instructions = gpu.sum("sm", "issued", t) - app.added;
        app.stats.accesses = mp_app_accesses(&app);
        freeze(t, false);
    }
    open = 0;
}

// For the reason in `error`.
void Session::fail()
{
    failed = true;
    gpu.kernel.stop();
}

void Session::epoch()
{
    if (recorder.snapshot(gpu.kernel.now(), &error))
        fail();
}

// The time that the checkpoint takes does not count, nor the time until another process goes on from it.
void Session::checkpoint()
{
    if (checkpointed)
        return;
    checkpointed = true;
    Clock::duration before = Clock::now() - start;
    int elsewhere = run.checkpoint(run.checkpoint_context, &error);
    looked = Clock::now();
    start = looked - before;
    watch.resume();
    if (elsewhere > 0)
        gpu.kernel.until(run.until ? run.until : MP_NEVER);
    if (elsewhere < 0)
        fail();
}

int too_long(const mp_config &config, const std::string &what, mp_error *err)
{
    return mp_fail(err, "stats.warmup = %ju: %s; fewer cycles", static_cast<uintmax_t>(config.stats.warmup),
                   what.c_str());
}

void Session::end_warmup()
{
    if (counts)
        return;
    counts = true;
    for (unsigned t = 0; t < gpu.apps.size(); t++) {
        if (recorder.frozen(t)) {
            too_long(*run.config, "tenant " + std::to_string(t) + " ended before it", &error);
            return fail();
        }
        uint64_t accesses = mp_app_accesses(&gpu.apps[t]);
        warmup_accesses += accesses;
        progress.tenant[t].total -= accesses;
        progress.accesses_total -= accesses;
        mp_app_begin_count(&gpu.apps[t], gpu.sum("sm", "issued", t));
    }
    recorder.begin();
    gpu.end_warmup();
}

int open_traces(const mp_run &run, std::vector<std::unique_ptr<gwt_reader, CloseReader>> &readers,
                mp_error *err)
{
    for (unsigned t = 0; t < run.config->ntenants; t++) {
        gwt_reader *r;
        if (mp_machine_open_trace(&r, run.config, run.trace[t], run.checked, err))
            return -1;
        readers.emplace_back(r);
    }
    return 0;
}

void tenant_result(const Recorder &r, const mp_config &config, const struct gwt_totals &totals,
                   mp_counter_name translations, unsigned t, mp_tenant_result *out)
{
    const char *tlb[MP_TLB_LEVELS];
    for (unsigned n = mp_config_tlbs(&config, tlb); n-- > 0;)
        out->tlb[n] = {r.sum(tlb[n], "lookups", t), r.sum(tlb[n], "misses", t)};
    out->cycles = r.sum("tenant", "cycles", t);
    out->instructions = r.sum("tenant", "instructions", t);
    out->completions = r.sum("tenant", "completions", t);
    out->thread_instructions = totals.thread_instructions * out->completions;
    out->accesses = r.sum("tenant", "accesses", t);
    out->translations = r.sum(translations.level, translations.metric, t);
    out->walks = r.sum("walk", "walks", t);
    out->queue_cycles = r.sum("walk", "queue_cycles", t);
    out->walk_cycles = r.sum("walk", "walk_cycles", t);
    out->stolen = r.sum("walk", "stolen", t);
    out->waited_for = r.sum("walk", "waited_for", t);
}

int run_platform(const mp_run &run, const GpuOptions &options, mp_result *result, mp_error *err)
{
    std::vector<std::unique_ptr<gwt_reader, CloseReader>> owned;
    std::vector<gwt_reader *> readers;
    if (open_traces(run, owned, err))
        return -1;
    readers.reserve(owned.size());
    for (auto &r : owned)
        readers.push_back(r.get());

    RtlBlocks rtl(run.rtl); // outlives the GPU, whose blocks it replaces
    GpuOptions all = options;
    all.whole = run.check; // page tables change in the cycle of the answers
    CheckHook check("mempath query config run=" + std::to_string(run.run_id) + " | mempath run - --check");
    if (run.check)
        all.hooks.push_back(&check);
    if (run.rtl.tlb || run.rtl.walk_arbiter)
        all.hooks.push_back(&rtl);
    Gpu gpu("gpu", *run.config, readers, all);
    Recorder recorder(gpu.components, run.config->ntenants, run.db, gpu.kernel.groups());
    Windows windows(gpu, run);
    Watch watch(gpu, run);
    Session session{run, gpu, recorder, watch};
    session.open = run.config->ntenants;
    session.warm = runs_are(*run.config, "warm");
    session.progress.tenants = session.measured();
    for (unsigned t = 0; t < session.measured(); t++) {
        session.progress.tenant[t].total = gwt_totals(readers[t])->accesses * (session.warm ? warm_runs : 1);
        session.progress.accesses_total += session.progress.tenant[t].total;
    }
    gpu.kernel.poll = [&] { session.poll(); };
    gpu.on_complete = [&](unsigned tenant) { return session.complete(tenant); };
    if (run.config->stats.epoch && run.db)
        gpu.kernel.every(run.config->stats.epoch, [&] { session.epoch(); });

    if (run.checkpoint_at)
        gpu.kernel.every(run.checkpoint_at, [&] { session.checkpoint(); });
    session.counts = !run.config->stats.warmup;
    if (!session.counts) // after a checkpoint of this cycle, which is then of no policy
        gpu.kernel.every(run.config->stats.warmup, [&] { session.end_warmup(); });
    if (run.until)
        gpu.kernel.until(run.until);
    gpu.kernel.use_threads(run.threads);
    if (run.balance)
        gpu.kernel.groups()->balance = &result->balance;

    session.start = Clock::now();
    sc_core::sc_start();
    result->seconds = seconds_since(session.start);

    if (session.failed) {
        *err = session.error;
        return -1;
    }
    result->nrtl = rtl.count(result->rtl, MP_RTL_BLOCKS);
    if (rtl.difference()) {
        result->different = true;
        result->cycles = gpu.kernel.now();
        return mp_fail(err, "%s", rtl.difference());
    }
    if (!gpu.kernel.failure.empty())
        return mp_fail(err, "%s: %s", run.config->name, gpu.kernel.failure.c_str());
    if (gpu.kernel.cut() && !session.interrupted)
        watch.cut();
    if ((gpu.kernel.cut() || (session.warm && !session.open)) && !session.interrupted)
        session.cut();
    if (session.open && !session.interrupted && watch.stuck().empty())
        watch.nothing_left(session.open);
    if (!watch.stuck().empty()) {
        result->stuck = true;
        result->cycles = gpu.kernel.now();
        return mp_fail(err, "%s", watch.stuck().c_str());
    }
    if (!session.counts && !session.interrupted && !gpu.kernel.cut())
        return too_long(*run.config, "the run ended at cycle " + std::to_string(gpu.kernel.now()), err);
    result->interrupted = session.interrupted;
    result->cut = gpu.kernel.cut() && !session.interrupted;
    result->cycles = gpu.kernel.now();
    result->events = mp_groups_executed(gpu.kernel.groups());
    result->groups = gpu.kernel.groups()->count;
    const mp_counter_name translations = gpu.translations();
    for (unsigned t = 0; t < run.config->ntenants; t++) {
        result->accesses += mp_app_accesses(&gpu.apps[t]); // since the warm-up
        result->instructions += gpu.sum("sm", "issued", t);
        result->translations += gpu.sum(translations.level, translations.metric, t);
        tenant_result(recorder, *run.config, *gwt_totals(readers[t]), translations, t, &result->tenant[t]);
    }
    result->accesses += session.warmup_accesses;
    recorder.digest(result->digest);
    if (!run.db)
        return 0;
    return recorder.write(err) || windows.write(run.db, session.interrupted, err) ? -1 : 0;
}

// ---- observed links ----

struct Observation {
    std::unique_ptr<std::FILE, CloseFile> file;
    uint64_t walk = 0; // number of the next walk
    std::unique_ptr<Hook> hook;
};

// What --observe names: the TLBs of a level, the array of its TLB, page walks, or the paths of blocks.
struct Observed {
    bool array, walks;
    std::string level, pattern; // level: empty if it names none
};

Observed observed_of(const mp_run &run)
{
    const std::string name = run.observe, array = "_array";
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
    if (!n || (o.array && n > 1))
        return mp_fail(err, "--observe: no link '%s'; %s, %s_array, walks, or the path of a block: %s",
                       run.observe, last, last, paths.c_str());
    return 0;
}

int observe(const mp_run &run, GpuOptions &options, Observation &o, mp_error *err)
{
    const Observed observed = observed_of(run);
    const std::string &pattern = observed.pattern;
    if (refuse_observation(run, observed, err))
        return -1;
    o.file.reset(std::fopen(run.observe_file, "w"));
    if (!o.file)
        return mp_fail(err, "%s: %s; a writable file is needed", run.observe_file, std::strerror(errno));
    std::FILE *file = o.file.get();
    if (observed.array) {
        o.hook = std::make_unique<ArrayLogHook>(pattern, file);
    } else if (observed.walks) {
        o.hook = std::make_unique<TapHook>(
            pattern, [file, &o](const Site &s, const mp_plan_link &, const std::string &name) {
                return std::make_unique<ArrivalTap>(name.c_str(), s.fabric.kernel, file, o.walk);
            });
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
    if (run.rtl.tlb && !std::strcmp(run.rtl.tlb_level, last))
        what = std::string("--rtl ") + last;
    else if (run.observe && run.observe == std::string(last) + "_array")
        what = std::string("--observe ") + run.observe;
    mp_config_level(run.config, last, &then);
    if (what.empty() || then.policy == mp_config_warmup_policy(run.config, &values))
        return 0;
    return mp_fail(err, "%s: the policy changes in cycle %ju; %s.warmup_policy = %s.policy", what.c_str(),
                   static_cast<uintmax_t>(run.config->stats.warmup), last, last);
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
    if (refuse_warmup(*run, err))
        return -1;
    try {
        add_modules(run->plugin, modules, options);
        if (run->observe && observe(*run, options, observation, err))
            return -1;
        return run_platform(*run, options, result, err);
    } catch (const std::bad_alloc &) {
        return mp_fail(err, "%s: out of memory; a smaller machine or trace is needed", run->config->name);
    } catch (const Refused &refused) {
        return mp_fail(err, "%s", refused.what());
    } catch (const std::system_error &error) {
        return mp_fail(err, "--threads %u: %s; fewer are needed", run->threads,
                       error.code().message().c_str());
    } catch (const sc_core::sc_report &report) {
        return mp_fail(err, "%s: SystemC: %s", run->config->name, report.get_msg());
    } catch (const std::exception &thrown) { // by a module of a plugin
        return mp_fail(err, "a module of a plugin: %s", thrown.what());
    }
}

} // namespace mp

int mp_platform_run(const mp_run *run, mp_result *result, mp_error *err)
{
    return mp::run_with(run, mp::GpuOptions{}, result, err);
}
