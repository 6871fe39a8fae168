// SPDX-License-Identifier: Apache-2.0
#include "soc/bus.h"

namespace mp::soc
{

Bus::Bus(const sc_core::sc_module_name &name) : sc_module(name), in("in"), out("out")
{
    in.register_b_transport(this, &Bus::b_transport);
    in.register_transport_dbg(this, &Bus::transport_dbg);
    in.register_get_direct_mem_ptr(this, &Bus::get_direct_mem_ptr);
}

void Bus::attach(uint64_t base, uint64_t bytes, tlm::tlm_target_socket<> &target)
{
    windows_.push_back({base, bytes});
    out.bind(target);
}

int Bus::route(tlm::tlm_generic_payload &payload)
{
    uint64_t address = payload.get_address();
    for (unsigned i = 0; i < windows_.size(); i++) {
        const Window &w = windows_[i];
        if (address - w.base < w.bytes && payload.get_data_length() <= w.bytes - (address - w.base)) {
            payload.set_address(address - w.base);
            return static_cast<int>(i);
        }
    }
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return -1;
}

void Bus::b_transport(int from, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
    uint64_t address = payload.get_address();
    sc_core::sc_time start = sc_core::sc_time_stamp() + delay;
    const bool refused = refuses && refuses(payload);
    int i = route(payload);
    initiator = from;
    if (i >= 0 && refused)
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    else if (i >= 0)
        out[i]->b_transport(payload, delay);
    initiator = -1;
    payload.set_address(address);
    if (observer)
        observer->access(from, payload, start);
}

unsigned Bus::transport_dbg(int, tlm::tlm_generic_payload &payload)
{
    uint64_t address = payload.get_address();
    int i = route(payload);
    unsigned done = i < 0 ? 0 : out[i]->transport_dbg(payload);
    payload.set_address(address);
    return done;
}

bool Bus::get_direct_mem_ptr(int, tlm::tlm_generic_payload &payload, tlm::tlm_dmi &dmi)
{
    uint64_t address = payload.get_address();
    int i = route(payload);
    if (i < 0)
        return false;
    bool granted = out[i]->get_direct_mem_ptr(payload, dmi);
    payload.set_address(address);
    dmi.set_start_address(dmi.get_start_address() + windows_[i].base);
    dmi.set_end_address(dmi.get_end_address() + windows_[i].base);
    return granted;
}

} // namespace mp::soc
