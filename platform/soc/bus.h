// SPDX-License-Identifier: Apache-2.0
// The SoC's bus: forwards b_transport to the target at the address, by the address map (models/soc/map.def).
#ifndef MP_SOC_BUS_H
#define MP_SOC_BUS_H

#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

namespace mp::soc
{

// Called after every transaction. `from` numbers the initiators in the order of their binding.
class BusObserver
{
  public:
    virtual ~BusObserver() = default;
    virtual void access(int from, const tlm::tlm_generic_payload &payload, const sc_core::sc_time &start) = 0;
};

class Bus : public sc_core::sc_module
{
  public:
    explicit Bus(const sc_core::sc_module_name &name);

    // Windows do not overlap.
    void attach(uint64_t base, uint64_t bytes, tlm::tlm_target_socket<> &target);

    tlm_utils::multi_passthrough_target_socket<Bus> in;
    tlm_utils::multi_passthrough_initiator_socket<Bus> out;
    BusObserver *observer = nullptr;
    // Whether an access is to fail before it reaches its target.
    std::function<bool(const tlm::tlm_generic_payload &payload)> refuses;
    int initiator = -1; // whose transaction is in progress

  private:
    struct Window {
        uint64_t base, bytes;
    };
    // Returns the window's number and makes the address relative, or returns -1 with the response set.
    int route(tlm::tlm_generic_payload &payload);
    void b_transport(int from, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(int from, tlm::tlm_generic_payload &payload);
    bool get_direct_mem_ptr(int from, tlm::tlm_generic_payload &payload, tlm::tlm_dmi &dmi);

    std::vector<Window> windows_; // in the order of binding to `out`
};

} // namespace mp::soc

#endif
