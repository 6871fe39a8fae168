// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: the counters of each tenant as they stood at the end of its first
// complete run, or of its last (stats.runs), written to the database and folded into the digest.
#ifndef MP_GPU_RECORDER_H
#define MP_GPU_RECORDER_H

#include <vector>

#include "gpu/gpu.h"

struct mp_db;

namespace mp
{

class Recorder
{
  public:
    // The components stay the caller's.
    Recorder(const std::vector<Component> &components, unsigned tenants, mp_db *db);

    // A complete run of its has ended: what it has counted so far is what it leaves.
    void freeze(unsigned tenant);
    // The same of components that serve no tenants.
    void freeze_others() { keep(no_tenant); }
    bool frozen(unsigned tenant) const { return frozen_[tenant]; }
    int snapshot(uint64_t cycle, mp_error *err); // an epoch starts
    int write(mp_error *err);
    void digest(uint64_t out[2]) const;
    // Sum of a frozen counter over the components of a kind.
    uint64_t sum(const char *kind, const char *metric, unsigned tenant) const;

  private:
    struct Kept { // one component's counters for one tenant
        size_t component;
        int tenant; // or no_tenant
        std::vector<uint64_t> words;
    };
    static constexpr int no_tenant = -1; // as MP_DB_NO_TENANT
    void keep(int tenant);
    static void refresh(const Component &c, int tenant);
    static const uint64_t *live(const Component &c, int tenant);
    int declare(size_t component, mp_error *err);

    const std::vector<Component> &components_;
    unsigned tenants_;
    mp_db *db_;
    std::vector<bool> frozen_;
    std::vector<Kept> kept_;
    std::vector<int> component_id_;           // -1: not yet in the database
    std::vector<std::vector<int>> metric_id_; // per component, per metric
};

} // namespace mp

#endif
