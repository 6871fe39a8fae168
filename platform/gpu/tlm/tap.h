// SPDX-License-Identifier: Apache-2.0
// Observers on a link: modules in the middle that pass TLM transactions on and write lines. They are not
// native targets, so that direct calls are switched off on their link, and on no other.
#ifndef MP_GPU_TAP_H
#define MP_GPU_TAP_H

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "gpu/tlm/hook.h"

namespace mp
{

class PassingTap : public sc_core::sc_module,
                   public Tap,
                   public tlm::tlm_fw_transport_if<>,
                   public tlm::tlm_bw_transport_if<>
{
  public:
    explicit PassingTap(const sc_core::sc_module_name &name);

    tlm::tlm_target_socket<> &target() override { return in_; }
    tlm::tlm_initiator_socket<> &initiator() override { return out_; }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        return out_->nb_transport_fw(p, phase, t);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        return in_->nb_transport_bw(p, phase, t);
    }
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
    tlm::tlm_target_socket<> in_;
    tlm::tlm_initiator_socket<> out_;
};

// A line for each transaction that ends. Outcome: "hit" if the answer came in the call, else "miss", or
// "fault"; of a hint "hint", "hint_fault", or "hint_dropped" if a level had no room for it.
class ObserverTap : public PassingTap
{
  public:
    ObserverTap(const sc_core::sc_module_name &name, Kernel &kernel, mp_link_kind kind, std::FILE *out);

    static void header(std::FILE *out);
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override;

  private:
    void write(const tlm::tlm_generic_payload &p, uint64_t in, uint64_t out, const char *outcome);

    Kernel &kernel_;
    mp_link_kind kind_;
    std::FILE *file_;
    std::map<const tlm::tlm_generic_payload *, uint64_t> began_;
};

} // namespace mp

#endif
