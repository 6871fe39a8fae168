// SPDX-License-Identifier: Apache-2.0
// Whole runs of three recorded applications, for tests. SystemC simulates once per process, so that every run
// is a child.
#ifndef TB_PLATFORM_BENCH_H
#define TB_PLATFORM_BENCH_H

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "gpu/run/run.h"
#include "gpu/tlm/tap.h"
#include "tlm/foreign.h"
#include "tlm/foreign_l3.h"

extern "C" {
#include <cmocka.h> // last: it defines a macro fail
}

namespace platform_bench
{

inline const char *traces[3]; // three recorded applications, from the command line

// Patterns of paths that cover every boundary of the machine.
const char *const boundaries[] = {"gpu.gpc*.tpc*.l1_tlb", "gpu.gpc*.l2_tlb", "gpu.l3_tlb",   "gpu.mig*.walk",
                                  "gpu.gpc*.l1d",         "gpu.mig*.l2d",    "gpu.mig*.dram"};
constexpr unsigned nboundaries = sizeof boundaries / sizeof *boundaries;

struct Outcome {
    mp_result result;
    uint64_t requests[nboundaries]; // that taps have seen at each boundary
    ForeignTlb::Counts foreign;
    foreign::Counts wire; // of modules that know the wire format only
    uint64_t below;       // requests that they sent
    char chain[512];      // of an X-ray's oldest request
    mp_error error;
    int status;
};

inline mp_config three_tenants(const char *const *overrides, unsigned n)
{
    mp_config config;
    mp_error err{};
    std::vector<const char *> all = {"tenants.0.trace=a",  "tenants.1.trace=b",  "tenants.2.trace=c",
                                     "tenants.0.slices=3", "tenants.1.slices=2", "tenants.2.slices=2"};
    all.insert(all.end(), overrides, overrides + n);
    if (mp_config_load(&config, "star-a100-mig", static_cast<unsigned>(all.size()), all.data(), &err))
        fail_msg("%s", err.text);
    return config;
}

// Runs in a child; what it finds comes back through a pipe.
inline Outcome run_in_child(const std::function<void(Outcome &)> &body)
{
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        Outcome o{};
        body(o);
        ssize_t n = write(fd[1], &o, sizeof o);
        _exit(n == sizeof o ? 0 : 1);
    }
    Outcome o{};
    close(fd[1]);
    char *at = reinterpret_cast<char *>(&o);
    size_t got = 0;
    for (ssize_t n; got < sizeof o && (n = read(fd[0], at + got, sizeof o - got)) > 0;)
        got += static_cast<size_t>(n);
    close(fd[0]);
    int status;
    waitpid(child, &status, 0);
    if (got != sizeof o || status)
        fail_msg("the run's process ended with status %d", status);
    if (o.status)
        fail_msg("%s", o.error.text);
    return o;
}

// The traces of the command line.
inline bool take_traces(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s TRACE TRACE TRACE\n", argv[0]);
        return false;
    }
    for (int t = 0; t < 3; t++)
        traces[t] = argv[t + 1];
    return true;
}

} // namespace platform_bench

using namespace platform_bench;

#endif
