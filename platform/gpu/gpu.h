// SPDX-License-Identifier: Apache-2.0
// The assembled GPU. Under MIG, instances of GPC slices with their SMs, TLBs, walkers, caches and DRAM, and
// the L3 TLB that all share; only the slices that tenants use are built. Under MPS, one such instance whose
// SMs are divided among the tenants.
#ifndef MP_GPU_GPU_H
#define MP_GPU_GPU_H

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "gpu/array_log.h"
#include "gpu/blocks.h"
#include "gpu/stand_in.h"
#include "mig/mig.h"
#include "sm/app.h"

namespace mp
{

// A component whose counters are recorded.
struct Component {
    std::string path, kind;
    const mp_metric_table *table;
    void *stats;                                   // one structure per tenant, or a single one
    int tenant;                                    // the only tenant it serves, or:
    const mp_tlb *tlb;                             // whose occupancy a snapshot refreshes, or nullptr
    mp_walk *walk;                                 // a page-walk system, or nullptr
    static constexpr int shared = -1, nobody = -2; // by all; it serves no tenants
};

// Somebody else's L3 TLB: a target socket for each L2 TLB, in order of slices, and an initiator socket for
// each instance's page-walk system.
class ForeignL3
{
  public:
    virtual ~ForeignL3() = default;
    virtual tlm::tlm_target_socket<> &from_l2(unsigned slice) = 0;
    virtual tlm::tlm_initiator_socket<> &to_walks(unsigned instance) = 0;
};

// A module that is put on links of a kind and passes transactions on.
class Tap
{
  public:
    virtual ~Tap() = default;
    virtual tlm::tlm_target_socket<> &target() = 0;
    virtual tlm::tlm_initiator_socket<> &initiator() = 0;
};

struct GpuOptions {
    bool force_tlm = false;
    std::function<std::unique_ptr<ForeignL3>(unsigned slices, unsigned instances)> foreign_l3;
    // On every link into the L3 TLB; into page-walk systems.
    std::function<std::unique_ptr<Tap>(const std::string &name, Kernel &kernel)> tap_l3, tap_walks;
    std::FILE *log_l3 = nullptr; // what is asked of the L3 TLB's array
    RtlBlocks *rtl = nullptr;
};

class Gpu : public sc_core::sc_module
{
  public:
    // readers: one open trace per tenant; they stay the caller's.
    Gpu(const sc_core::sc_module_name &name, const mp_config &config,
        const std::vector<gwt_reader *> &readers, const GpuOptions &options);
    ~Gpu() override;

    void end_of_elaboration() override;
    void start_of_simulation() override;

    Kernel kernel;
    std::vector<Component> components;
    std::vector<mp_app> apps;
    std::string failure; // why the run cannot go on, or empty

    // Called when a tenant has completed; returns whether it starts again.
    std::function<bool(unsigned tenant)> on_complete;
    // Sums of one counter over the components of a kind that serve the tenant.
    uint64_t sum(const char *kind, const char *metric, unsigned tenant) const;

  private:
    struct Instance { // a MIG instance, or the whole machine under MPS
        unsigned first_tenant, tenants, first_slice, slices, sms;
        mp_frames frames;
        std::vector<std::unique_ptr<WalkBlock>> walks; // one for all its tenants, or one for each
        std::unique_ptr<CacheBlock> l2d;
        std::unique_ptr<DramBlock> dram;
    };
    struct Share { // what a tenant has
        Instance *instance;
        std::vector<mp_sm *> sms;
        std::vector<TlbBlock *> tlbs; // that may hold its translations
    };

    void build_instance(unsigned first_tenant, unsigned tenants, unsigned slices);
    void build_walks(Instance &instance, const std::string &path, const std::string &name);
    void build_memory(Instance &instance, const std::string &path, const std::string &name);
    void build_slice(Instance &instance, unsigned slice);
    void build_tpc(Instance &instance, unsigned tenant, unsigned slice, unsigned tpc,
                   tlm::tlm_target_socket<> &l2_tlb);
    void build_app(unsigned tenant);
    void build_l3();
    unsigned tpc_owner(const Instance &instance, unsigned slice, unsigned tpc) const;
    unsigned last_tlbs(const Instance &instance) const;
    tlm::tlm_target_socket<> &walk_port(unsigned tenant, unsigned tlb);
    void bind_walks(tlm::tlm_initiator_socket<> &from, unsigned tenant, unsigned tlb);
    void add(const std::string &path, const char *kind, const mp_metric_table &table, void *stats, int tenant,
             const mp_tlb *tlb = nullptr);
    static mp_tlb_params with_ports(const mp_tlb_params &of, size_t ports);
    bool walks_are_cached() const;
    void divide_ways(mp_tlb_geometry &geometry) const;
    bool shared(uint32_t tenant, uint64_t freed, uint64_t page) const;
    void invalidate(unsigned tenant, uint64_t va, uint64_t bytes);

    static int map(void *self, uint32_t tenant, uint64_t va, uint64_t bytes, mp_error *err);
    static void unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes);
    static void completed(void *self, uint32_t tenant);
    static void failed(void *self, uint32_t tenant, const char *why);

    const mp_config &config_;
    mp_mig_params machine_{};
    std::vector<gwt_reader *> readers_;
    GpuOptions options_;
    PayloadPool payloads_;
    mp_physmem memory_;
    std::vector<mp_page_table> tables_;
    std::unique_ptr<Fabric> fabric_;
    std::unique_ptr<mp_coalescer> coalescer_;
    std::vector<std::unique_ptr<Instance>> instances_;
    std::vector<Share> shares_; // by tenant
    std::vector<std::unique_ptr<SmBlock>> sms_;
    std::vector<std::unique_ptr<TlbBlock>> l1_tlbs_, l2_tlbs_;
    std::vector<std::unique_ptr<CacheBlock>> l1ds_;
    std::unique_ptr<TlbBlock> l3_tlb_;
    std::unique_ptr<ArrayLog> l3_log_; // goes before the TLB
    std::unique_ptr<ForeignL3> foreign_l3_;
    std::vector<std::unique_ptr<Tap>> taps_;
};

} // namespace mp

#endif
