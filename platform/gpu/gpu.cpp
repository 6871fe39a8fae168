// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "gpu/configure.h"

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

void check(int status)
{
    if (status)
        throw std::bad_alloc();
}

// A foreign module does not say how many entries left.
uint64_t invalidate_foreign(void *foreign, const mp_scope *scope)
{
    static_cast<Foreign *>(foreign)->invalidate(*scope);
    return 0;
}

} // namespace

Gpu::Gpu(const sc_core::sc_module_name &name, const mp_config &config,
         const std::vector<gwt_reader *> &readers, const GpuOptions &options)
    : sc_module(name),
      kernel("kernel", sc_core::sc_time(1e6 / static_cast<double>(config.machine.clock_mhz), sc_core::SC_PS)),
      config_(config), readers_(readers), options_(options)
{
    try {
        build();
    } catch (...) {
        release();
        throw;
    }
}

void Gpu::build()
{
    describe();
    build_memory();
    split();
    fabric_ = std::make_unique<Fabric>(Fabric{kernel, {&memory_, &tables_}, machine_, split_});
    apps.resize(config_.ntenants);
    assembly_ = std::make_unique<Assembly>(*fabric_, plan_, options_);
    uint32_t tenant = 0; // the next one: its application follows the blocks of its instance
    for (uint32_t i = 0; i < plan_.blocks; i++) {
        while (tenant < config_.ntenants && machine_.tenant[tenant].instance < plan_.block[i].instance)
            build_app(tenant++);
        build_block(i);
    }
    while (tenant < config_.ntenants)
        build_app(tenant++);
    for (uint32_t i = 0; i < machine_.instances; i++)
        build_managed(i);
    assembly_->bind();
    give_roots();
}

Gpu::~Gpu()
{
    release();
}

void Gpu::release()
{
    for (auto &app : apps)
        mp_app_free(&app);
    managed_.clear();
    for (auto &space : spaces_)
        mp_space_free(&space);
    for (auto &frames : frames_)
        mp_frames_free(&frames);
    mp_physmem_free(&memory_);
    assembly_.reset();
    mp_plan_free(&plan_);
    mp_map_free(&map_);
}

// The machine and its plan.
void Gpu::describe()
{
    mp_error err{};
    mp_machine_configure(&machine_, &config_);
    machine_.walk.memory = &memory_;
    check(mp_map_init(&map_, machine_.map.kind, &machine_.map.own));
    mp_machine_set_map(&machine_, map_);
    if (mp_plan_init(&plan_, &machine_, &err))
        throw Refused(err.text);
}

// The SMs of a group share a coalescer's scratch memory.
void Gpu::split()
{
    check(mp_split_init(&split_, &plan_, &machine_));
    kernel.split(split_);
    coalescers_.resize(split_.groups);
    for (auto &c : coalescers_) {
        c.page_shift = parts_.empty() ? log2_of(machine_.page_bytes) : parts_.front().shift;
        c.line_shift = log2_of(machine_.line_bytes);
    }
    for (uint32_t i = 0; i < plan_.blocks; i++)
        if (plan_.block[i].kind == &mp_sm_kind) {
            auto *sm = static_cast<mp_sm_params *>(plan_.block[i].params);
            sm->coalescer = &coalescers_[split_.group[i]];
            sm->parts = !parts_.empty();
        }
}

