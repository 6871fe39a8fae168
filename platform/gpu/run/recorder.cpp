// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/recorder.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <xxhash.h>

#include "db/db.h"

namespace mp
{

namespace
{

const mp_db_metric_kind db_kind[] = {MP_DB_COUNTER, MP_DB_GAUGE, MP_DB_HISTOGRAM_LINEAR, MP_DB_HISTOGRAM_LOG2,
                                     MP_DB_HISTOGRAM_LOG_LINEAR};

constexpr uint32_t order_of_clerks = 0; // counters are kept before anything else happens in the cycle

bool serves(const Component &c, int tenant)
{
    return tenant < 0 ? c.tenant == Component::unused : c.tenant == Component::shared || c.tenant == tenant;
}

// The level of a component, derived from its kind: 2 for "l2_tlb" and "l2d"; 0 if it has none.
unsigned level_of(const std::string &kind)
{
    bool level = kind.size() > 2 && kind[0] == 'l' && kind[1] >= '1' && kind[1] <= '9' &&
                 !std::isdigit(static_cast<unsigned char>(kind[2]));
    return level ? static_cast<unsigned>(kind[1] - '0') : 0;
}

// Snapshots omit SMs and first levels, of which there are hundreds. The counters of the second levels include
// the first levels' misses.
bool in_snapshots(const Component &c)
{
    return c.kind != "sm" && level_of(c.kind) != 1;
}

bool all_zero(const std::vector<uint64_t> &words)
{
    return std::all_of(words.begin(), words.end(), [](uint64_t w) { return w == 0; });
}

} // namespace

Recorder::Recorder(const std::vector<Component> &components, unsigned tenants, mp_db *db,
                   const mp_groups *groups)
    : components_(components), tenants_(tenants), db_(db), groups_(groups), launched_(tenants),
      frozen_(tenants), component_id_(components.size(), -1), metric_id_(components.size())
{
    for (unsigned t = 0; t < tenants; t++)
        ends_.push_back({static_cast<int>(t), false});
    for (uint32_t g = 1; groups && g < groups->count; g++)
        clerks_.push_back({{order_of_clerks, false, mp_groups_box(groups, 0, g), Clerk::arrive}, this, g});
}

uint64_t *Recorder::live(const Component &c, int tenant)
{
    size_t index = tenant < 0 || c.single ? 0 : static_cast<size_t>(tenant);
    return reinterpret_cast<uint64_t *>(static_cast<char *>(c.stats) + index * c.table->bytes);
}

void Recorder::refresh(const Component &c, int tenant)
{
    if (tenant >= 0 && c.block && c.block->refresh)
        c.block->refresh(c.model, static_cast<unsigned>(tenant));
}

bool Recorder::has_counted(const Component &c)
{
    for (int t = 0; t < static_cast<int>(tenants_); t++) {
        const uint64_t *words = serves(c, t) ? live(c, t) : nullptr;
        if (words && std::any_of(words, words + c.table->bytes / 8, [](uint64_t w) { return w != 0; }))
            return true;
    }
    return false;
}

size_t Recorder::place(size_t component, int tenant) const
{
    return component * (tenants_ + 1) + static_cast<size_t>(tenant - no_tenant);
}

// A largest value cannot be subtracted from.
static void forget_largest(const mp_metric_table &table, uint64_t *words)
{
    for (unsigned m = 0; m < table.count; m++)
        if (table.metric[m].kind == MP_HISTOGRAM_LOG_LINEAR)
            words[table.metric[m].offset / 8] = 0;
}

void Recorder::begin()
{
    before_.resize(place(components_.size(), no_tenant));
    for (size_t i = 0; i < components_.size(); i++)
        for (int t = no_tenant; t < static_cast<int>(tenants_); t++)
            if (serves(components_[i], t)) {
                uint64_t *words = live(components_[i], t);
                forget_largest(*components_[i].table, words);
                before_[place(i, t)].assign(words, words + components_[i].table->bytes / 8);
            }
}

// Gauges are what they are.
void Recorder::subtract(Kept &kept) const
{
    if (before_.empty())
        return;
    const mp_metric_table &table = *components_[kept.component].table;
    const std::vector<uint64_t> &before = before_[place(kept.component, kept.tenant)];
    for (unsigned m = 0; m < table.count; m++) {
        const mp_metric &metric = table.metric[m];
        size_t first = metric.offset / 8, words = mp_metric_words(&metric);
        for (size_t w = first; metric.kind != MP_GAUGE && w < first + words; w++)
            kept.words[w] -= before[w];
    }
}

void Recorder::Clerk::arrive(mp_sender *sender, void *task)
{
    auto *clerk = reinterpret_cast<Clerk *>(sender);
    auto *t = static_cast<Task *>(task);
    if (t->launch)
        clerk->recorder->count(*static_cast<Launch *>(t), clerk->group);
    else
        clerk->recorder->keep(t->tenant, clerk->group);
}

void Recorder::send(Task *task)
{
    for (Clerk &clerk : clerks_)
        mp_send(&clerk.sender, mp_groups_wheel(groups_, 0)->now, task);
}

void Recorder::freeze_later(unsigned tenant)
{
    open(static_cast<int>(tenant));
    keep(static_cast<int>(tenant), 0);
    send(&ends_[tenant]);
}

// The sums that launches have, by the names of their counters: those of the view kernels, then those that
// energy takes.
void Recorder::list_counters()
{
    static const char *const names[] = {"issued",         "accesses",    "pages",          "misses",
                                        "walks",          "reads",       "writes",         "lookups",
                                        "hits",           "fills",       "block_hits",     "pages_written",
                                        "blocks_written", "probes",      "allocated_free", "evicted_local",
                                        "evicted_oldest", "pwc_lookups", "msc_lookups",    "msc_insertions",
                                        "levels_read",    "heads",       "row_misses"};
    counters_.resize(clerks_.size() + 1);
    for (size_t i = 0; i < components_.size(); i++) {
        const Component &c = components_[i];
        for (unsigned m = 0; m < c.table->count; m++) {
            const mp_metric &metric = c.table->metric[m];
            const bool wanted = std::any_of(std::begin(names), std::end(names),
                                            [&](const char *n) { return !std::strcmp(n, metric.name); });
            if (!wanted || metric.bins)
                continue;
            auto column = std::find_if(columns_.begin(), columns_.end(), [&](const Column &k) {
                return k.kind == c.kind && !std::strcmp(k.metric->name, metric.name);
            });
            if (column == columns_.end())
                column = columns_.insert(columns_.end(), {c.kind, &metric, i});
            Counters &own = counters_[c.group];
            const auto number = static_cast<size_t>(column - columns_.begin());
            auto at = std::find(own.column.begin(), own.column.end(), number);
            if (at == own.column.end())
                at = own.column.insert(own.column.end(), number);
            own.counter.push_back({i, static_cast<size_t>(at - own.column.begin()), m});
        }
    }
}

void Recorder::count(Launch &launch, uint32_t group)
{
    std::vector<uint64_t> &sum = launch.sum[group];
    sum.assign(counters_[group].column.size(), 0);
    for (const Counter &k : counters_[group].counter) {
        const Component &c = components_[k.component];
        if (serves(c, launch.tenant))
            sum[k.place] += live(c, launch.tenant)[c.table->metric[k.metric].offset / 8];
    }
}

void Recorder::kernel_ended(unsigned tenant, const char *kernel, uint64_t began, uint64_t ended)
{
    if (!db_ || frozen_[tenant])
        return;
    if (counters_.empty())
        list_counters();
    launches_.push_back(std::make_unique<Launch>(
        Launch{{static_cast<int>(tenant), true}, ++launched_[tenant], kernel, began, ended, {}}));
    Launch *launch = launches_.back().get();
    launch->sum.resize(clerks_.size() + 1);
    count(*launch, 0);
    send(launch);
}

// In the order of their ends. Counts are differences from the tenant's launch before.
int Recorder::write_launches(mp_error *err)
{
    std::vector<int> metric;
    std::vector<std::vector<uint64_t>> before(tenants_, std::vector<uint64_t>(columns_.size())), value;
    std::vector<mp_db_launch> rows;
    std::vector<size_t> recorded; // columns; a rare component that counted nothing is not in the database
    for (const Column &c : columns_) {
        size_t i = c.component;
        while (i < components_.size() &&
               (components_[i].kind != c.kind || (components_[i].rare && !has_counted(components_[i]))))
            i++;
        if (i == components_.size())
            continue;
        if (declare(i, err))
            return -1;
        recorded.push_back(static_cast<size_t>(&c - columns_.data()));
        metric.push_back(metric_id_[i][static_cast<size_t>(c.metric - components_[i].table->metric)]);
    }
    for (const auto &l : launches_) {
        std::vector<uint64_t> sum(columns_.size());
        for (size_t g = 0; g < l->sum.size(); g++)
            for (size_t i = 0; i < l->sum[g].size(); i++)
                sum[counters_[g].column[i]] += l->sum[g][i];
        std::vector<uint64_t> &earlier = before[static_cast<size_t>(l->tenant)];
        value.emplace_back();
        for (size_t i : recorded)
            value.back().push_back(sum[i] - earlier[i]);
        earlier = sum;
    }
    for (size_t i = 0; i < launches_.size(); i++) {
        const Launch &l = *launches_[i];
        rows.push_back({l.tenant, l.number, l.kernel.c_str(), l.began, l.ended,
                        static_cast<unsigned>(metric.size()), metric.data(), value[i].data()});
    }
    return mp_db_launches(db_, rows.data(), static_cast<unsigned>(rows.size()), err);
}

void Recorder::freeze(unsigned tenant)
{
    keep_all(static_cast<int>(tenant));
}

void Recorder::keep_all(int tenant)
{
    open(tenant);
    for (uint32_t g = 0; g <= clerks_.size(); g++)
        keep(tenant, g);
}

// Makes room for the tenant's counters. If it already has some, the new ones replace them.
void Recorder::open(int tenant)
{
    if (tenant >= 0 && frozen_[static_cast<size_t>(tenant)])
        return;
    for (size_t i = 0; i < components_.size(); i++)
        if (serves(components_[i], tenant))
            kept_.push_back({i, tenant, std::vector<uint64_t>(components_[i].table->bytes / 8)});
    if (tenant >= 0)
        frozen_[static_cast<size_t>(tenant)] = true;
}

void Recorder::keep(int tenant, uint32_t group)
{
    for (Kept &k : kept_) {
        const Component &c = components_[k.component];
        if (k.tenant != tenant || c.group != group)
            continue;
        refresh(c, tenant);
        std::memcpy(k.words.data(), live(c, tenant), c.table->bytes);
        subtract(k);
    }
}

int Recorder::declare(size_t i, mp_error *err)
{
    if (component_id_[i] >= 0)
        return 0;
    const Component &c = components_[i];
    if (mp_db_component_kind(db_, c.kind.c_str(), c.table->kind, level_of(c.kind), err))
        return -1;
    component_id_[i] = mp_db_component(db_, c.path.c_str(), c.kind.c_str(), err);
    if (component_id_[i] < 0)
        return -1;
    for (unsigned m = 0; m < c.table->count; m++) {
        const mp_metric &metric = c.table->metric[m];
        int id = mp_db_metric(db_, c.kind.c_str(), metric.name, metric.unit, metric.description,
                              db_kind[metric.kind], err);
        if (id < 0)
            return -1;
        metric_id_[i].push_back(id);
    }
    return 0;
}

int Recorder::snapshot(uint64_t cycle, mp_error *err)
{
    for (size_t i = 0; db_ && i < components_.size(); i++) {
        const Component &c = components_[i];
        if (!in_snapshots(c) || (c.rare && !has_counted(c)))
            continue;
        if (declare(i, err))
            return -1;
        for (unsigned t = 0; t < tenants_; t++) {
            if (!serves(c, t))
                continue;
            refresh(c, t);
            for (unsigned m = 0; m < c.table->count; m++) {
                const mp_metric &metric = c.table->metric[m];
                if (!metric.bins && mp_db_epoch(db_, cycle, component_id_[i], static_cast<int>(t),
                                                metric_id_[i][m], live(c, t)[metric.offset / 8], err))
                    return -1;
            }
        }
    }
    return 0;
}

int Recorder::write(mp_error *err)
{
    for (const Kept &k : kept_) {
        const Component &c = components_[k.component];
        if (c.rare && all_zero(k.words))
            continue;
        if (declare(k.component, err))
            return -1;
        int id = component_id_[k.component], tenant = static_cast<int>(k.tenant);
        for (unsigned m = 0; m < c.table->count; m++) {
            const mp_metric &metric = c.table->metric[m];
            const uint64_t *at = &k.words[metric.offset / 8];
            int status = metric.bins ? mp_db_histogram(db_, id, tenant, metric_id_[k.component][m],
                                                       metric.bins, at, err)
                                     : mp_db_value(db_, id, tenant, metric_id_[k.component][m], *at, err);
            if (status)
                return -1;
        }
    }
    return launches_.empty() ? 0 : write_launches(err);
}

void Recorder::digest(uint64_t out[2]) const
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (const Kept &k : kept_) {
        const Component &c = components_[k.component];
        if (c.design && all_zero(k.words))
            continue;
        XXH3_128bits_update(state, c.path.data(), c.path.size() + 1);
        XXH3_128bits_update(state, &k.tenant, sizeof k.tenant);
        for (unsigned m = 0; m < c.table->count; m++) {
            const mp_metric &metric = c.table->metric[m];
            XXH3_128bits_update(state, metric.name, std::strlen(metric.name) + 1);
            XXH3_128bits_update(state, &k.words[metric.offset / 8], 8 * mp_metric_words(&metric));
        }
    }
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    out[0] = hash.low64;
    out[1] = hash.high64;
}

uint64_t Recorder::sum(const char *kind, const char *name, unsigned tenant) const
{
    uint64_t total = 0;
    for (const Kept &k : kept_) {
        const Component &c = components_[k.component];
        if (k.tenant != static_cast<int>(tenant) || c.kind != kind)
            continue;
        for (unsigned m = 0; m < c.table->count; m++)
            if (!std::strcmp(c.table->metric[m].name, name))
                total += k.words[c.table->metric[m].offset / 8];
    }
    return total;
}

} // namespace mp
