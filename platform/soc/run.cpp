// SPDX-License-Identifier: Apache-2.0
#include "soc/run.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/configure.h"
#include "gpu/run/check.h"
#include "gpu/tlm/plugin.h"
#include "gpu/tlm/stand_in.h"
#include "gpu/tlm/tap.h"
#include "soc/debugger.h"
#include "soc/observer.h"
#include "soc/record.h"
#include "soc/semihosting.h"
#include "soc/soc.h"
#include "soc/workloads.h"

namespace
{

using namespace mp::soc;
using Clock = std::chrono::steady_clock;

// The host's side of the UART.
class Console : public sc_core::sc_module
{
  public:
    // script: typed in place of what comes from `in`, or null.
    Console(const sc_core::sc_module_name &name, int in, int out, mp_script *script)
        : sc_module(name), in_(in), out_(out), script_(script)
    {
        SC_HAS_PROCESS(Console);
        if (in_ >= 0)
            SC_THREAD(listen);
        if (script_)
            SC_THREAD(play);
    }
    ~Console() override { flush(); }

    void send(uint8_t character)
    {
        bool plain = std::isspace(character) || (character < 0x80 && std::isprint(character));
        if (log.size() < MP_SOC_CONSOLE)
            log.push_back(plain ? static_cast<char>(character) : '?');
        if (script_)
            mp_script_printed(script_, static_cast<char>(character));
        line_.push_back(static_cast<char>(character));
        if (character == '\n' || line_.size() >= 4096)
            flush();
    }
    void flush()
    {
        enum { PATIENCE_MS = 100 };
        for (size_t done = 0; out_ >= 0 && done < line_.size();) {
            ssize_t n = write(out_, line_.data() + done, line_.size() - done);
            pollfd p{out_, POLLOUT, 0};
            if (n < 0 && errno == EAGAIN && poll(&p, 1, PATIENCE_MS) > 0)
                continue; // a terminal that is read slowly
            if (n < 0 && errno != EINTR)
                break; // there is no reader
            done += n > 0 ? static_cast<size_t>(n) : 0;
        }
        line_.clear();
    }
    std::string log; // for the database
    // Where input goes, and whether anything except input can wake the core.
    mp_uart *uart = nullptr;
    std::function<void()> received;
    std::function<void(const char *why)> late; // called once, if the script waits too long
    const Core *core = nullptr;
    bool listens() const { return in_ >= 0 || (script_ && !mp_script_done(script_)); }

  private:
    // Checks for input at regular intervals of simulated time. While the core waits, the host sleeps, too.
    void listen()
    {
        const sc_core::sc_time pause(100, sc_core::SC_US);
        enum { REST_MS = 1 };
        pollfd p{in_, POLLIN, 0};
        for (;;) {
            wait(pause);
            if (!line_.empty())
                flush();
            uint8_t c;
            while (mp_uart_room(uart) && poll(&p, 1, core->waiting ? REST_MS : 0) > 0 && p.revents & POLLIN) {
                if (read(in_, &c, 1) != 1)
                    return; // the end of the input
                mp_uart_receive(uart, c);
                received();
            }
            if (p.revents & ~POLLIN)
                poll(nullptr, 0, core->waiting ? REST_MS : 0); // a pty that has not been opened yet
        }
    }
    // All by simulated time, so that each run is the same.
    void play()
    {
        const sc_core::sc_time pause(100, sc_core::SC_US);
        mp_error err;
        while (!mp_script_done(script_)) {
            wait(pause);
            uint64_t now = sc_core::sc_time_stamp().value();
            for (int c; mp_uart_room(uart) && (c = mp_script_next(script_, now)) >= 0;) {
                mp_uart_receive(uart, static_cast<uint8_t>(c));
                received();
            }
            if (mp_script_late(script_, now, &err))
                return late(err.text);
        }
    }
    int in_, out_;
    mp_script *script_;
    std::string line_;
};

// SystemC prints on stdout, which is for results.
void report(const sc_core::sc_report &r, const sc_core::sc_actions &actions)
{
    if (r.get_severity() == sc_core::SC_WARNING)
        std::fprintf(stderr, "mempath: SystemC: %s\n", r.get_msg());
    if (actions & sc_core::SC_THROW)
        throw r;
}

double processor_seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

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

// The host's side of semihosting.
struct Host {
    Soc &soc;
    Console &console;
    mp_script *script;
    Observer *observer = nullptr;
    std::function<void(const char *why)> fail;
    mp_semihosting calls{};