void Gpu::build_memory()
{
    if (mp_physmem_init(&memory_, mp_machine_memory(&machine_, machine_.slices)))
        throw std::bad_alloc();
    frames_.resize(machine_.instances);
    spaces_.resize(machine_.tenants);
    contiguity_.resize(machine_.tenants);
    for (uint32_t i = 0; i < machine_.instances; i++) {
        mp_frames_params frames{};
        frames.base = machine_.instance[i].first_slice * machine_.memory_per_slice;
        frames.bytes = mp_machine_memory(&machine_, machine_.instance[i].slices);
        frames.page_bytes = machine_.page_bytes;
        frames.hash = mp_map_hash(&map_);
        frames.own = machine_.frames.own;
        std::copy_n(machine_.frames.colours, MP_TENANTS, frames.colours);
        mp_error err{};
        if (mp_frames_init(&frames_[i], machine_.frames.allocator, &frames, &err))
            throw Refused(err.text);
    }
    for (uint32_t t = 0; t < machine_.tenants; t++) {
        mp_space_params space{};
        space.asid = static_cast<uint16_t>(t);
        space.tenant = t;
        space.format = mp_machine_format(&machine_, t);
        space.memory = &memory_;
        space.frames = &frames_[machine_.tenant[t].instance];
        space.table = machine_.walk.table;
        space.own = machine_.table;
        mp_error err{};
        if (mp_space_init(&spaces_[t], &space, &err))
            throw Refused(err.text);
        if (machine_.frames.allocator->part)
            parts_.push_back(machine_.frames.allocator->part(space.frames->state, t));
        tables_.push_back(&spaces_[t].table);
        spaces_[t].table.heads_first = machine_.walk.heads_first;
        if (scans())
            spaces_[t].hook = mp_contiguity_hook(&contiguity_[t]);
    }
}

// --- blocks
// ---------------------------------------------------------------------------------------------------

void Gpu::add(const mp_plan_block &block, void *model)
{
    bool alone = !(block.hears & (block.hears - 1)); // peers of another tenant change what it counts
    size_t first = components.size();
    add_components(components, block, model,
                   alone ? static_cast<int>(log2_of(block.tenants)) : Component::shared);
    for (; first < components.size(); first++)
        components[first].group = split_.group[&block - plan_.block];
}

void Gpu::build_block(uint32_t number)
{
    assembly_->build(number);
    const auto &block = assembly_->node(number).block;
    if (!block)
        return;
    add(plan_.block[number], block->model);
    if (&block->kind == &mp_sm_kind && split_.group[number] != MP_SPLIT_APPS)
        mp_sm_set_apart(static_cast<mp_sm *>(block->model), kernel.groups(), MP_SPLIT_APPS,
                        split_.group[number], mp_split_order_of_sm(&plan_, number), /*keeps=*/false);
}

void Gpu::give_roots()
{
    for (uint32_t i = 0; i < plan_.blocks; i++) {
        const mp_block_kind &kind = *plan_.block[i].kind;
        for (const auto &space : spaces_)
            if (assembly_->node(i).block && kind.set_root && plan_.block[i].tenants >> space.table.tenant & 1)
                kind.set_root(assembly_->node(i).block->model, space.asid, space.table.format,
                              space.table.root);
        listen(i);
    }
}

uint64_t Gpu::Remote::send(void *remote, const mp_scope *scope)
{
    auto *r = static_cast<Remote *>(remote);
    mp_send(&r->sender, r->apps->now, new mp_scope(*scope));
    return 0;
}

void Gpu::Remote::arrive(mp_sender *sender, void *scope)
{
    auto *r = reinterpret_cast<Remote *>(sender);
    std::unique_ptr<mp_scope> owned(static_cast<mp_scope *>(scope));
    r->block.invalidate(r->block.self, owned.get());
}

mp_listener Gpu::listener(uint32_t number)
{
    const Assembly::Node &node = assembly_->node(number);
    mp_listener listener{};
    if (node.foreign)
        listener = {node.foreign.get(), invalidate_foreign};
    else
        listener = {node.block->model, plan_.block[number].kind->invalidate};
    uint32_t group = split_.group[number];
    if (!listener.invalidate || group == MP_SPLIT_APPS)
        return listener;
    remotes_.push_back(std::make_unique<Remote>());
    *remotes_.back() = {{mp_split_order_of_block(number), false,
                         mp_groups_box(kernel.groups(), MP_SPLIT_APPS, group), Remote::arrive},
                        kernel.wheel(MP_SPLIT_APPS),
                        listener};
    return {remotes_.back().get(), Remote::send};
}

// The block learns of changes in the address spaces of the tenants that it serves.
void Gpu::listen(uint32_t number)
{
    mp_listener listener = this->listener(number);
    for (auto &space : spaces_)
        if (listener.invalidate && plan_.block[number].hears >> space.table.tenant & 1)
            check(mp_listeners_add(&space.listeners, listener));
}

