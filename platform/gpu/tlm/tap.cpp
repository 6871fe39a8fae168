// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/tap.h"

#include <cinttypes>
#include <cstring>

namespace mp
{

PassingTap::PassingTap(const sc_core::sc_module_name &name) : sc_module(name), in_("in"), out_("out")
{
    in_.bind(*this);
    out_.bind(*this);
}

// ---- transactions ----

ObserverTap::ObserverTap(const sc_core::sc_module_name &name, Kernel &kernel, mp_link_kind kind,
                         std::FILE *out)
    : PassingTap(name), kernel_(kernel), kind_(kind), file_(out)
{
}

namespace
{

// Of a transaction that has ended; usual: unless it is a hint, or failed.
const char *outcome_of(const tlm::tlm_generic_payload &p, const char *usual)
{
    const Attributes *a = p.get_extension<Attributes>();
    bool hint = a && a->op == Op::hint;
    if (p.is_response_error())
        return hint ? "hint_fault" : "fault";
    return !hint ? usual : a->source == Source::nothing ? "hint_dropped" : "hint";
}

} // namespace

void ObserverTap::header(std::FILE *out)
{
    std::fputs("time_in,time_out,tenant,sm,warp,virtual_address,physical_address,outcome\n", out);
}

void ObserverTap::write(const tlm::tlm_generic_payload &p, uint64_t in, uint64_t out, const char *outcome)
{
    const Attributes *a = p.get_extension<Attributes>();
    uint64_t va = p.get_address(), pa = 0;
    if (kind_ ==
        MP_LINK_MEMORY) { // physical lines; the virtual address is that of the request, if it has one
        pa = va;
        va = a ? a->virtual_address : 0;
    } else if (p.get_data_length() == 8) {
        std::memcpy(&pa, p.get_data_ptr(), 8);
    }
    std::fprintf(file_, "%" PRIu64 ",%" PRIu64 ",%u,%u,%u,0x%" PRIx64 ",0x%" PRIx64 ",%s\n", in, out,
                 a ? a->tenant : 0, a ? a->sm : 0, a ? a->warp : 0, va, pa, outcome);
}

tlm::tlm_sync_enum ObserverTap::nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                                sc_core::sc_time &t)
{
    bool begins = phase == tlm::BEGIN_REQ;
    uint64_t in = kernel_.wheel()->now;
    tlm::tlm_sync_enum status = PassingTap::nb_transport_fw(p, phase, t);
    if (!begins)
        return status;
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP))
        write(p, in, in + kernel_.cycles(t), outcome_of(p, "hit"));
    else
        began_[&p] = in;
    return status;
}

tlm::tlm_sync_enum ObserverTap::nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                                sc_core::sc_time &t)
{
    auto began = began_.find(&p);
    if (phase == tlm::BEGIN_RESP && began != began_.end()) {
        write(p, began->second, kernel_.wheel()->now + kernel_.cycles(t), outcome_of(p, "miss"));
        began_.erase(began);
    }
    return PassingTap::nb_transport_bw(p, phase, t);
}

} // namespace mp