    Host(Soc &s, Console &c, mp_script *keys) : soc(s), console(c), script(keys) {}
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;
    ~Host()
    {
        if (calls.hart)
            mp_semihosting_close(&calls);
    }
    static Host &of(void *self) { return *static_cast<Host *>(self); }
    uint64_t now() const { return (sc_core::sc_time_stamp() + soc.core.ahead()).value(); }
    static void print(void *self, uint8_t c)
    {
        of(self).console.send(c);
        of(self).observer->received(); // a character of the console is progress
    }
    // The program waits, so pauses of the script are over at once.
    static int key(void *self)
    {
        constexpr uint64_t longest_pause = UINT64_C(1000) * 1000000000000;
        Host &h = of(self);
        int c = h.script ? mp_script_next(h.script, h.now()) : -1;
        return c < 0 && h.script ? mp_script_next(h.script, h.now() + longest_pause) : c;
    }
    static void starved(void *self)
    {
        of(self).fail("the program waits for a character, and none will come");
    }
    static uint64_t picoseconds(void *self) { return of(self).now(); }
    static void finish(void *self, int code) { of(self).soc.finisher.finish(code); }
    int open(const mp_soc_run &run, mp_error *err)
    {
        enum : uint64_t { STACK = 1 << 20 };
        const uint64_t end = MP_RAM_BASE + MP_RAM_BYTES, begin = (soc.program_end + 15) & ~UINT64_C(15);
        calls.hart = soc.core.hart;
        calls.command_line = run.command_line ? run.command_line : run.image;
        calls.self = this;
        calls.print = print;
        calls.key = key;
        calls.starved = starved;
        calls.picoseconds = picoseconds;
        calls.finish = finish;
        const uint64_t heap[] = {begin, end - STACK, end, end - STACK};
        std::copy_n(heap, 4, calls.heap);
        soc.core.semihost = [this] {
            observer->called();
            mp_semihosting_call(&calls);
        };
        return mp_semihosting_open(&calls, run.files, err);
    }
};

bool has_arrays(const mp_rtl &rtl)
{
    return std::any_of(rtl.part, rtl.part + rtl.parts,
                       [](const mp_rtl_part &p) { return p.block->tlb || p.block->directory; });
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
    options.semihosting = run.semihosting;
    Soc soc("soc", options);
    console.uart = &soc.uart.model;
    console.core = &soc.core;
    if (soc.load(run.image, err))
        return -1;
    Coverage coverage;
    if (coverage.open(run, soc, err))
        return -1;
    Observer observer(soc, gpu.model, run, coverage.counts);
    Host host(soc, console, run.script);
    host.observer = &observer;
    if (run.semihosting && host.open(run, err))
        return -1;
    console.received = [&] { observer.received(); };
    gpu.who = [&] { return observer.who(); };
    if (!has_rtl && (!run.plugin || !*run.plugin))
        observer.rests([&] {
            mp_dma_move move;
            return !console.listens() && mp_groups_next(gpu.kernel.groups()) == MP_NEVER &&
                   !mp_dma_next(&soc.dma.model, &move);
        });
    frames.self = &observer;
    frames.place = [](void *self, const mp_store *by, char *text, size_t size) {
        std::snprintf(text, size, "%s", static_cast<const Observer *>(self)->place(*by).c_str());
    };
    bool interrupted = false;
    if (run.max_instructions)
        soc.core.limit = run.max_instructions;
    Debugger debugger(soc);
    debugger.stop = run.stop;
    if (run.gdb >= 0 && debugger.listen(static_cast<unsigned>(run.gdb), err))
        return -1;
    soc.core.debugged = run.gdb >= 0;
    soc.core.wants_step = [&] { return debugger.wants_step(); };
    soc.core.stopped = [&](mp_hart_stop stop) {
        console.flush();
        if (stop == MP_HART_WATCHPOINT)
            debugger.watched();
        else
            debugger.stopped();
    };
    soc.core.between = [&] {
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
    host.fail = fail;

    Livelock livelock{soc, gpu, observer};
    if (run.gdb < 0)
        gpu.model.watch = {run.replay_limit, &livelock, Livelock::found};

    gpu.kernel.poll = [&] { // while the core waits, nothing else checks
        if (!run.stop || !*run.stop)
            return;
        interrupted = true;
        gpu.kernel.stop();
    };

    Clock::time_point start = Clock::now();
    double worked = processor_seconds();
    sc_core::sc_start();
    gpu.kernel.settle();
    result->processor_seconds = processor_seconds() - worked;
    result->seconds = std::chrono::duration<double>(Clock::now() - start).count();

    result->counts = *mp_hart_counts(soc.core.hart);
    result->picoseconds = sc_core::sc_time_stamp().value();
    mp_hart_read(soc.core.hart, MP_HART_PC, &result->pc);
    result->exit_code = soc.exit_code;
    if (rtl.difference())
        soc.core.failure = rtl.difference();
    else if (!gpu.kernel.failure.empty())
        soc.core.failure = gpu.kernel.failure;
    bool cut = run.script && mp_script_cut(run.script) && soc.core.failure.empty();
    if (cut && soc.finished) {
        mp_error why;
        mp_script_where(run.script, &why);
        soc.core.failure = why.text;
    }
    if (soc.finished && !cut && !rtl.difference()) {
        debugger.exited(soc.exit_code);
        result->end = MP_SOC_FINISHED;
    } else if (interrupted)
        result->end = MP_SOC_INTERRUPTED;
    else if (!soc.core.failure.empty() || soc.core.waiting)
        result->end = MP_SOC_STUCK;
    else
        result->end = MP_SOC_LIMIT;
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
