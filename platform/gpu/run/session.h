// SPDX-License-Identifier: Apache-2.0
// One run of a machine: its modules, what happens while SystemC runs, and its results. The caller starts
// SystemC between the constructor and finish().
#ifndef MP_GPU_SESSION_H
#define MP_GPU_SESSION_H

#include <chrono>
#include <memory>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/run/check.h"
#include "gpu/run/managed_window.h"
#include "gpu/run/recorder.h"
#include "gpu/run/watch.h"
#include "gpu/run/windows.h"
#include "gpu/tlm/stand_in.h"
#include "platform.h"

namespace mp
{

class Session
{
  public:
    // name: of the machine's module. The run, and what the options refer to, must outlive the session. A
    // tenant without a trace (app: external) runs nothing: modules of others send its requests. Throws
    // Refused, std::bad_alloc, std::system_error if threads cannot be started, and what hooks throw.
    Session(const char *name, const mp_run &run, const GpuOptions &options);
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    // Whether each application has ended as often as it is measured, or the run cannot go on. Without
    // applications: whether nothing is left to do in the machine's own blocks.
    bool finished() const;
    // After sc_start(): the results, also into run.db. A run that something else has stopped before its
    // applications ended is cut. -1 with one line in err.
    int finish(mp_result *result, mp_error *err);

    Gpu &gpu() { return gpu_; }
    const RtlBlocks &rtl() const { return rtl_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct CloseReader {
        void operator()(gwt_reader *r) const { gwt_close(r); }
    };
    using Readers = std::vector<std::unique_ptr<gwt_reader, CloseReader>>; // empty for an external tenant

    static Readers open_traces(const mp_run &run);
    static std::vector<gwt_reader *> plain(const Readers &readers);
    GpuOptions with_own_hooks(GpuOptions options);
    void expect();
    void mark();
    void poll();
    unsigned measured() const { return warm_ ? 1 : run_.config->ntenants; }
    void freeze(unsigned tenant, bool later);
    bool complete(unsigned tenant);
    bool complete_warm(unsigned tenant);
    void cut();
    void epoch();
    void checkpoint();
    void end_warmup();
    void fail();
    void results(mp_result *result) const;

    const mp_run &run_;
    Readers readers_;
    RtlBlocks rtl_; // outlives the GPU, whose blocks it replaces
    CheckHook check_;
    ManagedWindowHook managed_window_;
    Gpu gpu_;
    Recorder recorder_;
    Windows windows_;
    Watch watch_;
    mp_balance balance_{};
    mp_progress progress_{};
    Clock::time_point looked_ = Clock::now();
    unsigned applications_ = 0;          // number of tenants that have one
    unsigned open_ = 0;                  // of these, those whose first run has not ended
    bool warm_ = false, warmed_ = false; // the first tenant's runs are measured, except the first of them
    bool interrupted_ = false;
    mp_error error_{};
    bool failed_ = false, checkpointed_ = false, wrote_ = false;
    bool counts_ = true;                     // the warm-up has ended
    uint64_t warmup_accesses_ = 0;           // of all tenants
    Clock::time_point start_ = Clock::now(); // of simulation
};

// To be called in a handler of exceptions of a session and its hooks: puts into err what was thrown. whose:
// the modules that throw what is no error of ours. -1.
int say_thrown(const mp_run &run, const char *whose, mp_error *err);

} // namespace mp

#endif
