// SPDX-License-Identifier: Apache-2.0
#include "soc/run.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/configure.h"
#include "gpu/run/check.h"
#include "gpu/tlm/plugin.h"
#include "gpu/tlm/stand_in.h"
#include "gpu/tlm/tap.h"
#include "soc/console.h"
#include "soc/debugger.h"
#include "soc/driver.h"
#include "soc/host.h"
#include "soc/host_socket.h"
#include "soc/injector.h"
#include "soc/observer.h"
#include "soc/record.h"
#include "soc/soc.h"
#include "soc/workloads.h"

namespace
{

using namespace mp::soc;

// SystemC prints on stdout, which is for results.
void report(const sc_core::sc_report &r, const sc_core::sc_actions &actions)
{
    if (r.get_severity() == sc_core::SC_WARNING)
        std::fprintf(stderr, "mempath: SystemC: %s\n", r.get_msg());
    if (actions & sc_core::SC_THROW)
        throw r;
}

double seconds_of(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// In seconds. The time that a checkpoint takes does not count, nor the time until another process goes on.
struct Times {
    double clock = 0, processor = 0;

    static Times now() { return {seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)}; }
    Times until_now() const { return {now().clock - clock, now().processor - processor}; }
    void start_before(const Times &spent)
    {
        clock = now().clock - spent.clock;
        processor = now().processor - spent.processor;
    }
};

// Ends the run, with the reason as the core's failure.
struct Livelock {
    Soc &soc;
    mp::MigGpu &gpu;
    const Observer &observer;

    static void found(void *self, const mp_mgmt_fault *fault)
    {
        auto *l = static_cast<Livelock *>(self);
        l->soc.core.failure = l->observer.livelock(*fault);
        mp_hart_halt(l->soc.core.hart);
        l->gpu.kernel.stop();
    }
};

// What --check says of the firmware's service ends the run, with the place of the command.
struct Service : mp_service_check {
    Service(Soc &s, mp::MigGpu &g, const Observer &o) : mp_service_check{}, soc(s), gpu(g), observer(o)
    {
        self = this;
        found = end;
        soc.mgmt.model.check = soc.ce.check = this;
    }
    Soc &soc;
    mp::MigGpu &gpu;
    const Observer &observer;

    static void end(void *self, const char *why)
    {
        auto *s = static_cast<Service *>(self);
        s->soc.core.failure = "cycle " + std::to_string(s->gpu.kernel.now()) +
                              s->observer.place(s->observer.who()) + ": " + why;
        mp_hart_halt(s->soc.core.hart);
        s->gpu.kernel.stop();
    }
};

struct CloseFile {
    void operator()(std::FILE *f) const { std::fclose(f); }
};

// A tap on each link into the blocks that the run observes.
struct Observed {
    std::unique_ptr<std::FILE, CloseFile> file;
    std::unique_ptr<mp::Hook> hook;
    const char *path = nullptr; // of a file that is not complete

    Observed() = default;
    Observed(const Observed &) = delete;
    Observed &operator=(const Observed &) = delete;
    ~Observed()
    {
        struct stat s;
        if (path && !stat(path, &s) && S_ISREG(s.st_mode))
            unlink(path);
    }
    int open(const mp_soc_run &run, mp::GpuOptions &options, mp_error *err)
    {
        if (!run.observe)
            return 0;
        file.reset(std::fopen(run.observe_file, "we"));
        if (!file)
            return mp_fail(err, "--observe %s: %s; a writable file is needed", run.observe_file,
                           std::strerror(errno));
        path = run.observe_file;
        std::FILE *out = file.get();
        mp::ObserverTap::header(out);
        hook = std::make_unique<mp::TapHook>(
            run.observe, [out](const mp::Site &s, const mp_plan_link &l, const std::string &name) {
                return std::make_unique<mp::ObserverTap>(name.c_str(), s.fabric.kernel, l.kind, out);
            });
        options.hooks.push_back(hook.get());
        return 0;
    }
    int close(const mp_soc_run &run, mp_error *err)
    {
        if (file && (std::fflush(file.get()) || std::ferror(file.get())))
            return mp_fail(err, "--observe: %s cannot be written; free some space", run.observe_file);
        path = nullptr;
        return 0;
    }
};

struct Coverage {
    mp_coverage *counts = nullptr;

