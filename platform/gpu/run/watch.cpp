// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/watch.h"

namespace mp
{

namespace
{
// The kernel also polls at marks, which the host's limit needs.
uint64_t mark_cycles(const mp_run &run)
{
    constexpr uint64_t idle_mark = 1000000;
    return run.watchdog ? run.watchdog : run.watchdog_seconds > 0 ? idle_mark : 0;
}

struct Report : mp_xray_report {
    Report() : mp_xray_report{} {}
    Report(const Report &) = delete;
    Report &operator=(const Report &) = delete;
    ~Report() { mp_xray_free(this); }
};
} // namespace

Watch::Watch(Gpu &gpu, const mp_run &run) : gpu_(gpu), run_(run), looked_(run.look ? *run.look : 0)
{
    mp_watchdog_init(&dog_, run.watchdog);
    mark_ = gpu.kernel.every(mark_cycles(run), [this] { mark(); });
}

// Cycles are counted from mark to mark, so the same runs end in the same cycle.
void Watch::mark()
{
    uint64_t now = gpu_.kernel.now();
    for (unsigned t = 0; run_.watchdog && t < gpu_.apps.size() && stuck_.empty(); t++) {
        const mp_app *app = &gpu_.apps[t];
        if (mp_watchdog_look(&dog_, t, gpu_.progress(t), mp_app_blocked(app), now))
            end("stuck at cycle " + std::to_string(now) + ": tenant " + std::to_string(t) +
                    " has neither issued an instruction nor finished an access for " +
                    std::to_string(run_.watchdog) + " cycles",
                static_cast<int>(t));
    }
}

void Watch::poll()
{
    if (run_.look && *run_.look != looked_) {
        looked_ = *run_.look;
        take(MP_XRAY_ASKED, "", -1);
    }
    if (run_.watchdog_seconds <= 0 || !stuck_.empty())
        return;
    uint64_t progress = 0;
    for (unsigned t = 0; t < gpu_.apps.size(); t++)
        progress += gpu_.progress(t);
    Clock::time_point now = Clock::now();
    if (progress != progress_) {
        progress_ = progress;
        since_ = now;
    } else if (std::chrono::duration<double>(now - since_).count() >= run_.watchdog_seconds) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", run_.watchdog_seconds);
        end("stuck at cycle " + std::to_string(gpu_.kernel.now()) +
                ": no tenant has issued an instruction or finished an access for " + seconds +
                " seconds of the host",
            -1);
    }
}

void Watch::resume()
{
    since_ = Clock::now();
    looked_ = run_.look ? *run_.look : 0;
    if (run_.watchdog != dog_.cycles)
        mp_watchdog_init(&dog_, run_.watchdog);
    gpu_.kernel.reset(mark_, mark_cycles(run_));
}

void Watch::cut()
{
    take(MP_XRAY_CUT, "", -1);
}

void Watch::nothing_left(unsigned tenants)
{
    const std::string what =
        "stuck at cycle " + std::to_string(gpu_.kernel.now()) + ": nothing is left to happen, but ";
    if (!stuck_.empty())
        return;
    if (tenants)
        end(what + std::to_string(tenants) + (tenants == 1 ? " tenant has" : " tenants have") +
                " not finished",
            -1);
    else if (waiting())
        end(what + "requests have no answer", -1);
}

void Watch::end(const std::string &what, int tenant)
{
    take(MP_XRAY_STUCK, what, tenant);
    gpu_.kernel.stop();
}

bool Watch::waiting() const
{
    Report report;
    gpu_.xray(&report);
    return report.items > 0;
}

// tenant: whose oldest request the reason names; -1: anyone's.
void Watch::take(mp_xray_cause cause, const std::string &what, int tenant)
{
    Report report;
    char oldest[MP_XRAY_LINE];
    gpu_.xray(&report);
    if (cause == MP_XRAY_STUCK)
        stuck_ = what + "; " + mp_xray_oldest(&report, tenant, true, oldest);
    if (run_.xray)
        run_.xray(run_.context, &report, cause, stuck_.c_str());
}

} // namespace mp
