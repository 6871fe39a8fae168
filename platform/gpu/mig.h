// SPDX-License-Identifier: Apache-2.0
// A GPU whose instances come and go at run time (models/mig), next to a management core: a module for each
// block of its plan, and the memory's socket. Of links that begin at the same socket of a block, the GPU
// selects the one in use.
#ifndef MP_GPU_MIG_H
#define MP_GPU_MIG_H

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include <tlm_utils/simple_target_socket.h>

#include "gpu/assembly.h"
#include "gpu/run/kernel.h"
#include "mig/mig.h"

namespace mp
{

class MigGpu : public sc_core::sc_module
{
  public:
    // deciders: RTL for TLBs and page-walk systems, attached again whenever firmware selects another policy
    // or scheduler; NULL if none. Not owned. Throws Refused if a hook matches no block.
    MigGpu(const sc_core::sc_module_name &name, double clock_mhz, const mp_machine &machine,
           const mp_mig_host &host, const GpuOptions &options = {}, Hook *deciders = nullptr);
    ~MigGpu() override;

    void end_of_elaboration() override;

    Kernel kernel;
    mp_mig model;
    mp_mgmt_gpu operations;
    tlm_utils::simple_target_socket<MigGpu> memory; // from address 0 on
    // Returns the origin of the memory access in progress, for checks. The caller sets the cycle.
    std::function<mp_store()> who = [] { return mp_store{}; };
    // Called if the deciders cannot work as firmware demands, with the reason.
    std::function<void(const char *why)> refused;

  private:
    bool copy(tlm::tlm_generic_payload &payload, bool debug);
    int transfer(tlm::tlm_generic_payload &payload);
    int transfer_checked(tlm::tlm_generic_payload &payload);
    // A write takes effect at the time of the access, not before.
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(tlm::tlm_generic_payload &payload);

    void assemble(const mp_plan &plan);
    Site site(uint32_t block) { return {*fabric_, *plan_, block}; }
    bool decides(uint32_t block) const { return deciders_ && deciders_->wants(plan_->block[block]); }

    // struct mp_mig_assembly.
    static int begin(void *self, const mp_plan *plan, mp_wheel *wheel);
    static void *find(void *self, uint32_t block);
    static void join(void *self, uint32_t link);
    static int change(void *self, uint32_t block, void *params);
    static void changed(void *self, uint32_t block);

    GpuOptions options_;
    Hook *deciders_;
    const mp_plan *plan_ = nullptr;
    Split split_;
    std::vector<const mp_page_table *> tables_; // which firmware writes
    std::unique_ptr<Fabric> fabric_;
    std::unique_ptr<Assembly> assembly_;
    std::exception_ptr failure_; // of the assembly
};

} // namespace mp

#endif
