// SPDX-License-Identifier: Apache-2.0
// An observer on a link: a module in the middle that passes TLM transactions on and writes a line for each
// that ends. Being no native target, it switches the direct calls off on its link and nowhere else.
#ifndef MP_GPU_TAP_H
#define MP_GPU_TAP_H

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "gpu/gpu.h"

namespace mp
{

class ObserverTap : public sc_core::sc_module,
                    public Tap,
                    public tlm::tlm_fw_transport_if<>,
                    public tlm::tlm_bw_transport_if<>
{
  public:
    ObserverTap(const sc_core::sc_module_name &name, Kernel &kernel, std::FILE *out);

    static void header(std::FILE *out);
    tlm::tlm_target_socket<> &target() override { return in_; }
    tlm::tlm_initiator_socket<> &initiator() override { return out_; }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override;
    void b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &t) override { out_->b_transport(p, t); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &p, tlm::tlm_dmi &d) override
    {
        return out_->get_direct_mem_ptr(p, d);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 a, sc_dt::uint64 b) override
    {
        in_->invalidate_direct_mem_ptr(a, b);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &p) override { return out_->transport_dbg(p); }

  private:
    void write(const tlm::tlm_generic_payload &p, uint64_t in, uint64_t out, const char *outcome);

    tlm::tlm_target_socket<> in_;
    tlm::tlm_initiator_socket<> out_;
    Kernel &kernel_;
    std::FILE *file_;
    std::map<const tlm::tlm_generic_payload *, uint64_t> began_;
};

} // namespace mp

#endif
