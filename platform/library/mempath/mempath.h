// SPDX-License-Identifier: Apache-2.0
// The GPU as a module of a program with its own sc_main(): libmempath. README.md of this folder shows how it
// is used, and the README of platform/gpu describes the sockets.
//
//   mp::Machine gpu;
//   gpu.hooks.add<mp::ForeignHook>("gpu.*.dram", make_dram);
//   if (!gpu.open({"mine.yaml"}) || !gpu.build("gpu") || !gpu.run())
//       return fail(gpu.error());
//
// No function ends the program, prints anything, or throws, unless it says otherwise.
#ifndef MEMPATH_H
#define MEMPATH_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/tlm/plugin.h"

struct mp_db_run_info;
struct mp_db_tenant;

namespace mp
{

struct Setup {
    std::string file;                  // a YAML file, or the name of a shipped preset or experiment...
    std::string text = {};             // ...or YAML instead of it
    std::vector<std::string> set = {}; // as --set: "l3_tlb.entries=2048"
    std::string db = {};               // the database in which the run is recorded; empty: in none
    bool check = false;                // compares every translation with the page table, as run --check
};

class Machine
{
  public:
    Machine();
    ~Machine(); // a run that has not ended is recorded as interrupted
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    // What is attached to the machine, by the paths of its blocks (gpu/tlm/hook.h). Hooks are added before
    // build(), and each must match a block. They live as long as the machine.
    mp_hooks hooks;

    // The functions below return false if they have failed, with one line in error(): where, what is wrong,
    // what is allowed.
    const std::string &error() const;

    // Reads the configuration. interface: leave it, so that a library of other headers refuses the program.
    bool open(const Setup &setup, const char *interface = MP_PLUGIN_INTERFACE);

    // After open(): the machine's blocks, by their paths, and its links, in the order in which each block
    // numbers those that leave it.
    struct Link {
        std::string from, to;
        bool translation; // or memory
    };
    const std::vector<std::string> &blocks() const;
    const std::vector<Link> &links() const;

    // Makes the module, a child of the module in whose constructor it is called. A tenant needs a trace, or
    // is external (app: external) and modules in the place of its SMs send its requests. After an error the
    // program must not simulate: SystemC keeps processes of modules that are gone.
    bool build(const char *name);

    // After build(): maps the pages of these addresses in a tenant's address space. Addresses that have no
    // page fault. The address space of tenant t is number t.
    bool map(unsigned tenant, uint64_t va, uint64_t bytes);

    // Starts SystemC, and ends the run when SystemC stops: when each application has ended as often as it is
    // measured, at the cycle `until` (0: no limit), when nothing is left to happen, or when a module stops
    // it. If that is before the applications have ended, the results are those up to there.
    bool run(uint64_t until = 0);

    // For a program that calls sc_start() itself: whether the run is over, and end(), which ends it after
    // that. SystemC has then paused, and may go on with other modules. Without applications, finished() is
    // whether the machine's own blocks have nothing left to do. A machine to which nothing is attached may be
    // up to 8192 cycles ahead of SystemC's time.
    bool finished() const;
    bool end();

    // A counter since the start: its sum over the blocks and designs whose paths match the pattern
    // (fnmatch(3)), of a tenant, or of all (-1). Nothing if there is no such counter. After end(), the
    // database has the same value, unless there is a warm-up.
    std::optional<uint64_t> counter(const std::string &pattern, const std::string &metric,
                                    int tenant = -1) const;

    // After end().
    uint64_t cycles() const;
    const std::string &digest() const; // of all results, as in the database
    int64_t run_id() const;            // its row in the database, or 0

  private:
    struct State;
    bool failed(const std::string &why);
    bool describe();
    bool describe_tenants(mp_db_tenant *rows, bool &attaches);
    bool begin();
    bool begin_run(mp_db_run_info &info);
    bool choose_traces();

    std::string error_;
    std::unique_ptr<State> state_;
};

} // namespace mp

#endif
