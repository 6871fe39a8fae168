// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <cstring>
#include <new>

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
    if (mp_physmem_init(&memory_, config.machine.slices * config.machine.memory_per_slice))
        throw std::bad_alloc();
    tables_.resize(config.ntenants);
    apps.resize(config.ntenants);
    fabric_ = std::make_unique<Fabric>(
        Fabric{kernel, payloads_, {&memory_, &tables_}, u32(config.machine.line_bytes)});
    coalescer_ = std::make_unique<mp_coalescer>();
    coalescer_->page_shift = log2_of(config.machine.page_bytes);
    coalescer_->line_shift = log2_of(config.machine.line_bytes);
    for (unsigned t = 0; t < config.ntenants; t++)
        build_instance(t);
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
    components.push_back({path, kind, &table, stats, tenant, tlb});
}

mp_tlb_params Gpu::tlb_params(unsigned entries, unsigned ways, unsigned sub_entries, unsigned latency,
                              unsigned mshrs, unsigned merges, const char *policy, unsigned ports) const
{
    mp_tlb_params p{};
    p.policy = mp_tlb_policy_find(policy);
    p.geometry.sets = entries / ways;
    p.geometry.ways = ways;
    p.geometry.sub_entries = sub_entries;
    p.geometry.latency = latency;
    p.page_shift = log2_of(config_.machine.page_bytes);
    p.mshrs = mshrs;
    p.merges = merges;
    p.ports = ports;
    p.tenants = config_.ntenants;
    return p;
}

