// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/stand_in.h"

#include <cstring>
#include <fnmatch.h>
#include <map>
#include <set>
#include <utility>

#include "paging/paging.h"

namespace mp
{

namespace
{

// The number of requests to the block since its counters began.
uint64_t asked(const mp_plan_block &block, const void *model)
{
    uint64_t sum = 0;
    if (block.kind == &mp_tlb_kind) {
        const auto *tlb = static_cast<const mp_tlb *>(model);
        for (uint32_t t = 0; t < tlb->tenants; t++)
            sum += tlb->stats[t].lookups;
    } else {
        const auto *walk = static_cast<const mp_walk *>(model);
        for (uint32_t t = 0; t < walk->p.geometry.tenants; t++)
            sum += walk->stats[t].walks;
    }
    return sum;
}

} // namespace

RtlBlocks::~RtlBlocks()
{
    for (auto &b : blocks_) {
        if (!b->object)
            continue;
        if (rtl_.over)
            rtl_.over(rtl_.context, &b->outcome);
        b->outcome.view->close(b->object);
    }
}

RtlBlocks::Block &RtlBlocks::add(const mp_rtl_part &part, const std::string &path, const char *mode,
                                 Kernel &kernel, const mp_wheel *wheel)
{
    if (!alone && blocks_.size() == MP_RTL_BLOCKS) // firmware adds a block again whenever it chooses
        throw Refused("--rtl: the machine has more than " + std::to_string(MP_RTL_BLOCKS) +
                      " blocks that would be RTL; at most " + std::to_string(MP_RTL_BLOCKS));
    blocks_.push_back(std::make_unique<Block>());
    Block &b = *blocks_.back();
    b.part = &part;
    b.host = {&b, cycle, stop, part.shadow, rtl_.waves, part.level};
    b.path = path;
    b.mode = mode;
    b.kernel = &kernel;
    b.wheel = wheel;
    b.all = this;
    return b;
}

RtlBlocks::Block &RtlBlocks::add(const mp_rtl_part &part, const Site &site, const char *mode)
{
    for (const Block *other : changed_)
        if (!std::strcmp(other->part->name, part.name))
            throw Refused("--rtl: " + std::string(part.name) + " of " + site.block().path +
                          " is given twice; once");
    Block &b = add(part, site.block().path, mode, site.fabric.kernel, site.fabric.wheel(site.number));
    b.place = &site.block();
    changed_.push_back(&b);
    return b;
}

RtlBlocks::Block *RtlBlocks::latest(const Block &like)
{
    for (size_t i = blocks_.size(); i-- > 0;)
        if (blocks_[i]->model && blocks_[i]->path == like.path && blocks_[i]->part == like.part)
            return blocks_[i].get();
    return nullptr;
}

// Whether the model decides alone, because the RTL lacks what firmware has chosen.
bool RtlBlocks::leave(Block &b, int lacks, const mp_error &why)
{
    if (!lacks || !alone) // open() will refuse it
        return false;
    const Block *before = latest(b);
    b.why = why.text;
    if (!before || before->why != b.why)
        alone(b.path + ": the model decides: " + b.why);
    return true;
}

void RtlBlocks::check_waves(const std::string &path) const
{
    for (auto &other : blocks_)
        if (rtl_.waves.file && other->object)
            throw Refused("--waves: " + other->path + " and " + path +
                          " would write the same file; an experiment with one of them is needed");
}

void RtlBlocks::opened(Block &b, void *object, const mp_error &err)
{
    const mp_rtl_block &rtl = *b.part->block;
    if (!object)
        throw Refused(err.text);
    b.object = object;
    b.outcome = {b.part->name, b.path.c_str(), b.mode.c_str(), rtl.tools, b.host.shadow, &rtl.view, object};
}

static bool matches(const mp_rtl_part &part, const char *path)
{
    return !part.path || !fnmatch(part.path, path, 0);
}

static bool is_of(const mp_rtl_part &part, const mp_plan_block &block)
{
    if (!matches(part, block.path))
        return false;
    if (block.kind == &mp_tlb_kind)
        return (part.block->tlb || part.block->directory) && !std::strcmp(block.level, part.level);
    return block.kind == &mp_walk_kind && part.block->walks;
}

bool RtlBlocks::wants(const mp_plan_block &block) const
{
    for (unsigned i = 0; i < rtl_.parts; i++)
        if (is_of(rtl_.part[i], block))
            return true;
    return false;
}

void RtlBlocks::change(const Site &site, void *params)
{
    changed_.clear();
    for (unsigned i = 0; i < rtl_.parts; i++) {
        const mp_rtl_part &part = rtl_.part[i];
        if (!is_of(part, site.block()))
            continue;
        if (part.block->tlb)
            change_tlb(part, site, *static_cast<mp_tlb_params *>(params));
        if (part.block->directory)
            change_directory(part, site, *static_cast<mp_tlb_params *>(params));
        if (part.block->walks)
            change_walk(part, site, *static_cast<mp_walk_params *>(params));
    }
}

void RtlBlocks::change_tlb(const mp_rtl_part &part, const Site &site, mp_tlb_params &p)
{
    mp_error err{};
    const mp_rtl_tlb &rtl = *part.block->tlb;
    Block &b = add(part, site, p.policy->design.name);
    if (leave(b, rtl.has(p.policy, &p.geometry, &b.host, &err), err))
        return;
    check_waves(b.path);
    opened(b, rtl.open(p.policy, &p.geometry, &b.host, &err), err);
    p.policy = rtl.policy(b.object);
}

void RtlBlocks::change_walk(const mp_rtl_part &part, const Site &site, mp_walk_params &p)
{
    mp_error err{};
    const mp_rtl_walks &rtl = *part.block->walks;
    Block &b = add(part, site, p.scheduler->design.name);
    if (leave(b, rtl.has(p.scheduler, &p.geometry, &p.rules, &err), err))
        return;
    if (p.method->joins)
        throw Refused(std::string("--rtl: ") + part.name + " in place of " + b.path + ": walk.method " +
                      p.method->design.name +
                      " takes walks out of queues, which no RTL does; another method");
    check_waves(b.path);
    opened(b, rtl.open(p.scheduler, &p.geometry, &p.rules, &b.host, &err), err);
    p.scheduler = rtl.scheduler;
}

void RtlBlocks::change_directory(const mp_rtl_part &part, const Site &site, const mp_tlb_params &p)
{
    mp_error err{};
    Block &b = add(part, site, p.exchange.policy->design.name);
    check_waves(b.path);
    opened(b, part.block->directory->open(p.exchange.policy, &p.exchange.values, &b.host, &err), err);
}

void RtlBlocks::attach(Block &b, const Site &site, void *model)
{
    Block *before = latest(b);
    b.model = model;
    b.requests = asked(site.block(), model);
    if (before) {
        before->requests = b.requests - before->requests;
        before->ended = true;
    }
    if (!b.object)
        return;
    if (b.part->block->tlb) {
        stand_in(static_cast<mp_tlb *>(model)->state, b.object);
    } else if (b.part->block->walks) {
        stand_in(static_cast<mp_walk *>(model)->intake.state, b.object);
    } else {
        mp_neighbour *n = mp_exchange_neighbour(static_cast<mp_tlb *>(model)->exchange);
        n->keeper = b.part->block->directory->keeper;
        n->kept = b.object;
    }
}

std::unique_ptr<Attachment> RtlBlocks::attach(const Site &site, void *model)
{
    for (Block *b : changed_)
        attach(*b, site, model);
    changed_.clear();
    return nullptr;
}

void RtlBlocks::scans(Kernel &kernel, const std::string &path, mp_contiguity &c, const mp_page_table &t)
{
    for (unsigned i = 0; i < rtl_.parts; i++) {
        mp_error err{};
        const mp_rtl_part &part = rtl_.part[i];
        if (!part.block->scan || !matches(part, path.c_str()))
            continue;
        Block &b = add(part, path, t.heads_first ? "head" : "standard", kernel, kernel.wheel(MP_SPLIT_APPS));
        check_waves(path);
        opened(b, part.block->scan->open(t.heads_first, &b.host, &err), err);
        b.model = &c;
        c.scanner = part.block->scan->scanner;
        c.scanner_self = b.object;
    }
}

void RtlBlocks::serves(Kernel &kernel, const std::string &path, mp_paging &server)
{
    for (unsigned i = 0; i < rtl_.parts; i++) {
        mp_error err{};
        const mp_rtl_part &part = rtl_.part[i];
        if (!part.block->prefetch || !matches(part, path.c_str()))
            continue;
        Block &b = add(part, path, "tree", kernel, kernel.wheel(MP_SPLIT_APPS));
        check_waves(path);
        opened(b, part.block->prefetch->open(&b.host, &err), err);
        b.model = &server;
        mp_paging_stand_in(&server, {part.block->prefetch->pages, b.object});
    }
}

void RtlBlocks::check(const std::string &paths) const
{
    for (unsigned i = 0; i < rtl_.parts; i++) {
        const mp_rtl_part &part = rtl_.part[i];
        if (!places(&part))
            throw Refused(std::string("--rtl: ") + part.name + (part.path ? ":" : "") +
                          (part.path ? part.path : "") + ": no such block; " + paths);
    }
}

// The number of paths of a part, or of all parts (nullptr). Those that have been refused have no model.
size_t RtlBlocks::places(const mp_rtl_part *part) const
{
    std::set<std::pair<const mp_rtl_part *, std::string>> paths;
    for (auto &b : blocks_)
        if (b->model && (!part || b->part == part))
            paths.insert({b->part, b->path});
    return paths.size();
}

// Whether there is one count for all blocks of the part.
bool RtlBlocks::together(const mp_rtl_part &part, unsigned room) const
{
    const size_t n = places(&part);
    return n > MP_TENANTS || (n > 1 && places(nullptr) > room);
}

namespace
{

// What a count is made of.
struct Counted {
    const mp_rtl_part *part;
    std::string component;
    std::set<std::string> paths;
    std::map<std::string, bool> points; // by mode and name: reached
};

// Blocks of the same mode have the same points.
void take_points(const mp_rtl_outcome &o, Counted &counted)
{
    char name[MP_RTL_POINT_NAME];
    mp_rtl_point point;
    for (unsigned i = 0; o.view->point(o.asked, i, name, &point); i++)
        counted.points[std::string(o.mode) + ": " + name] |= point.taken != 0;
}

} // namespace

unsigned RtlBlocks::count(mp_rtl_count *counts, unsigned room, mp_rtl_share *shares) const
{
    std::vector<Counted> all;
    for (auto &b : blocks_) {
        if (!b->model)
            continue;
        const std::string component = together(*b->part, room) ? b->part->name : b->path;
        size_t i = 0;
        while (i < all.size() && (all[i].part != b->part || all[i].component != component))
            i++;
        if (i == all.size()) {
            all.push_back({b->part, component, {}, {}});
            counts[i] = mp_rtl_count{};
            std::snprintf(counts[i].component, sizeof counts[i].component, "%s", component.c_str());
            counts[i].shadow = b->host.shadow;
            counts[i].cosim = b->part->cosim;
            if (shares)
                shares[i] = mp_rtl_share{};
        }
        all[i].paths.insert(b->path);
        if (b->object) {
            counts[i].transactions += b->outcome.view->transactions(b->object);
            counts[i].clocks += b->outcome.view->clocks(b->object);
            take_points(b->outcome, all[i]);
        }
        if (shares)
            add_share(*b, shares[i]);
    }
    for (size_t i = 0; i < all.size(); i++) {
        counts[i].places = static_cast<unsigned>(all[i].paths.size());
        counts[i].points = static_cast<unsigned>(all[i].points.size());
        for (auto &point : all[i].points)
            counts[i].reached += point.second;
    }
    return static_cast<unsigned>(all.size());
}

void RtlBlocks::add_share(const Block &b, mp_rtl_share &s)
{
    const uint64_t requests = b.ended ? b.requests : asked(*b.place, b.model) - b.requests;
    s.unit = b.place->kind == &mp_tlb_kind ? "lookups" : "walks";
    s.requests += requests;
    s.decided += b.object ? requests : 0;
    if (!b.object)
        std::snprintf(s.why, sizeof s.why, "%s", b.why.c_str());
}

uint64_t RtlBlocks::cycle(void *block)
{
    return static_cast<Block *>(block)->wheel->now;
}

void RtlBlocks::stop(void *block)
{
    auto *b = static_cast<Block *>(block);
    if (!b->all->difference_.empty())
        return;
    b->all->difference_ = b->path + ": " + b->outcome.view->difference(b->object) + " in cycle " +
                          std::to_string(cycle(b)) + ", transaction " +
                          std::to_string(b->outcome.view->transactions(b->object));
    b->kernel->stop();
}

} // namespace mp
