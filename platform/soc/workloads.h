// SPDX-License-Identifier: Apache-2.0
// The recorded workloads of a managed GPU, by number. Each trace is opened, and so checked, once before the
// run. It is opened again only if it runs on two instances at once.
#ifndef MP_SOC_WORKLOADS_H
#define MP_SOC_WORKLOADS_H

#include <vector>

#include "mig/mig.h"
#include "soc/run.h"

namespace mp::soc
{

class Workloads
{
  public:
    Workloads() = default;
    Workloads(const Workloads &) = delete;
    Workloads &operator=(const Workloads &) = delete;
    ~Workloads();

    // Returns -1 with err on failure.
    int open(const mp_soc_run &run, mp_error *err);
    // The GPU's access to the workloads, which must outlive the GPU.
    mp_mig_host host();

  private:
    struct Workload {
        const char *path = nullptr, *checked = nullptr;
        const mp_config *machine = nullptr;
        std::vector<gwt_reader *> spare;
        bool listed = false;
        std::vector<mp_mgmt_memory>
            buffers; // all buffers that it allocates, in order, once they have been listed
    };
    Workload *find(unsigned number);
    static gwt_reader *take(Workload &w, mp_error *err);
    static void list_buffers(Workload &w);

    static bool buffer(void *self, unsigned number, unsigned which, mp_mgmt_memory *b);
    static gwt_reader *lend(void *self, unsigned number);
    static void give_back(void *self, unsigned number, gwt_reader *reader);
    static void refused(void *self, const char *why);

    std::vector<Workload> list_;
    bool host_accesses_ = false; // launches ask for what the host accesses
};

} // namespace mp::soc

#endif
