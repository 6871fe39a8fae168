// SPDX-License-Identifier: Apache-2.0
#include "gpu/mig.h"

#include <new>

namespace mp
{

MigGpu::MigGpu(const sc_core::sc_module_name &name, double clock_mhz, const mp_machine &machine,
               const mp_mig_host &host, const GpuOptions &options, Hook *deciders)
    : sc_module(name), kernel("kernel", sc_core::sc_time(1e6 / clock_mhz, sc_core::SC_PS)), memory("memory"),
      options_(options), deciders_(deciders)
{
    const mp_mig_assembly assembly = {this, begin, find, find, join, change, changed};
    mp_error err{};
    if (mp_mig_init(&model, kernel.wheel(), &machine, &host, &assembly, &err)) {
        if (failure_)
            std::rethrow_exception(failure_);
        if (err.text[0])
            throw Refused(err.text);
        throw std::bad_alloc();
    }
    operations = mp_mig_operations(&model);
    if (options_.check && mp_frame_check_init(options_.check, &model.memory, model.table[0].format))
        throw std::bad_alloc();
    model.check = options_.check;
    kernel.watch();
    memory.register_b_transport(this, &MigGpu::b_transport);
    memory.register_transport_dbg(this, &MigGpu::transport_dbg);
}

// The modules refer to the plan.
MigGpu::~MigGpu()
{
    assembly_.reset();
    mp_mig_free(&model);
}

void MigGpu::end_of_elaboration()
{
    assembly_->connect();
}

// --- the assembly -----------------------------------------------------------------------------------

// All modules exist before the simulation starts. Those of instances get their deciders with the instance.
void MigGpu::assemble(const mp_plan &plan)
{
    plan_ = &plan;
    if (mp_split_init(&split_, &plan, &model.machine))
        throw std::bad_alloc();
    kernel.split(split_);
    for (const auto &table : model.table)
        tables_.push_back(&table);
    fabric_ = std::make_unique<Fabric>(Fabric{kernel, {&model.memory, &tables_}, model.machine, split_});
    assembly_ = std::make_unique<Assembly>(*fabric_, plan, options_);
    for (uint32_t i = 0; i < plan.blocks; i++) {
        assembly_->build(i);
        if (assembly_->node(i).foreign)
            throw Refused(std::string(plan.block[i].path) +
                          ": firmware commands this block's model; no module can replace it");
        if (plan.block[i].kind == &mp_sm_kind && split_.group[i] != MP_SPLIT_APPS)
            mp_sm_set_apart(static_cast<mp_sm *>(assembly_->node(i).block->model), kernel.groups(),
                            MP_SPLIT_APPS, split_.group[i], mp_split_order_of_sm(&plan, i), /*keeps=*/true);
    }
    assembly_->bind();
    for (uint32_t i = 0; i < plan.blocks; i++)
        if (plan.block[i].kind == &mp_tlb_kind && decides(i)) {
            mp_tlb_params p = *static_cast<const mp_tlb_params *>(plan.block[i].params);
            deciders_->change(site(i), &p);
            if (mp_tlb_set_policy(static_cast<mp_tlb *>(find(this, i)), p.policy, &p.geometry))
                throw std::bad_alloc();
            changed(this, i);
        }
}

// No exception may leave these functions, because C calls them.
int MigGpu::begin(void *self, const mp_plan *plan, mp_wheel *)
{
    auto *g = static_cast<MigGpu *>(self);
    try {
        g->assemble(*plan);
        return 0;
    } catch (...) {
        g->assembly_.reset();
        g->failure_ = std::current_exception();
        return -1;
    }
}

void *MigGpu::find(void *self, uint32_t block)
{
    return static_cast<MigGpu *>(self)->assembly_->node(block).block->model;
}

void MigGpu::join(void *self, uint32_t link)
{
    auto *g = static_cast<MigGpu *>(self);
    uint32_t from = g->plan_->link[link].from;
    g->assembly_->node(from).block->use(link - g->plan_->block[from].first_link);
}

int MigGpu::change(void *self, uint32_t block, void *params)
{
    auto *g = static_cast<MigGpu *>(self);
    if (!g->decides(block))
        return 0;
    try {
        g->deciders_->change(g->site(block), params);
        return 0;
    } catch (const std::exception &e) {
        g->refused(e.what());
        return -1;
    }
}

void MigGpu::changed(void *self, uint32_t block)
{
    auto *g = static_cast<MigGpu *>(self);
    if (g->decides(block))
        g->deciders_->attach(g->site(block), find(self, block));
}

// --- memory -----------------------------------------------------------------------------------------

// Returns -1 if memory runs out.
int MigGpu::transfer(tlm::tlm_generic_payload &p)
{
    if (p.is_write())
        return mp_physmem_write(&model.memory, p.get_address(), p.get_data_ptr(), p.get_data_length());
    mp_physmem_read(&model.memory, p.get_address(), p.get_data_ptr(), p.get_data_length());
    return 0;
}

int MigGpu::transfer_checked(tlm::tlm_generic_payload &p)
{
    if (p.is_write()) {
        mp_store by = who();
        by.cycle = kernel.now();
        return mp_frame_check_write(model.check, p.get_address(), p.get_data_ptr(), p.get_data_length(), &by);
    }
    return mp_frame_check_read(model.check, p.get_address(), p.get_data_length()) || transfer(p) ? -1 : 0;
}

// Reads by a debugger are not checked, because the machine does not use their values.
bool MigGpu::copy(tlm::tlm_generic_payload &p, bool debug)
{
    uint64_t at = p.get_address(), bytes = p.get_data_length();
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (at > model.memory.bytes || bytes > model.memory.bytes - at || p.get_byte_enable_ptr())
        return false;
    if (model.check && !(debug && p.is_read()) ? transfer_checked(p) : transfer(p))
        throw std::bad_alloc();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

void MigGpu::b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
{
    if (p.is_write())
        kernel.enter(sc_core::sc_time_stamp() + delay);
    copy(p, false);
    if (p.is_write())
        kernel.leave();
}

unsigned MigGpu::transport_dbg(tlm::tlm_generic_payload &p)
{
    return copy(p, true) ? p.get_data_length() : 0;
}

} // namespace mp