    Coverage() = default;
    Coverage(const Coverage &) = delete;
    Coverage &operator=(const Coverage &) = delete;
    ~Coverage() { mp_coverage_close(counts); }
    int open(const mp_soc_run &run, const Soc &soc, mp_error *err)
    {
        if (run.coverage)
            counts = mp_coverage_open(run.image, soc.program_begin, soc.program_end, err);
        return run.coverage && !counts ? -1 : 0;
    }
    int close(const mp_soc_run &run, mp_soc_result *result, mp_error *err)
    {
        return counts ? mp_coverage_write(counts, run.coverage, &result->coverage, err) : 0;
    }
};

bool has_arrays(const mp_rtl &rtl)
{
    return std::any_of(rtl.part, rtl.part + rtl.parts,
                       [](const mp_rtl_part &p) { return p.block->tlb || p.block->directory; });
}

// The step of a script or of the host that firmware has not waited for; empty if there is none.
std::string left_over(const mp_soc_run &run, const Driver &driver, const HostSocket &socket)
{
    mp_error where;
    if (run.script && mp_script_cut(run.script)) {
        mp_script_where(run.script, &where);
        return where.text;
    }
    return driver.acts() ? driver.cut() : socket.acts() ? socket.cut() : "";
}

// How a run has ended that did not finish.
mp_soc_end unfinished(const Core &core, bool interrupted)
{
    if (interrupted)
        return MP_SOC_INTERRUPTED;
    return core.failure.empty() && !core.waiting ? MP_SOC_LIMIT : MP_SOC_STUCK;
}

int run_soc(const mp_soc_run &run, mp_soc_result *result, mp_error *err)
{
    Console console("console", run.console_in, run.console_out, run.script);
    SocOptions options;
    if (run.quantum)
        options.quantum = run.quantum;
    options.console = [&](uint8_t c) { console.send(c); };
    Workloads workloads;
    mp_machine machine;
    if (workloads.open(run, err))
        return -1;
    mp_machine_configure(&machine, run.machine);
    mp_machine_connect_host(&machine, run.machine);
    mp_machine_connect_copies(&machine, run.machine);
    if (has_arrays(run.rtl))
        machine.page_sizes = machine.page_bytes; // these have pages of one size
    mp::GpuOptions hooks;
    mp_hooks modules;
    add_modules(run.plugin, modules, hooks);
    Observed observed;
    if (observed.open(run, hooks, err))
        return -1;
    struct Frames : mp_frame_check {
        Frames() : mp_frame_check{} {}
        ~Frames() { mp_frame_check_free(this); }
    } frames;
    mp::CheckHook check("", &frames);
    if (run.check) {
        hooks.check = &frames;
        hooks.hooks.push_back(&check);
    }
    mp::RtlBlocks rtl(run.rtl); // outlives the blocks in whose place it is
    rtl.alone = [](const std::string &line) { std::fprintf(stderr, "mempath: %s\n", line.c_str()); };
    bool has_rtl = run.rtl.parts;
    mp::MigGpu gpu("gpu", static_cast<double>(run.machine->machine.clock_mhz), machine, workloads.host(),
                   hooks, has_rtl ? &rtl : nullptr);
    options.gpu = &gpu;
    const auto &uvm = run.machine->uvm;
    options.link = {uvm.link_gbps, uvm.link_curve, uvm.link_latency, uvm.zero_gbps};
    options.semihosting = run.semihosting;
    options.host = run.host || run.host_socket;
    std::unique_ptr<Injector> injector;
    if (run.inject)
        injector = std::make_unique<Injector>("injector", *run.inject, gpu);
    options.injector = injector.get();
    Soc soc("soc", options);
    console.uart = &soc.uart.model;
    console.core = &soc.core;
    if (soc.load(run.image, err))
        return -1;
    Coverage coverage;
    if (coverage.open(run, soc, err))
        return -1;
    PortTransport port(soc);
    Driver driver("driver", port, run.host, run.diagnosis);
    HostSocket host_socket("host_socket", port, run.host_socket);
    if (run.host_socket && host_socket.open(err))
        return -1;
    Observer observer(soc, gpu.model, run, coverage.counts);
    port.rang = [&] { observer.received(); };
    console.received = [&] { observer.received(); };
    gpu.who = [&] { return observer.who(); };
    if (!has_rtl && (!run.plugin || !*run.plugin))
        observer.rests([&] {
            mp_dma_move move;
            return !console.listens() && !driver.acts() && !host_socket.acts() &&
                   !(injector && injector->busy()) && mp_groups_next(gpu.kernel.groups()) == MP_NEVER &&
                   !mp_dma_next(&soc.dma.model, &move) && soc.ce.rests();
        });
    std::optional<Service> service;
    if (run.check) {
        service.emplace(soc, gpu, observer);
        frames.arrives = [](void *self, uint64_t at, uint64_t bytes) {
            const Ce &ce = static_cast<const Observer *>(self)->ce();
            return mp_service_check_arrives(ce.check, &ce.model, at, bytes);
        };
    }
    frames.self = &observer;
    frames.place = [](void *self, const mp_store *by, char *text, size_t size) {
        std::snprintf(text, size, "%s", static_cast<const Observer *>(self)->place(*by).c_str());
    };
    bool interrupted = false;
    Debugger debugger(soc);
    debugger.stop = run.stop;
    Livelock livelock{soc, gpu, observer};
    // What a process that goes on from a checkpoint may have chosen otherwise.
    const auto choose = [&](mp_error *why) {
        console.redirect(run.console_out);
        soc.core.limit = run.max_instructions ? run.max_instructions : UINT64_MAX;
        soc.core.debugged = run.gdb >= 0;
        gpu.model.watch = {run.gdb < 0 ? run.replay_limit : 0, &livelock, Livelock::found};
        return observer.trace(run, why) ||
               (run.gdb >= 0 && debugger.listen(static_cast<unsigned>(run.gdb), why));
    };
    if (choose(err))
        return -1;
    soc.core.wants_step = [&] { return debugger.wants_step(); };
    soc.core.stopped = [&](mp_hart_stop stop) {
        console.flush();
        if (stop == MP_HART_WATCHPOINT)
            debugger.watched();
        else
            debugger.stopped();
    };
    Times times;
    mp_error unsaved{};
    bool saved = !run.checkpoint_at;
    const auto checkpoint = [&](uint64_t instructions) {
        saved = true;
        console.flush();
        Times before = times.until_now();
        int elsewhere = run.checkpoint(run.checkpoint_context, instructions, &unsaved);
        times.start_before(before);
        if (elsewhere < 0 || (elsewhere && choose(&unsaved)))
            mp_hart_halt(soc.core.hart);
    };
    soc.core.between = [&] {
        uint64_t instructions = mp_hart_counts(soc.core.hart)->instructions;
        if (!saved && instructions >= run.checkpoint_at)
            checkpoint(instructions);
        observer.look();
        bool stopped = soc.core.debugged && debugger.between();
        if (debugger.killed || (run.stop && *run.stop)) {
            interrupted = true;
            mp_hart_halt(soc.core.hart);
        }
        return stopped;
    };

    const auto fail = [&](const char *why) {
        soc.core.failure = why;
        mp_hart_halt(soc.core.hart);
        gpu.kernel.stop();
    };
    gpu.refused = fail;
    console.late = fail;
    driver.failed = host_socket.failed = fail;
    host_socket.interrupted = [&] {
        if (run.stop && *run.stop && !interrupted) {
            interrupted = true;
            mp_hart_halt(soc.core.hart);
            gpu.kernel.stop();
        }
        return interrupted;
    };
    Host host(soc, console, observer, fail);
    if (run.semihosting && host.open(run.image, run.files, err))
        return -1;

    gpu.kernel.poll = [&] { // while the core waits, nothing else checks
        if (!run.stop || !*run.stop)
            return;
        interrupted = true;
        gpu.kernel.stop();
    };

    times.start_before({});
    sc_core::sc_start();
    gpu.kernel.settle();
    const Times spent = times.until_now();
    result->processor_seconds = spent.processor;
    result->seconds = spent.clock;
    if (*unsaved.text) {
        *err = unsaved;
        return -1;
    }

    result->counts = *mp_hart_counts(soc.core.hart);
    result->picoseconds = sc_core::sc_time_stamp().value();
    mp_hart_read(soc.core.hart, MP_HART_PC, &result->pc);
    result->exit_code = soc.exit_code;
    result->host_refused = driver.refused;
    result->failed = soc.mgmt.model.failed;
    if (rtl.difference())
        soc.core.failure = rtl.difference();
    else if (!gpu.kernel.failure.empty())
        soc.core.failure = gpu.kernel.failure;
    bool finished = soc.finished && !rtl.difference();
    if (finished && soc.core.failure.empty()) {
        soc.core.failure = left_over(run, driver, host_socket);
        finished = soc.core.failure.empty();
    }
    if (finished)
        debugger.exited(soc.exit_code);
    result->end = finished ? MP_SOC_FINISHED : unfinished(soc.core, interrupted);
    const char *why = soc.core.failure.empty() && soc.core.waiting
                          ? "waits for an interrupt (WFI), and none will come"
                          : soc.core.failure.c_str();
    std::snprintf(result->why, sizeof result->why, "%s", why);
    std::snprintf(result->exception, sizeof result->exception, "%s",
                  observer.exception(&result->returned).c_str());
    if (run.diagnosis && result->end != MP_SOC_FINISHED) {
        console.flush();
        observer.diagnose(run.diagnosis);
    }
    result->console = strdup(console.log.c_str());
    if (!rtl.difference())
        result->nrtl = rtl.count(result->rtl, MP_SOC_RTL, result->rtl_share);
    return observed.close(run, err) || coverage.close(run, result, err) ? -1 : record(run, gpu, result, err);
}

} // namespace

int mp_soc_simulate(const mp_soc_run *run, mp_soc_result *result, mp_error *err)
{
    *result = mp_soc_result{};
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
    sc_core::sc_report_handler::set_handler(report);
    try {
        return run_soc(*run, result, err);
    } catch (const std::bad_alloc &) {
        return mp_fail(err, "%s: out of memory", run->image);
    } catch (const sc_core::sc_report &r) {
        return mp_fail(err, "%s: SystemC: %s", run->image, r.get_msg());
    } catch (const std::exception &e) {
        return mp_fail(err, "%s", e.what());
    }
}
