// SPDX-License-Identifier: Apache-2.0
// Keeps the counters of each tenant at the end of its first complete run, or of its last (stats.runs), writes
// them to the database, and computes the run's digest from them.
#ifndef MP_GPU_RECORDER_H
#define MP_GPU_RECORDER_H

#include <memory>
#include <string>
#include <vector>

#include "engine/groups.h"
#include "gpu/tlm/component.h"
#include "sm/app.h"

struct mp_db;

namespace mp
{

class Recorder
{
  public:
    // The caller keeps the components alive. groups: those that the components are in; nullptr: there is one.
    Recorder(const std::vector<Component> &components, unsigned tenants, mp_db *db,
             const mp_groups *groups = nullptr);

    // Excludes all counts up to now. To be called before anything is kept, when all groups have reached the
    // current cycle.
    void begin();
    // Keeps the tenant's counters at the end of a complete run of the tenant: those of other groups than the
    // applications' when these groups reach the current cycle.
    void freeze_later(unsigned tenant);
    // The same, when all groups have reached the current cycle.
    void freeze(unsigned tenant);
    // Keeps the counters of components that serve no tenants.
    void freeze_others() { keep_all(no_tenant); }
    bool frozen(unsigned tenant) const { return frozen_[tenant]; }
    int snapshot(uint64_t cycle, mp_error *err); // records the counters at the start of an epoch
    // A kernel of the tenant ends in the current cycle: keeps what has been counted for the tenant, in other
    // groups when these reach the cycle. Kernels after the tenant was frozen are left out.
    void kernel_ended(unsigned tenant, const char *kernel, uint64_t began, uint64_t ended);
    int write(mp_error *err);
    // XXH3-128 over path, tenant, names and values of all kept counters, in the order of the components.
    // Components of a design are included only if they have counted anything for the tenant. So a design that
    // is present but inactive does not change the digest, and its counters may be added or removed. For the
    // machine's blocks, zeros are included, too.
    void digest(uint64_t out[2]) const;
    // Sum of a kept counter over the components of a kind ("l2_tlb").
    uint64_t sum(const char *kind, const char *metric, unsigned tenant) const;

  private:
    struct Kept { // one component's counters for one tenant
        size_t component;
        int tenant; // or no_tenant
        std::vector<uint64_t> words;
    };
    static constexpr int no_tenant = -1; // as MP_DB_NO_TENANT
    // A counter of a component that launches have, and its place in the group's columns.
    struct Counter {
        size_t component, place;
        unsigned metric;
    };
    struct Counters { // of a group
        std::vector<Counter> counter;
        std::vector<size_t> column;
    };
    struct Column {
        std::string kind;
        const mp_metric *metric;
        size_t component; // the first one of the kind
    };
    // What clerks are sent: to keep a tenant's counters at its end, or those of a launch.
    struct Task {
        int tenant;
        bool launch;
    };
    struct Launch : Task {
        unsigned number;
        std::string kernel;
        uint64_t began, ended;
        std::vector<std::vector<uint64_t>> sum; // by group and its columns, up to the launch's end
    };
    struct Clerk { // keeps counters of a group in that group
        mp_sender sender;
        Recorder *recorder;
        uint32_t group;
        static void arrive(mp_sender *sender, void *task);
    };
    void list_counters();
    void send(Task *task);
    void count(Launch &launch, uint32_t group);
    int write_launches(mp_error *err);
    bool has_counted(const Component &c);
    void open(int tenant);
    void keep(int tenant, uint32_t group);
    void keep_all(int tenant);
    void subtract(Kept &kept) const;
    size_t place(size_t component, int tenant) const;
    static void refresh(const Component &c, int tenant);
    static uint64_t *live(const Component &c, int tenant);
    int declare(size_t component, mp_error *err);

    const std::vector<Component> &components_;
    unsigned tenants_;
    mp_db *db_;
    const mp_groups *groups_;
    std::vector<Clerk> clerks_;      // of groups 1, 2, ...
    std::vector<Task> ends_;         // of each tenant
    std::vector<unsigned> launched_; // by each tenant
    std::vector<std::unique_ptr<Launch>> launches_;
    std::vector<Counters> counters_; // by group
    std::vector<Column> columns_;
    std::vector<bool> frozen_;
    std::vector<Kept> kept_;
    std::vector<std::vector<uint64_t>> before_; // by place(): the counters at begin(); empty without it
    std::vector<int> component_id_;             // -1 if it is not yet in the database
    std::vector<std::vector<int>> metric_id_;   // per component, per metric
};

} // namespace mp

#endif
