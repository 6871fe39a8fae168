// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <cstring>
#include <new>

#include "gpu/machine.h"

namespace mp
{

namespace
{

unsigned log2_of(uint64_t power)
{
    return static_cast<unsigned>(__builtin_ctzll(power));
}

uint32_t u32(uint64_t value)
{
    return static_cast<uint32_t>(value);
}

} // namespace

Gpu::Gpu(const sc_core::sc_module_name &name, const mp_config &config,
         const std::vector<gwt_reader *> &readers, const GpuOptions &options)
    : sc_module(name),
      kernel("kernel", sc_core::sc_time(1e6 / static_cast<double>(config.machine.clock_mhz), sc_core::SC_PS)),
      config_(config), readers_(readers), options_(options)
{
    mp_machine_params(&config, &machine_);
    if (mp_physmem_init(&memory_, config.machine.slices * config.machine.memory_per_slice))
        throw std::bad_alloc();
    tables_.resize(config.ntenants);
    apps.resize(config.ntenants);
    fabric_ = std::make_unique<Fabric>(
        Fabric{kernel, payloads_, {&memory_, &tables_}, u32(config.machine.line_bytes)});
    coalescer_ = std::make_unique<mp_coalescer>();
    coalescer_->page_shift = log2_of(config.machine.page_bytes);
    coalescer_->line_shift = log2_of(config.machine.line_bytes);
    shares_.resize(config.ntenants);
    if (mp_config_is_mps(&config)) {
        build_instance(0, config.ntenants, u32(config.machine.slices));
    } else {
        for (unsigned t = 0; t < config.ntenants; t++)
            build_instance(t, 1, u32(config.tenant[t].slices));
    }
    if (config.machine.tlb_levels == 3)
        build_l3();
}

Gpu::~Gpu()
{
    for (auto &app : apps)
        mp_app_free(&app);
    for (auto &i : instances_)
        mp_frames_free(&i->frames);
    mp_physmem_free(&memory_);
}

void Gpu::add(const std::string &path, const char *kind, const mp_metric_table &table, void *stats,
              int tenant, const mp_tlb *tlb)
{
    components.push_back({path, kind, &table, stats, tenant, tlb, nullptr});
}

mp_tlb_params Gpu::with_ports(const mp_tlb_params &of, size_t ports)
{
    mp_tlb_params p = of;
    p.ports = u32(ports);
    return p;
}

bool Gpu::walks_are_cached() const
{
    return !machine_.walk.level_latency;
}

// How many TLBs of the last level send their misses to the instance's walkers.
unsigned Gpu::last_tlbs(const Instance &i) const
{
    if (config_.machine.tlb_levels == 3)
        return 1;
    return i.slices * (config_.l2_tlb.per_tenant ? i.tenants : 1);
}

// Each TLB has a port for each tenant, so that a tenant whose walks find no room holds up nobody else's.
tlm::tlm_target_socket<> &Gpu::walk_port(unsigned tenant, unsigned tlb)
{
    Instance &i = *shares_[tenant].instance;
    unsigned local = tenant - i.first_tenant;
    if (i.walks.size() > 1)
        return i.walks[local]->in[tlb]->socket;
    return i.walks[0]->in[tlb * i.tenants + local]->socket;
}

void Gpu::bind_walks(tlm::tlm_initiator_socket<> &from, unsigned tenant, unsigned tlb)
{
    if (!options_.tap_walks) {
        from.bind(walk_port(tenant, tlb));
        return;
    }
    taps_.push_back(options_.tap_walks("walk_tap" + std::to_string(taps_.size()), kernel));
    from.bind(taps_.back()->target());
    taps_.back()->initiator().bind(walk_port(tenant, tlb));
}

void Gpu::build_walks(Instance &i, const std::string &path, const std::string &name)
{
    auto &c = config_;
    unsigned systems = c.walk.per_tenant ? i.tenants : 1, served = i.tenants / systems;
    for (unsigned k = 0; k < systems; k++) {
        mp_walk_params w = machine_.walk;
        w.geometry.walkers *= i.slices;
        w.memory = &memory_;
        w.ports = last_tlbs(i) * served;
        std::string number = systems > 1 ? std::to_string(k) : "";
        bool rtl = options_.rtl && options_.rtl->wants_walks();
        void *object = rtl ? options_.rtl->walks(kernel, path + ".walk" + number, w) : nullptr;
        i.walks.push_back(std::make_unique<WalkBlock>(*fabric_, (name + "_walk" + number).c_str(), w));
        mp_walk &walk = i.walks.back()->model;
        if (rtl)
            stand_in(walk.intake.state, object);
        mp_walk_set_tenants(&walk, ((1u << served) - 1) << (i.first_tenant + k));
        for (unsigned t = 0; t < served; t++)
            mp_walk_set_root(&walk, static_cast<uint16_t>(i.first_tenant + k + t),
                             tables_[i.first_tenant + k + t].root);
        add(path + ".walk" + number, "walk", mp_walk_metrics, walk.stats,
            served > 1 ? -1 : static_cast<int>(i.first_tenant + k));
        components.back().walk = &walk;
    }
}

void Gpu::build_memory(Instance &i, const std::string &path, const std::string &name)
{
    int owner = i.tenants > 1 ? -1 : static_cast<int>(i.first_tenant);
    mp_dram_params d = machine_.dram;
    d.channels *= i.slices;
    mp_cache_params l2 = machine_.l2d;
    l2.banks *= i.slices;
    l2.ports = i.sms + (walks_are_cached() ? u32(i.walks.size()) : 0);
    l2.links = d.channels;
    i.l2d = std::make_unique<CacheBlock>(*fabric_, (name + "_l2d").c_str(), l2);
    add(path + ".l2d", "l2d", mp_cache_metrics, i.l2d->model.stats, owner);
    for (unsigned k = 0; i.sms + k < l2.ports; k++)
        i.walks[k]->out[0]->socket.bind(i.l2d->in[i.sms + k]->socket);

    i.dram = std::make_unique<DramBlock>(*fabric_, (name + "_dram").c_str(), d);
    add(path + ".dram", "dram", mp_dram_metrics, i.dram->model.stats, owner);
    for (unsigned k = 0; k < d.channels; k++)
        i.l2d->out[k]->socket.bind(i.dram->in[k]->socket);
}

void Gpu::build_instance(unsigned first_tenant, unsigned tenants, unsigned slices)
{
    auto &c = config_;
    unsigned first_slice = 0;
    if (!instances_.empty())
        first_slice = instances_.back()->first_slice + instances_.back()->slices;
    instances_.push_back(std::make_unique<Instance>());
    Instance &i = *instances_.back();
    i.first_tenant = first_tenant;
    i.tenants = tenants;
    i.first_slice = first_slice;
    i.slices = slices;
    i.sms = u32(c.machine.tpcs_per_slice * c.machine.sms_per_tpc) * slices;
    if (mp_config_is_mps(&c)) { // only those that a tenant has are built
        i.sms = 0;
        for (unsigned t = 0; t < tenants; t++)
            i.sms += u32(c.tenant[t].sms);
    }
    mp_frames_init(&i.frames, i.first_slice * c.machine.memory_per_slice, slices * c.machine.memory_per_slice,
                   c.machine.page_bytes);
    for (unsigned t = first_tenant; t < first_tenant + tenants; t++) {
        shares_[t].instance = &i;
        if (mp_page_table_init(&tables_[t], mp_page_format(c.machine.page_bytes), &memory_, &i.frames))
            throw std::bad_alloc();
    }
    bool mig = !mp_config_is_mps(&c);
    std::string path = mig ? "gpu.mig" + std::to_string(first_tenant) : "gpu",
                name = mig ? "mig" + std::to_string(first_tenant) : "shared";
    build_walks(i, path, name);
    build_memory(i, path, name);
    for (unsigned s = 0; s < slices; s++)
        build_slice(i, first_slice + s);
    for (unsigned t = first_tenant; t < first_tenant + tenants; t++)
        build_app(t);
}

void Gpu::build_app(unsigned tenant)
{
    Share &share = shares_[tenant];
    mp_app_params a{};
    a.tenant = tenant;
    a.launch_latency = machine_.launch_latency;
    a.reader = readers_[tenant];
    a.sm = share.sms.data();
    a.sms = u32(share.sms.size());
    a.host = {this, map, unmap, completed, failed, nullptr};
    if (mp_app_init(&apps[tenant], kernel.wheel(), &a))
        throw std::bad_alloc();
    const char *kind = mp_config_is_mps(&config_) ? "gpu.tenant" : "gpu.mig";
    add(kind + std::to_string(tenant), "tenant", mp_app_metrics, &apps[tenant].stats,
        static_cast<int>(tenant));
}

// The tenant that has a TPC: the instance's only one, or under MPS by its number of SMs; ntenants for nobody.
unsigned Gpu::tpc_owner(const Instance &i, unsigned slice, unsigned tpc) const
{
    const auto &c = config_;
    if (!mp_config_is_mps(&c))
        return i.first_tenant;
    uint64_t sm = ((slice - i.first_slice) * c.machine.tpcs_per_slice + tpc) * c.machine.sms_per_tpc, end = 0;
    unsigned t = 0;
    while (t < c.ntenants && sm >= (end += c.tenant[t].sms))
        t++;
    return t;
}

void Gpu::build_slice(Instance &i, unsigned slice)
{
    auto &c = config_;
    std::string gpc = "gpc" + std::to_string(slice);
    unsigned tpcs = u32(c.machine.tpcs_per_slice), tlbs = c.l2_tlb.per_tenant ? i.tenants : 1;
    std::vector<uint32_t> links(c.ntenants, 0); // one to the L3 TLB, or one for each tenant's walks
    for (unsigned t = 0; c.machine.tlb_levels == 2 && t < i.tenants; t++)
        links[i.first_tenant + t] = t;
    std::vector<std::vector<unsigned>> owned(tlbs); // the TPCs that ask each L2 TLB
    for (unsigned tpc = 0; tpc < tpcs; tpc++) {
        unsigned owner = tpc_owner(i, slice, tpc);
        if (owner < c.ntenants)
            owned[tlbs > 1 ? owner - i.first_tenant : 0].push_back(tpc);
    }
    for (unsigned k = 0; k < tlbs; k++) {
        std::string number = tlbs > 1 ? std::to_string(k) : "";
        bool shared = tlbs < i.tenants;
        l2_tlbs_.push_back(std::make_unique<TlbBlock>(*fabric_, (gpc + "_l2_tlb" + number).c_str(),
                                                      with_ports(machine_.l2_tlb, owned[k].size()), links));
        TlbBlock &l2_tlb = *l2_tlbs_.back();
        add("gpu." + gpc + ".l2_tlb" + number, "l2_tlb", mp_tlb_metrics, l2_tlb.model.stats,
            shared ? -1 : static_cast<int>(i.first_tenant + k), &l2_tlb.model);
        for (unsigned t = 0; t < i.tenants; t++) {
            if (shared || t == k)
                shares_[i.first_tenant + t].tlbs.push_back(&l2_tlb);
            if (c.machine.tlb_levels == 2)
                bind_walks(l2_tlb.out[t]->socket, i.first_tenant + t, (slice - i.first_slice) * tlbs + k);
        }
        for (unsigned port = 0; port < owned[k].size(); port++)
            build_tpc(i, tpc_owner(i, slice, owned[k][port]), slice, owned[k][port], l2_tlb.in[port]->socket);
    }
}

void Gpu::build_tpc(Instance &i, unsigned tenant, unsigned slice, unsigned tpc,
                    tlm::tlm_target_socket<> &l2_tlb)
{
    auto &c = config_;
    int owner = static_cast<int>(tenant);
    unsigned per_tpc = u32(c.machine.sms_per_tpc), number = slice * u32(c.machine.tpcs_per_slice) + tpc;
    std::string path = "gpu.gpc" + std::to_string(slice) + ".tpc" + std::to_string(tpc),
                name = "gpc" + std::to_string(slice) + "_tpc" + std::to_string(tpc);
    l1_tlbs_.push_back(std::make_unique<TlbBlock>(*fabric_, (name + "_l1_tlb").c_str(),
                                                  with_ports(machine_.l1_tlb, per_tpc),
                                                  std::vector<uint32_t>(c.ntenants, 0)));
    TlbBlock &l1_tlb = *l1_tlbs_.back();
    l1_tlb.out[0]->socket.bind(l2_tlb);
    add(path + ".l1_tlb", "l1_tlb", mp_tlb_metrics, l1_tlb.model.stats, owner, &l1_tlb.model);
    shares_[tenant].tlbs.push_back(&l1_tlb);
    for (unsigned k = 0; k < per_tpc; k++) {
        std::string sm_path = path + ".sm" + std::to_string(k), sm_name = name + "_sm" + std::to_string(k);
        mp_sm_params s = machine_.sm;
        s.id = number * per_tpc + k;
        s.coalescer = coalescer_.get();
        sms_.push_back(std::make_unique<SmBlock>(*fabric_, sm_name.c_str(), s));
        SmBlock &sm = *sms_.back();
        shares_[tenant].sms.push_back(&sm.model);
        add(sm_path, "sm", mp_sm_metrics, sm.model.stats, owner);

        mp_cache_params l1 = machine_.l1d;
        l1.ports = l1.links = 1;
        l1ds_.push_back(std::make_unique<CacheBlock>(*fabric_, (sm_name + "_l1d").c_str(), l1));
        CacheBlock &l1d = *l1ds_.back();
        add(sm_path + ".l1d", "l1d", mp_cache_metrics, l1d.model.stats, owner);

        sm.out[0]->socket.bind(l1_tlb.in[k]->socket);
        sm.out[1]->socket.bind(l1d.in[0]->socket);
        l1d.out[0]->socket.bind(
            i.l2d->in[s.id - i.first_slice * u32(c.machine.tpcs_per_slice) * per_tpc]->socket);
    }
}

// By the sizes of the instances.
void Gpu::divide_ways(mp_tlb_geometry &g) const
{
    std::vector<uint32_t> slices;
    for (const auto &share : shares_)
        slices.push_back(share.instance->slices);
    mp_tlb_divide_ways(g.ways, g.tenants, slices.data(), g.tenant_ways);
}

void Gpu::build_l3()
{
    unsigned below = u32(l2_tlbs_.size()), tenants = config_.ntenants;
    std::vector<uint32_t> link_of_tenant;
    for (unsigned t = 0; t < tenants; t++)
        link_of_tenant.push_back(t);
    if (options_.foreign_l3) {
        foreign_l3_ = options_.foreign_l3(below, tenants);
    } else {
        mp_tlb_params p = with_ports(machine_.l3_tlb, below);
        if (p.policy->divides_ways)
            divide_ways(p.geometry);
        bool rtl = options_.rtl && options_.rtl->wants_l3();
        void *object = rtl ? options_.rtl->l3(kernel, p) : nullptr;
        l3_tlb_ = std::make_unique<TlbBlock>(*fabric_, "l3_tlb", p, link_of_tenant);
        if (rtl)
            stand_in(l3_tlb_->model.state, object);
        if (options_.log_l3)
            l3_log_ = std::make_unique<ArrayLog>(l3_tlb_->model, options_.log_l3);
        add("gpu.l3_tlb", "l3_tlb", mp_tlb_metrics, l3_tlb_->model.stats, -1, &l3_tlb_->model);
        for (auto &share : shares_)
            share.tlbs.push_back(l3_tlb_.get());
    }
    for (unsigned s = 0; s < below; s++) {
        tlm::tlm_target_socket<> &l3 = foreign_l3_ ? foreign_l3_->from_l2(s) : l3_tlb_->in[s]->socket;
        tlm::tlm_initiator_socket<> &l2 = l2_tlbs_[s]->out[0]->socket;
        if (options_.tap_l3) {
            taps_.push_back(options_.tap_l3("l3_tap" + std::to_string(s), kernel));
            l2.bind(taps_.back()->target());
            taps_.back()->initiator().bind(l3);
        } else {
            l2.bind(l3);
        }
    }
    for (unsigned t = 0; t < tenants; t++)
        bind_walks(foreign_l3_ ? foreign_l3_->to_walks(t) : l3_tlb_->out[t]->socket, t, 0);
}

void Gpu::end_of_elaboration()
{
    bool tlm = options_.force_tlm;
    for (auto &b : sms_)
        b->connect(tlm);
    for (auto &b : l1_tlbs_)
        b->connect(tlm);
    for (auto &b : l2_tlbs_)
        b->connect(tlm);
    for (auto &b : l1ds_)
        b->connect(tlm);
    if (l3_tlb_)
        l3_tlb_->connect(tlm);
    for (auto &i : instances_) {
        for (auto &walk : i->walks)
            walk->connect(tlm);
        i->l2d->connect(tlm);
    }
}

void Gpu::start_of_simulation()
{
    for (auto &app : apps)
        mp_app_start(&app);
    kernel.leave(); // wakes the drain for what was just scheduled
}

uint64_t Gpu::sum(const char *kind, const char *metric, unsigned tenant) const
{
    uint64_t total = 0;
    for (const auto &c : components) {
        if (c.kind != kind || (c.tenant >= 0 && c.tenant != static_cast<int>(tenant)))
            continue;
        size_t index = c.table == &mp_app_metrics ? 0 : tenant;
        for (unsigned m = 0; m < c.table->count; m++)
            if (!std::strcmp(c.table->metric[m].name, metric))
                total += *reinterpret_cast<const uint64_t *>(
                    static_cast<const char *>(c.stats) + index * c.table->bytes + c.table->metric[m].offset);
    }
    return total;
}

// --- what the applications need
// ---------------------------------------------------------------------------------

int Gpu::map(void *self, uint32_t tenant, uint64_t va, uint64_t bytes, mp_error *err)
{
    auto *g = static_cast<Gpu *>(self);
    uint64_t page = g->config_.machine.page_bytes, end = va + bytes;
    if (end > 1ull << MP_VA_BITS || end < va)
        return mp_fail(err, "buffer at 0x%llx of %llu B ends beyond the %u-bit virtual address space",
                       static_cast<unsigned long long>(va), static_cast<unsigned long long>(bytes),
                       MP_VA_BITS);
    for (uint64_t at = va & ~(page - 1); at < end; at += page) {
        uint64_t pa;
        if (mp_page_table_find(&g->tables_[tenant], at, &pa))
            continue; // buffers may share a page
        if (mp_frames_take_page(&g->shares_[tenant].instance->frames, &pa) ||
            mp_page_table_map(&g->tables_[tenant], at, pa))
            return mp_fail(err,
                           "the instance's memory is used up; machine.memory_per_slice gives %llu B a slice",
                           static_cast<unsigned long long>(g->config_.machine.memory_per_slice));
    }
    return 0;
}

// Buffers may share a page, which goes with the last of them.
bool Gpu::shared(uint32_t tenant, uint64_t freed, uint64_t page) const
{
    const mp_app &app = apps[tenant];
    for (uint32_t i = 0; i < app.buffers; i++) {
        const mp_app_buffer &b = app.buffer[i];
        if (b.va != freed && b.va < page + config_.machine.page_bytes && b.va + b.bytes > page)
            return true;
    }
    return false;
}

void Gpu::unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    auto *g = static_cast<Gpu *>(self);
    uint64_t page = g->config_.machine.page_bytes, end = va + bytes;
    for (uint64_t at = va & ~(page - 1); at < end; at += page) {
        uint64_t pa;
        bool whole = at >= va && at + page <= end; // nobody else's
        if (!whole && g->shared(tenant, va, at))
            continue;
        if (mp_page_table_unmap(&g->tables_[tenant], at, &pa))
            mp_frames_give_page(&g->shares_[tenant].instance->frames, pa);
    }
    g->invalidate(tenant, va, bytes);
}

