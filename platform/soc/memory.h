// SPDX-License-Identifier: Apache-2.0
// RAM or ROM with direct memory access. Pages that are never written occupy no host memory.
#ifndef MP_SOC_MEMORY_H
#define MP_SOC_MEMORY_H

#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace mp::soc
{

class Memory : public sc_core::sc_module
{
  public:
    Memory(const sc_core::sc_module_name &name, uint64_t bytes, bool writable);
    ~Memory() override;

    uint8_t *data() { return data_; }
    tlm_utils::simple_target_socket<Memory> socket;
    // Called after a transaction or debug access has written, with the range in this memory.
    std::function<void(uint64_t at, uint64_t bytes)> written;

  private:
    bool copy(tlm::tlm_generic_payload &payload, bool debug);
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(tlm::tlm_generic_payload &payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &payload, tlm::tlm_dmi &dmi);

    uint8_t *data_;
    uint64_t bytes_;
    bool writable_;
};

} // namespace mp::soc

#endif