void Gpu::end_warmup()
{
    mp_tlb_params then;
    const char *last = mp_machine_last_tlb()->name;
    mp_config_level(&config_, last, &then);
    for (uint32_t i = 0; i < plan_.blocks; i++) {
        auto *p = static_cast<mp_tlb_params *>(plan_.block[i].params);
        const auto &block = assembly_->node(i).block;
        if (!block || std::strcmp(plan_.block[i].level, last) != 0 || p->policy == then.policy)
            continue;
        p->policy = then.policy;
        p->geometry.own = then.geometry.own;
        check(mp_tlb_change_policy(static_cast<mp_tlb *>(block->model), p->policy, &p->geometry));
    }
}

// --- applications
// ---------------------------------------------------------------------------------------------

// A dispatch policy may use all SMs of the instance, so the tenants of an instance are peers.
void Gpu::build_app(uint32_t tenant)
{
    const mp_machine_tenant &own = machine_.tenant[tenant];
    const mp_machine_instance &instance = machine_.instance[own.instance];
    const uint32_t first = mp_machine_first_sm(&machine_, instance.first_slice);
    const uint32_t end = mp_machine_first_sm(&machine_, instance.first_slice + instance.slices);
    std::vector<mp_sm *> sms;
    mp_app_params a{};
    for (uint32_t sm = first; sm < end; sm++) {
        uint32_t i = mp_plan_find_level(&plan_, "sm", sm, 0);
        if (sm == own.first_sm)
            a.first_sm = u32(sms.size());
        const auto *block = i == MP_PLAN_NONE ? nullptr : assembly_->node(i).block.get();
        if (i != MP_PLAN_NONE && !block && readers_[tenant])
            throw Refused(std::string(plan_.block[i].path) + ": the application of tenants." +
                          std::to_string(tenant) +
                          " runs on it; a module replaces SMs of tenants with app: external");
        if (block)
            sms.push_back(static_cast<mp_sm *>(block->model));
    }
    a.own_sms = own.sms;
    a.most_warps = machine_.most_warps;
    a.takes_turns = machine_.takes_turns;
    a.part = parts_.empty() ? nullptr : &parts_[tenant];
    a.keeps_buffers = !std::strcmp(mp_choice("stats.runs", config_.stats.runs), "warm");
    for (uint32_t t = 0; t < tenant && !a.peer; t++)
        if (machine_.tenant[t].instance == own.instance)
            a.peer = &apps[t];
    a.tenant = tenant;
    a.asid = spaces_[tenant].asid;
    a.clock_mhz = machine_.clock_mhz;
    a.launch_latency = machine_.launch_latency;
    a.host_sync = machine_.host_sync;
    a.reader = readers_[tenant];
    a.dispatch = machine_.dispatch.policy;
    a.values = machine_.dispatch.own;
    a.sm = sms.data();
    a.sms = u32(sms.size());
    a.host = {this,
              map,
              unmap,
              own.managed && config_.uvm.host_accesses ? host_accesses : nullptr,
              completed,
              failed,
              own.managed ? fault : nullptr,
              scans() ? prepare : nullptr,
              ended,
              nullptr};
    if (mp_app_init(&apps[tenant], kernel.wheel(MP_SPLIT_APPS), &a))
        throw std::bad_alloc();
    char name[MP_MACHINE_PATH];
    mp_machine_tenant_path(&machine_, tenant, name);
    const std::string path = name;
    components.push_back({path, "tenant", &mp_app_metrics, &apps[tenant].stats, static_cast<int>(tenant),
                          nullptr, nullptr, /*design=*/false, /*single=*/true});
    if (scans()) {
        components.push_back({path + ".contiguity", "contiguity", &mp_contiguity_metrics,
                              &contiguity_[tenant], static_cast<int>(tenant), nullptr, nullptr,
                              /*design=*/true, /*single=*/true});
        for (Hook *hook : options_.hooks)
            hook->scans(kernel, components.back().path, contiguity_[tenant], spaces_[tenant].table);
    }
    const mp_design &dispatch = a.dispatch->design;
    if (dispatch.counters)
        components.push_back({path + "." + dispatch.name, dispatch.name, dispatch.counters,
                              apps[tenant].counters, static_cast<int>(tenant), nullptr, nullptr,
                              /*design=*/true, /*single=*/true});
}

