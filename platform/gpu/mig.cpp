// SPDX-License-Identifier: Apache-2.0
#include "gpu/mig.h"

#include <new>

namespace mp
{

MigGpu::MigGpu(const sc_core::sc_module_name &name, double clock_mhz, const mp_machine &machine,
               const mp_mig_host &host)
    : sc_module(name), kernel("kernel", sc_core::sc_time(1e6 / clock_mhz, sc_core::SC_PS)), memory("memory")
{
    if (mp_mig_init(&model, kernel.wheel(), &machine, &host))
        throw std::bad_alloc();
    operations = mp_mig_operations(&model);
    kernel.watch();
    memory.register_b_transport(this, &MigGpu::b_transport);
    memory.register_transport_dbg(this, &MigGpu::transport_dbg);
}

bool MigGpu::copy(tlm::tlm_generic_payload &p)
{
    uint64_t at = p.get_address(), bytes = p.get_data_length();
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (at > model.memory.bytes || bytes > model.memory.bytes - at || p.get_byte_enable_ptr())
        return false;
    if (p.is_read())
        mp_physmem_read(&model.memory, at, p.get_data_ptr(), bytes);
    else if (mp_physmem_write(&model.memory, at, p.get_data_ptr(), bytes))
        throw std::bad_alloc();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

void MigGpu::b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
{
    if (p.is_write())
        kernel.enter(sc_core::sc_time_stamp() + delay);
    copy(p);
    if (p.is_write())
        kernel.leave();
}

unsigned MigGpu::transport_dbg(tlm::tlm_generic_payload &p)
{
    return copy(p) ? p.get_data_length() : 0;
}

} // namespace mp