// The driver's invalidation: everything that might hold a translation of the range forgets it. Tables stay,
// so the page walk cache stays right.
void Gpu::invalidate(unsigned tenant, uint64_t va, uint64_t bytes)
{
    unsigned shift = log2_of(config_.machine.page_bytes);
    for (TlbBlock *b : shares_[tenant].tlbs)
        for (uint64_t vpn = va >> shift; vpn <= (va + bytes - 1) >> shift; vpn++)
            b->model.policy->invalidate_page(b->model.state, static_cast<uint16_t>(tenant), vpn, nullptr);
}

void Gpu::completed(void *self, uint32_t tenant)
{
    auto *g = static_cast<Gpu *>(self);
    mp_error err;
    mp_app &app = g->apps[tenant];
    app.stats.instructions = g->sum("sm", "issued", tenant);
    if (!g->on_complete || !g->on_complete(tenant))
        return;
    if (gwt_rewind(g->readers_[tenant], &err))
        failed(self, tenant, err.text);
    else
        mp_app_start(&app);
}

void Gpu::failed(void *self, uint32_t tenant, const char *why)
{
    auto *g = static_cast<Gpu *>(self);
    if (g->failure.empty())
        g->failure = "tenant " + std::to_string(tenant) + ": " + why;
    g->kernel.stop();
}

} // namespace mp