// The server of an instance's page faults, if a tenant of it has managed memory.
void Gpu::build_managed(uint32_t instance)
{
    std::vector<gwt_reader *> readers;
    for (uint32_t t = 0; t < machine_.tenants; t++)
        if (machine_.tenant[t].managed && machine_.tenant[t].instance == instance)
            readers.push_back(readers_[t]);
    managed_.emplace_back(readers.empty() ? nullptr
                                          : new Managed(kernel, config_, frames_[instance],
                                                        {&link_, copies_of(instance)}, readers));
    for (uint32_t t = 0; t < machine_.tenants; t++) {
        if (!machine_.tenant[t].managed || machine_.tenant[t].instance != instance)
            continue;
        char path[MP_MACHINE_PATH];
        mp_machine_tenant_path(&machine_, t, path);
        managed_[instance]->add(apps[t]);
        watch_host(t);
        if (readers_[t] == readers.front())
            for (Hook *hook : options_.hooks)
                hook->serves(kernel, std::string(path) + ".uvm", managed_[instance]->server());
        components.push_back({std::string(path) + ".uvm", "uvm", &mp_paging_metrics,
                              managed_[instance]->stats(t), static_cast<int>(t), nullptr, nullptr,
                              /*design=*/false, /*single=*/true});
    }
}

// nullptr: copies access no lines of the GPU's memory, or a module does it.
mp_copies *Gpu::copies_of(uint32_t instance)
{
    const uint32_t i = mp_plan_find_kind(&plan_, &mp_copies_kind, instance);
    if (i == MP_PLAN_NONE || !assembly_->node(i).block)
        return nullptr;
    auto *copies = static_cast<mp_copies *>(assembly_->node(i).block->model);
    mp_copies_share(copies, &link_);
    return copies;
}

// Counts the tenant's accesses of host memory, which share the link with copies. A module that is in its
// place does neither.
void Gpu::watch_host(uint32_t tenant)
{
    for (uint32_t i = 0; i < plan_.blocks; i++)
        if (plan_.block[i].kind == &mp_host_kind && assembly_->node(i).block) {
            auto *host = static_cast<mp_host *>(assembly_->node(i).block->model);
            mp_host_watch(host, tenant, {accessed, managed(tenant)});
            mp_host_share(host, &link_);
        }
}

void Gpu::accessed(void *managed, const mp_req *line)
{
    mp_paging_remote(&static_cast<Managed *>(managed)->server(), line);
}

Managed *Gpu::managed(uint32_t tenant) const
{
    return machine_.tenant[tenant].managed ? managed_[machine_.tenant[tenant].instance].get() : nullptr;
}

void Gpu::end_of_elaboration()
{
    assembly_->connect();
}

void Gpu::start_of_simulation()
{
    for (auto &app : apps)
        if (app.p.reader)
            mp_app_start(&app);
    kernel.leave(); // wakes the drain for what was just scheduled
}

uint64_t Gpu::sum(const char *kind, const char *metric, unsigned tenant) const
{
    uint64_t total = 0;
    for (const auto &c : components) {
        if (c.kind != kind || (c.tenant >= 0 && c.tenant != static_cast<int>(tenant)))
            continue;
        size_t index = c.single ? 0 : tenant;
        for (unsigned m = 0; m < c.table->count; m++)
            if (!std::strcmp(c.table->metric[m].name, metric))
                total += *reinterpret_cast<const uint64_t *>(
                    static_cast<const char *>(c.stats) + index * c.table->bytes + c.table->metric[m].offset);
    }
    return total;
}

// --- what an X-ray shows
// ----------------------------------------------------------------------------------------------

// Of a foreign module, the requests are known that native blocks have sent to it.
void Gpu::show_foreign(mp_xray_report *report, uint32_t number) const
{
    const mp_xray sink = mp_xray_sink(report);
    for (uint32_t i = 0; i < plan_.links; i++) {
        const mp_plan_link &link = plan_.link[i];
        const auto &from = assembly_->node(link.from).block;
        if (link.to != number || !from)
            continue;
        from->out[i - plan_.block[link.from].first_link]->each_pending([&](const mp_req &req) {
            const mp_xray_wait wait = mp_xray_wait_of("sent, no answer", &req);
            sink.wait(sink.self, &wait);
        });
    }
}

