// SPDX-License-Identifier: Apache-2.0
// A run as an estimate (models/gpu/estimate.h): gives the model the GPU's applications and counters.
#ifndef MP_GPU_ESTIMATE_RUN_H
#define MP_GPU_ESTIMATE_RUN_H

#include <array>
#include <memory>
#include <vector>

#include "gpu/estimate.h"
#include "gpu/gpu.h"
#include "platform.h"

namespace mp
{

class Estimate
{
  public:
    // error: half width of the IPC's interval, relative. The GPU must outlive the estimate.
    Estimate(Gpu &gpu, const std::vector<gwt_reader *> &readers, double error);

    // The tenant has ended, or the run: keeps its results up to now.
    void freeze(unsigned tenant) { kept_[tenant] = mp_estimate_of(model_.get(), tenant); }
    void result(mp_result *result) const;

  private:
    static uint64_t count(void *self, unsigned tenant, mp_estimate_count count);

    struct Free {
        void operator()(mp_estimate *e) const { mp_estimate_free(e); }
    };
    using Places = std::vector<const uint64_t *>;                  // of a counter, in all components
    std::vector<std::array<Places, MP_ESTIMATE_COUNTS>> counters_; // by tenant
    std::vector<mp_estimated> kept_;
    std::unique_ptr<mp_estimate, Free> model_;
};

} // namespace mp

#endif
