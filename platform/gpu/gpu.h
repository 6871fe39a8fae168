// SPDX-License-Identifier: Apache-2.0
// The GPU of a configuration: a module for each block of its plan (gpu/plan.h), with sockets bound as the
// plan's links say, and an application for each tenant.
#ifndef MP_GPU_GPU_H
#define MP_GPU_GPU_H

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "gpu/assembly.h"
#include "gpu/configure.h"
#include "gpu/managed.h"
#include "gpu/tlm/component.h"
#include "gpu/xray.h"
#include "sm/app.h"
#include "vm/contiguity.h"

namespace mp
{

class Gpu : public sc_core::sc_module
{
  public:
    // readers: one open trace per tenant, not owned; nullptr: the tenant has no application. Throws Refused
    // if a hook matches no block, or replaces an SM of an application.
    Gpu(const sc_core::sc_module_name &name, const mp_config &config,
        const std::vector<gwt_reader *> &readers, const GpuOptions &options);
    ~Gpu() override;

    void end_of_elaboration() override;
    void start_of_simulation() override;

    Kernel kernel;
    std::vector<Component> components;
    std::vector<mp_app> apps;

    // Called when a kernel ends; in cycles.
    std::function<void(unsigned tenant, const char *kernel, uint64_t began, uint64_t ended)> on_kernel;
    // Called when a tenant has completed; returns whether to start it again.
    std::function<bool(unsigned tenant)> on_complete;
    // Sums of one counter over the components of a kind that serve the tenant.
    uint64_t sum(const char *kind, const char *metric, unsigned tenant) const;
    // The counter of the requests that come to the first level of translation.
    mp_counter_name translations() const { return mp_machine_translations(&machine_); }

    // Maps pages of a tenant, as its driver does before a kernel starts. -1 with one line in err.
    int map_pages(uint32_t tenant, uint64_t va, uint64_t bytes, mp_error *err);

    // The L3 TLBs take the policy that they have after the warm-up. Between windows of the groups only.
    void end_warmup();

    // It grows when anything of the tenant moves: its application, or its managed memory.
    uint64_t progress(unsigned tenant) const;

    // Fills the report, which the caller frees. Between windows of the groups only.
    void xray(mp_xray_report *report) const;

  private:
    // A block in another group than the applications, which learns of changes in page tables by message.
    struct Remote {
        mp_sender sender;
        const mp_wheel *apps;
        mp_listener block;
        static uint64_t send(void *remote, const mp_scope *scope);
        static void arrive(mp_sender *sender, void *scope);
    };
    void build();
    void release();
    void describe();
    void split();
    void build_memory();
    void build_block(uint32_t number);
    void build_app(uint32_t tenant);
    void build_managed(uint32_t instance);
    void watch_host(uint32_t tenant);
    mp_copies *copies_of(uint32_t instance);
    static void accessed(void *managed, const mp_req *line);
    Managed *managed(uint32_t tenant) const; // nullptr: its memory is not
    void give_roots();
    void listen(uint32_t number);
    mp_listener listener(uint32_t number);
    void add(const mp_plan_block &block, void *model);
    bool scans() const;
    void show_foreign(mp_xray_report *report, uint32_t number) const;

    static int map(void *self, uint32_t tenant, uint64_t number, uint64_t va, uint64_t bytes, mp_error *err);
    static void unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes);
    static void completed(void *self, uint32_t tenant);
    static void ended(void *self, uint32_t tenant, const gwt_kernel *kernel, uint64_t began);
    static bool host_accesses(void *self, uint32_t tenant, const gwt_record *record);
    static void resume(void *app);
    static bool fault(void *self, mp_sm *sm, mp_req *page);
    static uint32_t prepare(void *self, uint32_t tenant);
    static void failed(void *self, uint32_t tenant, const char *why);

    const mp_config &config_;
    mp_machine machine_{};
    mp_plan plan_{};
    std::vector<gwt_reader *> readers_;
    GpuOptions options_;
    Split split_;
    mp_map map_{};
    mp_physmem memory_{};
    std::vector<mp_frames> frames_;      // by instance
    std::vector<mp_space> spaces_;       // by tenant
    std::vector<mp_colours_part> parts_; // by tenant; empty: frames are whole
    mp_host_link link_{};                // to the host, which all servers share with remote accesses
    std::vector<std::unique_ptr<Managed>> managed_; // by instance; nullptr: no tenant has managed memory
    uint64_t mapped_[MP_TENANTS]{};                 // buffers that others have mapped
    std::vector<const mp_page_table *> tables_;     // of these
    std::vector<mp_contiguity> contiguity_;         // of each tenant's page table
    std::unique_ptr<Fabric> fabric_;
    std::vector<mp_coalescer> coalescers_; // by group
    std::vector<std::unique_ptr<Remote>> remotes_;
    std::unique_ptr<Assembly> assembly_;
};

} // namespace mp

#endif