void Gpu::xray(mp_xray_report *report) const
{
    check(mp_xray_init(report, &plan_, kernel.now(), machine_.page_bytes, machine_.line_bytes));
    for (uint32_t i = 0; i < plan_.blocks; i++) {
        const auto &block = assembly_->node(i).block;
        mp_xray_show(report, block ? block->model : nullptr);
        if (!block)
            show_foreign(report, i);
    }
    check(mp_xray_finish(report));
}

// --- what the applications need
// ---------------------------------------------------------------------------------

int Gpu::map(void *self, uint32_t tenant, uint64_t number, uint64_t va, uint64_t bytes, mp_error *err)
{
    auto *g = static_cast<Gpu *>(self);
    mp_space *space = &g->spaces_[tenant];
    if (g->managed(tenant) && number != MP_APP_NO_BUFFER)
        return g->managed(tenant)->open(*space, va, bytes, err);
    uint32_t page = mp_page_choose(&g->machine_.tenant[tenant].pages, &space->table, number, va, bytes);
    return mp_space_map(space, va, bytes, page, err);
}

int Gpu::map_pages(uint32_t tenant, uint64_t va, uint64_t bytes, mp_error *err)
{
    if (map(this, tenant, mapped_[tenant]++, va, bytes, err))
        return -1;
    if (scans())
        prepare(this, tenant);
    return 0;
}

void Gpu::unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    auto *g = static_cast<Gpu *>(self);
    if (!g->managed(tenant) || !g->managed(tenant)->close(g->spaces_[tenant], va))
        mp_space_unmap(&g->spaces_[tenant], va, bytes);
}

bool Gpu::fault(void *self, mp_sm *sm, mp_req *page)
{
    return static_cast<Gpu *>(self)->managed(page->tenant)->fault(*sm, *page);
}

// The application waits until the host has what it reads or writes.
bool Gpu::host_accesses(void *self, uint32_t tenant, const gwt_record *r)
{
    auto *g = static_cast<Gpu *>(self);
    mp_error err;
    if (r->kind != GWT_HOST_READ && r->kind != GWT_HOST_WRITE)
        return false;
    const mp_paging_host_access access = {&g->spaces_[tenant],       r->va,  r->bytes,
                                          r->kind == GWT_HOST_WRITE, resume, &g->apps[tenant]};
    if (mp_paging_host(&g->managed(tenant)->server(), &access, &err))
        mp_app_fail(&g->apps[tenant], err.text);
    return true;
}

void Gpu::resume(void *app)
{
    mp_app_resume(static_cast<mp_app *>(app));
}

uint64_t Gpu::progress(unsigned tenant) const
{
    return mp_app_progress(&apps[tenant]) + (managed(tenant) ? managed(tenant)->moves() : 0);
}

bool Gpu::scans() const
{
    return mp_machine_uses_contiguity(&machine_);
}

uint32_t Gpu::prepare(void *self, uint32_t tenant)
{
    auto *g = static_cast<Gpu *>(self);
    mp_contiguity &c = g->contiguity_[tenant];
    uint64_t before = c.read;
    mp_contiguity_scan_space(&c, &g->spaces_[tenant]);
    uint64_t cycles = (c.read - before) * g->config_.vm.scan_cycles;
    return u32(std::min<uint64_t>(cycles, UINT32_MAX));
}

void Gpu::ended(void *self, uint32_t tenant, const gwt_kernel *kernel, uint64_t began)
{
    auto *g = static_cast<Gpu *>(self);
    if (g->on_kernel)
        g->on_kernel(tenant, kernel->name, began, g->apps[tenant].wheel->now);
}

void Gpu::completed(void *self, uint32_t tenant)
{
    auto *g = static_cast<Gpu *>(self);
    mp_error err;
    mp_app &app = g->apps[tenant];
    app.stats.instructions = g->sum("sm", "issued", tenant) - app.added;
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
    g->kernel.fail("tenant " + std::to_string(tenant) + ": " + why);
}

} // namespace mp
