// SPDX-License-Identifier: Apache-2.0
// The managed memory of the tenants of an instance: a server of their page faults (paging/paging.h).
#ifndef MP_GPU_MANAGED_H
#define MP_GPU_MANAGED_H

#include <memory>
#include <vector>

#include "gpu/configure.h"
#include "gpu/run/kernel.h"
#include "paging/paging.h"
#include "sm/app.h"

namespace mp
{

class Managed
{
  public:
    struct Ways { // of copies: to the host, and to the GPU's memory; they outlive this
        mp_host_link *link;
        mp_copies *copies; // nullptr: copies access no lines
    };
    // readers: the traces of the tenants, at their beginnings, where they are left. Throws Refused if the
    // pool's memory is more than the frames have, or less than the tenants need.
    Managed(Kernel &kernel, const mp_config &config, mp_frames &frames, const Ways &ways,
            const std::vector<gwt_reader *> &readers);

    void add(const mp_app &app); // its SMs use managed memory
    int open(mp_space &space, uint64_t va, uint64_t bytes, mp_error *err);
    bool close(const mp_space &space, uint64_t va); // false: no buffer begins there
    bool fault(mp_sm &sm, mp_req &page);
    mp_paging_stats *stats(unsigned tenant) { return mp_paging_counters(paging_.get(), tenant); }

    mp_paging &server() { return *paging_; }
    uint64_t moves() const { return mp_paging_moves(paging_.get()); }

  private:
    struct Free {
        void operator()(mp_paging *p) const { mp_paging_free(p); }
    };
    static void failed(void *self, unsigned asid, const char *why);

    Kernel &kernel_;
    std::unique_ptr<mp_paging, Free> paging_;
};

} // namespace mp

#endif
