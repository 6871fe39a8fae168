// SPDX-License-Identifier: Apache-2.0
// Watches a run: ends it when nothing moves any more, and takes X-rays on demand.
#ifndef MP_GPU_WATCH_H
#define MP_GPU_WATCH_H

#include <chrono>
#include <string>

#include "gpu/gpu.h"
#include "gpu/watchdog.h"
#include "platform.h"

namespace mp
{

class Watch
{
  public:
    Watch(Gpu &gpu, const mp_run &run);
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

    // Called between windows, some times a second.
    void poll();
    // The run goes on after a pause, or in another process, and may have other limits: the host's time begins
    // anew, and with another limit the cycles, too.
    void resume();
    // The run has reached the cycle that the user chose.
    void cut();
    // No event is left, and the applications of `tenants` tenants have not ended; 0: there are none, and the
    // run is stuck if requests wait.
    void nothing_left(unsigned tenants);
    // Why the run is stuck, in one line; empty as long as it is not.
    const std::string &stuck() const { return stuck_; }

  private:
    using Clock = std::chrono::steady_clock;
    void mark();
    void end(const std::string &what, int tenant);
    bool waiting() const; // a request is in a block, or was sent and has no answer
    void take(mp_xray_cause cause, const std::string &what, int tenant);

    Gpu &gpu_;
    const mp_run &run_;
    mp_watchdog dog_;
    size_t mark_; // of the kernel
    std::string stuck_;
    int looked_;
    uint64_t progress_ = 0; // of all tenants, and since when by the host's clock
    Clock::time_point since_ = Clock::now();
};

} // namespace mp

#endif
