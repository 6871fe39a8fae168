// SPDX-License-Identifier: Apache-2.0
// A GPU whose instances come and go at run time (models/mig), next to a management core. Its blocks are
// models that call each other directly; one module around them has the memory's socket and the time.
#ifndef MP_GPU_MIG_H
#define MP_GPU_MIG_H

#include <tlm_utils/simple_target_socket.h>

#include "gpu/kernel.h"
#include "mig/mig.h"

namespace mp
{

class MigGpu : public sc_core::sc_module
{
  public:
    MigGpu(const sc_core::sc_module_name &name, double clock_mhz, const mp_machine &machine,
           const mp_mig_host &host);
    ~MigGpu() override { mp_mig_free(&model); }

    Kernel kernel;
    mp_mig model;
    mp_mgmt_gpu operations;
    tlm_utils::simple_target_socket<MigGpu> memory; // from address 0 on

  private:
    bool copy(tlm::tlm_generic_payload &payload);
    // A write takes effect at the time of the access, not before.
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(tlm::tlm_generic_payload &payload);
};

} // namespace mp

#endif
