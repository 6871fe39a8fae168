// SPDX-License-Identifier: Apache-2.0
#include "soc/memory.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

namespace mp::soc
{

Memory::Memory(const sc_core::sc_module_name &name, uint64_t bytes, bool writable)
    : sc_module(name), socket("socket"), bytes_(bytes), writable_(writable)
{
    void *p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        throw std::bad_alloc();
    data_ = static_cast<uint8_t *>(p);
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
}

Memory::~Memory()
{
    munmap(data_, bytes_);
}

// A debugger may write ROM, to set a breakpoint.
bool Memory::copy(tlm::tlm_generic_payload &p, bool debug)
{
    uint64_t at = p.get_address();
    bool write = p.is_write();
    if (at > bytes_ || p.get_data_length() > bytes_ - at || p.get_byte_enable_ptr()) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    if (write && !writable_ && !debug) {
        p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return false;
    }
    if (write)
        std::memcpy(data_ + at, p.get_data_ptr(), p.get_data_length());
    else
        std::memcpy(p.get_data_ptr(), data_ + at, p.get_data_length());
    if (write && written)
        written(at, p.get_data_length());
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

void Memory::b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &)
{
    copy(payload, false);
}

unsigned Memory::transport_dbg(tlm::tlm_generic_payload &payload)
{
    return copy(payload, true) ? payload.get_data_length() : 0;
}

bool Memory::get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &dmi)
{
    dmi.set_dmi_ptr(data_);
    dmi.set_start_address(0);
    dmi.set_end_address(bytes_ - 1);
    dmi.set_granted_access(writable_ ? tlm::tlm_dmi::DMI_ACCESS_READ_WRITE : tlm::tlm_dmi::DMI_ACCESS_READ);
    return true;
}

} // namespace mp::soc
