// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/session.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>

namespace mp
{

namespace
{

constexpr unsigned warm_runs = 2; // at least, with the first, which is not measured

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool runs_are(const mp_config &config, const char *choice)
{
    return !std::strcmp(mp_choice("stats.runs", config.stats.runs), choice);
}

int too_long(const mp_config &config, const std::string &what, mp_error *err)
{
    return mp_fail(err, "stats.warmup = %ju: %s; fewer cycles", static_cast<uintmax_t>(config.stats.warmup),
                   what.c_str());
}

// Address space t is that of tenant t.
uint32_t managed_spaces(const mp_config &config)
{
    uint32_t spaces = 0;
    for (unsigned t = 0; t < config.ntenants; t++)
        spaces |= uint32_t{config.tenant[t].managed} << t;
    return spaces;
}

void tenant_result(const Recorder &r, const mp_config &config, const gwt_reader *reader,
                   mp_counter_name translations, unsigned t, mp_tenant_result *out)
{
    const char *tlb[MP_TLB_LEVELS];
    for (unsigned n = mp_config_tlbs(&config, tlb); n-- > 0;)
        out->tlb[n] = {r.sum(tlb[n], "lookups", t), r.sum(tlb[n], "misses", t)};
    out->cycles = r.sum("tenant", "cycles", t);
    out->instructions = r.sum("tenant", "instructions", t);
    out->completions = r.sum("tenant", "completions", t);
    if (reader) {
        out->thread_instructions = gwt_totals(reader)->thread_instructions * out->completions;
        out->recorded_instructions = gwt_totals(reader)->recorded * out->completions;
    }
    out->accesses = r.sum("tenant", "accesses", t);
    out->translations = r.sum(translations.level, translations.metric, t);
    out->walks = r.sum("walk", "walks", t);
    out->queue_cycles = r.sum("walk", "queue_cycles", t);
    out->walk_cycles = r.sum("walk", "walk_cycles", t);
    out->stolen = r.sum("walk", "stolen", t);
    out->waited_for = r.sum("walk", "waited_for", t);
}

} // namespace

Session::Session(const char *name, const mp_run &run, const GpuOptions &options)
    : run_(run), readers_(open_traces(run)), rtl_(run.rtl),
      check_("mempath query config run=" + std::to_string(run.run_id) + " | mempath run - --check", nullptr,
             managed_spaces(*run.config)),
      managed_window_(run.window), gpu_(name, *run.config, plain(readers_), with_own_hooks(options)),
      recorder_(gpu_.components, run.config->ntenants, run.db, gpu_.kernel.groups()), windows_(gpu_, run),
      watch_(gpu_, run)
{
    expect();
    mark();
    if (run.check) // page tables change in the cycle of the answers
        gpu_.kernel.step();
    gpu_.kernel.poll = [this] { poll(); };
    gpu_.on_kernel = [this](unsigned tenant, const char *kernel, uint64_t began, uint64_t ended) {
        recorder_.kernel_ended(tenant, kernel, began, ended);
    };
    gpu_.on_complete = [this](unsigned tenant) { return complete(tenant); };
    if (run.until)
        gpu_.kernel.until(run.until);
    gpu_.kernel.use_threads(run.threads);
    if (run.balance)
        gpu_.kernel.groups()->balance = &balance_;
    start_ = Clock::now();
}

Session::Readers Session::open_traces(const mp_run &run)
{
    Readers readers;
    for (unsigned t = 0; t < run.config->ntenants; t++) {
        mp_error err{};
        gwt_reader *r = nullptr;
        if (run.trace[t] && mp_machine_open_trace(&r, run.config, run.trace[t], run.checked, &err))
            throw Refused(err.text);
        readers.emplace_back(r);
    }
    return readers;
}

std::vector<gwt_reader *> Session::plain(const Readers &readers)
{
    std::vector<gwt_reader *> list;
    list.reserve(readers.size());
    for (auto &r : readers)
        list.push_back(r.get());
    return list;
}

GpuOptions Session::with_own_hooks(GpuOptions options)
{
    if (run_.check)
        options.hooks.push_back(&check_);
    if (run_.window.first != run_.window.last)
        options.hooks.push_back(&managed_window_);
    if (run_.rtl.parts) // others look at what it changes
        options.hooks.insert(options.hooks.begin(), &rtl_);
    return options;
}

// What will be measured.
void Session::expect()
{
    warm_ = runs_are(*run_.config, "warm");
    if (warm_ && !readers_[0])
        throw Refused("stats.runs = warm: tenants.0 has no application that warms up; first or all");
    for (const auto &reader : readers_)
        applications_ += reader != nullptr;
    open_ = applications_;
    progress_.tenants = measured();
    for (unsigned t = 0; t < measured(); t++) {
        if (readers_[t])
            progress_.tenant[t].total = gwt_totals(readers_[t].get())->accesses * (warm_ ? warm_runs : 1);
        progress_.accesses_total += progress_.tenant[t].total;
    }
}

// What happens at certain cycles.
void Session::mark()
{
    if (run_.config->stats.epoch && run_.db)
        gpu_.kernel.every(run_.config->stats.epoch, [this] { epoch(); });
    if (run_.checkpoint_at)
        gpu_.kernel.every(run_.checkpoint_at, [this] { checkpoint(); });
    counts_ = !run_.config->stats.warmup;
    if (!counts_) // after a checkpoint of this cycle, which is then of no policy
        gpu_.kernel.every(run_.config->stats.warmup, [this] { end_warmup(); });
}

void Session::poll()
{
    if (run_.stop && *run_.stop) {
        interrupted_ = true;
        gpu_.kernel.stop();
    }
    if (seconds_since(looked_) < 0.2)
        return;
    looked_ = Clock::now();
    watch_.poll();
    if (!run_.progress)
        return;
    progress_.accesses_done = 0;
    for (unsigned t = 0; t < progress_.tenants; t++) {
        auto &tenant = progress_.tenant[t];
        tenant.done =
            recorder_.frozen(t) ? recorder_.sum("tenant", "accesses", t) : mp_app_accesses(&gpu_.apps[t]);
        tenant.done = std::min(tenant.done + (warmed_ ? tenant.total / warm_runs : 0), tenant.total);
        progress_.accesses_done += tenant.done;
    }
    progress_.cycles = gpu_.kernel.now();
    run_.progress(run_.context, &progress_);
}

// later: the groups of blocks have not all reached the current cycle.
void Session::freeze(unsigned tenant, bool later)
{
    if (later)
        recorder_.freeze_later(tenant);
    else
        recorder_.freeze(tenant);
}

// The first run of the first tenant only fills the memories. It is measured next to all phases of the others,
// which run until its last run ends.
bool Session::complete_warm(unsigned tenant)
{
    if (tenant)
        return true;
    if (!warmed_)
        mp_app_forget(&gpu_.apps[0]);
    warmed_ = true;
    for (unsigned t = 0; t < gpu_.apps.size(); t++)
        if (readers_[t] && !gpu_.apps[t].stats.completions)
            return true;
    freeze(0, true);
    open_ = 0;
    gpu_.kernel.stop();
    return false;
}

// Applications that end early are started again until each application has ended once.
bool Session::complete(unsigned tenant)
{
    if (warm_)
        return complete_warm(tenant);
    bool first = !recorder_.frozen(tenant);
    if (first || runs_are(*run_.config, "all"))
        freeze(tenant, true);
    open_ -= first;
    if (open_)
        return true;
    gpu_.kernel.stop();
    return false;
}

// Tenants whose first run has not ended have their results up to here.
void Session::cut()
{
    for (unsigned t = 0; t < run_.config->ntenants; t++) {
        mp_app &app = gpu_.apps[t];
        if (recorder_.frozen(t))
            continue;
        app.stats.cycles = gpu_.kernel.now() - app.started;
        app.stats.instructions = gpu_.sum("sm", "issued", t) - app.added;
        app.stats.accesses = mp_app_accesses(&app);
        freeze(t, false);
    }
    open_ = 0;
}

// For the reason in `error_`.
void Session::fail()
{
    failed_ = true;
    gpu_.kernel.stop();
}

void Session::epoch()
{
    if (recorder_.snapshot(gpu_.kernel.now(), &error_))
        fail();
}

// The time that the checkpoint takes does not count, nor the time until another process goes on from it.
void Session::checkpoint()
{
    if (checkpointed_)
        return;
    checkpointed_ = true;
    Clock::duration before = Clock::now() - start_;
    int elsewhere = run_.checkpoint(run_.checkpoint_context, &error_);
    looked_ = Clock::now();
    start_ = looked_ - before;
    watch_.resume();
    wrote_ = elsewhere == 0;
    if (elsewhere > 0)
        gpu_.kernel.until(run_.until ? run_.until : MP_NEVER);
    if (elsewhere < 0)
        fail();
}

void Session::end_warmup()
{
    if (counts_)
        return;
    counts_ = true;
    for (unsigned t = 0; t < gpu_.apps.size(); t++) {
        if (recorder_.frozen(t)) {
            too_long(*run_.config, "tenant " + std::to_string(t) + " ended before it", &error_);
            return fail();
        }
        uint64_t accesses = mp_app_accesses(&gpu_.apps[t]);
        warmup_accesses_ += accesses;
        progress_.tenant[t].total -= accesses;
        progress_.accesses_total -= accesses;
        mp_app_begin_count(&gpu_.apps[t], gpu_.sum("sm", "issued", t));
    }
    recorder_.begin();
    gpu_.end_warmup();
}

bool Session::finished() const
{
    if (failed_ || interrupted_ || gpu_.kernel.cut() || !gpu_.kernel.failure.empty() ||
        !watch_.stuck().empty())
        return true;
    if (applications_)
        return !open_;
    return sc_core::sc_start_of_simulation_invoked() && mp_groups_next(gpu_.kernel.groups()) == MP_NEVER;
}

void Session::results(mp_result *result) const
{
    result->events = mp_groups_executed(gpu_.kernel.groups());
    result->groups = gpu_.kernel.groups()->count;
    const mp_counter_name translations = gpu_.translations();
    for (unsigned t = 0; t < run_.config->ntenants; t++) {
        result->accesses += mp_app_accesses(&gpu_.apps[t]); // since the warm-up
        result->instructions += gpu_.sum("sm", "issued", t);
        result->translations += gpu_.sum(translations.level, translations.metric, t);
        tenant_result(recorder_, *run_.config, readers_[t].get(), translations, t, &result->tenant[t]);
    }
    result->accesses += warmup_accesses_;
    recorder_.digest(result->digest);
}

int Session::finish(mp_result *result, mp_error *err)
{
    result->seconds = seconds_since(start_);
    result->balance = balance_;
    if (failed_) {
        *err = error_;
        return -1;
    }
    result->nrtl = rtl_.count(result->rtl, MP_RTL_COUNTS);
    result->cycles = gpu_.kernel.now();
    if (rtl_.difference()) {
        result->different = true;
        return mp_fail(err, "%s", rtl_.difference());
    }
    if (!gpu_.kernel.failure.empty())
        return mp_fail(err, "%s: %s", run_.config->name, gpu_.kernel.failure.c_str());
    const bool left = sc_core::sc_pending_activity() || mp_groups_next(gpu_.kernel.groups()) != MP_NEVER;
    result->interrupted = interrupted_;
    result->cut = !interrupted_ && (gpu_.kernel.cut() || (open_ && left && watch_.stuck().empty()));
    result->checkpointed = wrote_;
    if (result->cut)
        watch_.cut();
    else if (!interrupted_ && !left && (open_ || !applications_))
        watch_.nothing_left(open_);
    if (!watch_.stuck().empty()) {
        result->stuck = true;
        return mp_fail(err, "%s", watch_.stuck().c_str());
    }
    if (!interrupted_)
        cut();
    if (!counts_ && !interrupted_ && !gpu_.kernel.cut())
        return too_long(*run_.config, "the run ended at cycle " + std::to_string(gpu_.kernel.now()), err);
    results(result);
    if (!run_.db)
        return 0;
    return recorder_.write(err) || windows_.write(run_.db, interrupted_, err) ||
                   managed_window_.write(run_.db, gpu_.kernel.now(), err)
               ? -1
               : 0;
}

int say_thrown(const mp_run &run, const char *whose, mp_error *err)
{
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return mp_fail(err, "%s: out of memory; a smaller machine or trace is needed", run.config->name);
    } catch (const Refused &refused) {
        return mp_fail(err, "%s", refused.what());
    } catch (const std::system_error &error) {
        return mp_fail(err, "--threads %u: %s; fewer are needed", run.threads,
                       error.code().message().c_str());
    } catch (const sc_core::sc_report &report) {
        return mp_fail(err, "%s: SystemC: %s", run.config->name, report.get_msg());
    } catch (const std::exception &thrown) {
        return mp_fail(err, "%s: %s", whose, thrown.what());
    }
}

} // namespace mp