#define TLB_PARAMS(level, ports)                                                                             \
    tlb_params(u32(config_.level.entries), u32(config_.level.ways), u32(config_.level.sub_entries),          \
               u32(config_.level.latency), u32(config_.level.mshrs), u32(config_.level.merges),              \
               mp_choice(#level ".policy", config_.level.policy), ports)

void Gpu::build_instance(unsigned tenant)
{
    auto &c = config_;
    instances_.push_back(std::make_unique<Instance>());
    Instance &i = *instances_.back();
    i.first_slice = tenant ? instances_[tenant - 1]->first_slice + instances_[tenant - 1]->slices : 0;
    i.slices = u32(c.tenant[tenant].slices);
    mp_frames_init(&i.frames, i.first_slice * c.machine.memory_per_slice,
                   i.slices * c.machine.memory_per_slice, c.machine.page_bytes);
    const struct mp_page_format *format = mp_page_format(c.machine.page_bytes);
    if (mp_page_table_init(&tables_[tenant], format, &memory_, &i.frames))
        throw std::bad_alloc();

    std::string path = "gpu.mig" + std::to_string(tenant), name = "mig" + std::to_string(tenant);
    mp_walk_params w{};
    w.scheduler = mp_walk_scheduler_find(mp_choice("walk.scheduler", c.walk.scheduler));
    w.geometry = {u32(c.walk.walkers_per_slice) * i.slices, u32(c.walk.queue), c.ntenants};
    w.format = format;
    w.memory = &memory_;
    bool cached = !std::strcmp(mp_choice("walk.memory", c.walk.memory), "cached");
    w.level_latency = cached ? 0 : u32(c.walk.level_latency);
    w.pwc_entries = u32(c.walk.pwc_entries);
    w.pwc_ways = u32(c.walk.pwc_ways);
    w.pwc_latency = u32(c.walk.pwc_latency);
    w.ports = 1;
    i.walk = std::make_unique<WalkBlock>(*fabric_, (name + "_walk").c_str(), w);
    mp_walk_set_root(&i.walk->model, static_cast<uint16_t>(tenant), tables_[tenant].root);
    add(path + ".walk", "walk", mp_walk_metrics, i.walk->model.stats, static_cast<int>(tenant));

    unsigned sms = u32(c.machine.tpcs_per_slice * c.machine.sms_per_tpc) * i.slices;
    mp_cache_params l2{};
    l2.banks = u32(c.l2d.banks_per_slice) * i.slices;
    l2.ways = u32(c.l2d.ways);
    l2.sets = u32(c.l2d.bytes_per_slice / c.l2d.banks_per_slice / c.l2d.ways / c.machine.line_bytes);
    l2.line_shift = log2_of(c.machine.line_bytes);
    l2.latency = u32(c.l2d.latency);
    l2.mshrs = u32(c.l2d.mshrs);
    l2.merges = u32(c.l2d.merges);
    l2.ports = sms + cached;
    l2.tenants = c.ntenants;
    l2.links = u32(c.dram.channels_per_slice) * i.slices;
    l2.write_back = true;
    i.l2d = std::make_unique<CacheBlock>(*fabric_, (name + "_l2d").c_str(), l2);
    add(path + ".l2d", "l2d", mp_cache_metrics, i.l2d->model.stats, static_cast<int>(tenant));
    if (cached)
        i.walk->out[0]->socket.bind(i.l2d->in[sms]->socket);

    mp_dram_params d{};
    d.channels = l2.links;
    d.banks = u32(c.dram.banks);
    d.row_bytes = u32(c.dram.row_bytes);
    d.queue = u32(c.dram.queue);
    d.burst = u32(c.dram.burst);
    d.cas = u32(c.dram.cas);
    d.rcd = u32(c.dram.rcd);
    d.rp = u32(c.dram.rp);
    d.ras = u32(c.dram.ras);
    d.transport = u32(c.dram.transport);
    d.tenants = c.ntenants;
    i.dram = std::make_unique<DramBlock>(*fabric_, (name + "_dram").c_str(), d);
    add(path + ".dram", "dram", mp_dram_metrics, i.dram->model.stats, static_cast<int>(tenant));
    for (unsigned k = 0; k < d.channels; k++)
        i.l2d->out[k]->socket.bind(i.dram->in[k]->socket);

    for (unsigned s = 0; s < i.slices; s++)
        build_slice(i, tenant, i.first_slice + s);

    mp_app_params a{};
    a.tenant = tenant;
    a.launch_latency = u32(c.machine.launch_latency);
    a.reader = readers_[tenant];
    a.sm = i.sms.data();
    a.sms = u32(i.sms.size());
    a.host = {this, map, unmap, completed, failed};
    if (mp_app_init(&apps[tenant], kernel.wheel(), &a))
        throw std::bad_alloc();
    add(path, "tenant", mp_app_metrics, &apps[tenant].stats, static_cast<int>(tenant));
}

void Gpu::build_slice(Instance &i, unsigned tenant, unsigned slice)
{
    auto &c = config_;
    int owner = static_cast<int>(tenant);
    std::string gpc = "gpc" + std::to_string(slice), path = "gpu." + gpc;
    unsigned tpcs = u32(c.machine.tpcs_per_slice), per_tpc = u32(c.machine.sms_per_tpc);
    std::vector<uint32_t> one_link(c.ntenants, 0);
    l2_tlbs_.push_back(
        std::make_unique<TlbBlock>(*fabric_, (gpc + "_l2_tlb").c_str(), TLB_PARAMS(l2_tlb, tpcs), one_link));
    TlbBlock &l2_tlb = *l2_tlbs_.back();
    add(path + ".l2_tlb", "l2_tlb", mp_tlb_metrics, l2_tlb.model.stats, owner, &l2_tlb.model);
    for (unsigned tpc = 0; tpc < tpcs; tpc++) {
        std::string tpc_path = path + ".tpc" + std::to_string(tpc),
                    tpc_name = gpc + "_tpc" + std::to_string(tpc);
        l1_tlbs_.push_back(std::make_unique<TlbBlock>(*fabric_, (tpc_name + "_l1_tlb").c_str(),
                                                      TLB_PARAMS(l1_tlb, per_tpc), one_link));
        TlbBlock &l1_tlb = *l1_tlbs_.back();
        l1_tlb.out[0]->socket.bind(l2_tlb.in[tpc]->socket);
        add(tpc_path + ".l1_tlb", "l1_tlb", mp_tlb_metrics, l1_tlb.model.stats, owner, &l1_tlb.model);
        for (unsigned k = 0; k < per_tpc; k++) {
            std::string sm_path = tpc_path + ".sm" + std::to_string(k),
                        sm_name = tpc_name + "_sm" + std::to_string(k);
            unsigned local = u32(i.sms.size()); // number within the instance
            mp_sm_params s{};
            s.id = (slice * tpcs + tpc) * per_tpc + k;
            s.warps = u32(c.sm.warps);
            s.ctas = u32(c.sm.ctas);
            s.local_bytes = u32(c.sm.local_bytes);
            s.schedulers = u32(c.sm.schedulers);
            s.outstanding = u32(c.sm.outstanding);
            s.lsu_queue = u32(c.sm.lsu_queue);
            s.scheduler = mp_warp_scheduler_find(mp_choice("sm.scheduler", c.sm.scheduler));
            s.coalescer = coalescer_.get();
            s.tenants = c.ntenants;
            sms_.push_back(std::make_unique<SmBlock>(*fabric_, sm_name.c_str(), s));
            SmBlock &sm = *sms_.back();
            i.sms.push_back(&sm.model);
            add(sm_path, "sm", mp_sm_metrics, sm.model.stats, owner);

            mp_cache_params l1{};
            l1.banks = 1;
            l1.ways = u32(c.l1d.ways);
            l1.sets = u32(c.l1d.bytes / c.l1d.ways / c.machine.line_bytes);
            l1.line_shift = log2_of(c.machine.line_bytes);
            l1.latency = u32(c.l1d.latency);
            l1.mshrs = u32(c.l1d.mshrs);
            l1.merges = u32(c.l1d.merges);
            l1.ports = 1;
            l1.tenants = c.ntenants;
            l1.links = 1;
            l1ds_.push_back(std::make_unique<CacheBlock>(*fabric_, (sm_name + "_l1d").c_str(), l1));
            CacheBlock &l1d = *l1ds_.back();
            add(sm_path + ".l1d", "l1d", mp_cache_metrics, l1d.model.stats, owner);

            sm.out[0]->socket.bind(l1_tlb.in[k]->socket);
            sm.out[1]->socket.bind(l1d.in[0]->socket);
            l1d.out[0]->socket.bind(i.l2d->in[local]->socket);
        }
    }
}

mp_tlb_tokens Gpu::mask_rule() const
{
    const auto &c = config_;
    mp_tlb_tokens m{};
    m.sms = u32(c.machine.slices * c.machine.tpcs_per_slice * c.machine.sms_per_tpc);
    m.warps = u32(c.sm.warps);
    m.epoch = u32(c.l3_tlb.mask_epoch);
    m.tokens = u32(c.l3_tlb.mask_tokens);
    m.step = u32(c.l3_tlb.mask_step);
    m.change = u32(c.l3_tlb.mask_change);
    m.miss_rate = u32(c.l3_tlb.mask_miss_rate);
    m.bypass = u32(c.l3_tlb.mask_bypass);
    return m;
}

// By the sizes of the instances.
void Gpu::divide_ways(mp_tlb_geometry &g) const
{
    std::vector<uint32_t> slices;
    for (const auto &i : instances_)
        slices.push_back(i->slices);
    mp_tlb_divide_ways(g.ways, g.tenants, slices.data(), g.tenant_ways);
}

void Gpu::build_l3()
{
    unsigned slices = u32(l2_tlbs_.size()), instances = u32(instances_.size());
    std::vector<uint32_t> link_of_tenant;
    for (unsigned t = 0; t < instances; t++)
        link_of_tenant.push_back(t);
    if (options_.foreign_l3) {
        foreign_l3_ = options_.foreign_l3(slices, instances);
    } else {
        mp_tlb_params p = TLB_PARAMS(l3_tlb, slices);
        p.geometry.base_latency = u32(config_.l3_tlb.base_latency);
        p.geometry.stride = u32(config_.l3_tlb.stride);
        p.geometry.tenants = instances;
        p.geometry.mask = mask_rule();
        if (p.policy->divides_ways)
            divide_ways(p.geometry);
        p.reuse_sample = u32(config_.stats.reuse_sample);
        l3_tlb_ = std::make_unique<TlbBlock>(*fabric_, "l3_tlb", p, link_of_tenant);
        add("gpu.l3_tlb", "l3_tlb", mp_tlb_metrics, l3_tlb_->model.stats, -1, &l3_tlb_->model);
    }
    for (unsigned s = 0; s < slices; s++) {
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
    for (unsigned t = 0; t < instances; t++) {
        tlm::tlm_target_socket<> &walks = instances_[t]->walk->in[0]->socket;
        if (foreign_l3_)
            foreign_l3_->to_walks(t).bind(walks);
        else
            l3_tlb_->out[t]->socket.bind(walks);
    }
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
        i->walk->connect(tlm);
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
        if (mp_frames_take_page(&g->instances_[tenant]->frames, &pa) ||
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
            mp_frames_give_page(&g->instances_[tenant]->frames, pa);
    }
    g->invalidate(tenant, va, bytes);
}

// The driver's invalidation: everything that might hold a translation of the range forgets it. Tables stay,
// so the page walk cache stays right.
void Gpu::invalidate(unsigned tenant, uint64_t va, uint64_t bytes)
{
    unsigned shift = log2_of(config_.machine.page_bytes);
    auto forget = [&](TlbBlock &b) {
        for (uint64_t vpn = va >> shift; vpn <= (va + bytes - 1) >> shift; vpn++)
            b.model.policy->invalidate_page(b.model.state, static_cast<uint16_t>(tenant), vpn);
    };
    const Instance &i = *instances_[tenant];
    unsigned tpcs = u32(config_.machine.tpcs_per_slice);
    for (unsigned s = i.first_slice; s < i.first_slice + i.slices; s++) {
        forget(*l2_tlbs_[s]);
        for (unsigned t = 0; t < tpcs; t++)
            forget(*l1_tlbs_[s * tpcs + t]);
    }
    if (l3_tlb_)
        forget(*l3_tlb_);
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
