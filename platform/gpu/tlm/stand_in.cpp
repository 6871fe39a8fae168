// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/stand_in.h"

#include <cstring>

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

RtlBlocks::Block &RtlBlocks::add(const Site &site, const char *mode, bool shadow)
{
    if (!alone && blocks_.size() == MP_RTL_BLOCKS) // firmware adds a block again whenever it chooses
        throw Refused("--rtl: the machine has more than " + std::to_string(MP_RTL_BLOCKS) +
                      " blocks that would be RTL; at most " + std::to_string(MP_RTL_BLOCKS));
    blocks_.push_back(std::make_unique<Block>());
    Block &b = *blocks_.back();
    b.host = {&b, cycle, stop, shadow, rtl_.waves};
    b.path = site.block().path;
    b.place = &site.block();
    b.mode = mode;
    b.kernel = &site.fabric.kernel;
    b.wheel = site.fabric.wheel(site.number);
    b.all = this;
    return b;
}

RtlBlocks::Block *RtlBlocks::latest(const std::string &path)
{
    for (size_t i = blocks_.size(); i-- > 0;)
        if (blocks_[i]->model && blocks_[i]->path == path)
            return blocks_[i].get();
    return nullptr;
}

// Whether the model decides alone, because the RTL lacks what firmware has chosen.
bool RtlBlocks::leave(Block &b, int lacks, const mp_error &why)
{
    if (!lacks || !alone) // open() will refuse it
        return false;
    const Block *before = latest(b.path);
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

void RtlBlocks::opened(Block &b, const char *block, const char *tools, const mp_rtl_view &view, void *object,
                       const mp_error &err)
{
    if (!object)
        throw Refused(err.text);
    b.object = object;
    b.outcome = {block, b.path.c_str(), b.mode.c_str(), tools, b.host.shadow, &view, object};
}

bool RtlBlocks::wants(const mp_plan_block &block) const
{
    return block.kind == &mp_tlb_kind ? rtl_.tlb && !std::strcmp(block.level, rtl_.tlb_level)
                                      : rtl_.walk_arbiter && block.kind == &mp_walk_kind;
}

void RtlBlocks::change(const Site &site, void *params)
{
    if (site.block().kind == &mp_tlb_kind)
        change_tlb(site, *static_cast<mp_tlb_params *>(params));
    else
        change_walk(site, *static_cast<mp_walk_params *>(params));
}

void RtlBlocks::change_tlb(const Site &site, mp_tlb_params &p)
{
    mp_error err{};
    Block &b = add(site, p.policy->design.name, rtl_.tlb_shadow);
    if (leave(b, rtl_.tlb->has(p.policy, &err), err))
        return;
    check_waves(b.path);
    void *object = rtl_.tlb->open(p.policy, &p.geometry, &b.host, &err);
    opened(b, rtl_.tlb_level, rtl_.tlb->tools, rtl_.tlb->view, object, err);
    p.policy = rtl_.tlb->policy;
}

void RtlBlocks::change_walk(const Site &site, mp_walk_params &p)
{
    mp_error err{};
    Block &b = add(site, p.scheduler->design.name, rtl_.walk_arbiter_shadow);
    if (leave(b, rtl_.walk_arbiter->has(p.scheduler, &p.geometry, &p.rules, &err), err))
        return;
    check_waves(b.path);
    void *object = rtl_.walk_arbiter->open(p.scheduler, &p.geometry, &p.rules, &b.host, &err);
    opened(b, "walk_arbiter", rtl_.walk_arbiter->tools, rtl_.walk_arbiter->view, object, err);
    p.scheduler = rtl_.walk_arbiter->scheduler;
}

std::unique_ptr<Attachment> RtlBlocks::attach(const Site &site, void *model)
{
    Block &b = *blocks_.back(), *before = latest(b.path);
    b.model = model;
    b.requests = asked(site.block(), model);
    if (before) {
        before->requests = b.requests - before->requests;
        before->ended = true;
    }
    if (!b.object)
        return nullptr;
    void *state = site.block().kind == &mp_tlb_kind ? static_cast<mp_tlb *>(model)->state
                                                    : static_cast<mp_walk *>(model)->intake.state;
    stand_in(state, b.object);
    return nullptr;
}

// A block that was attached more than once has been compared as often; its points of each time count.
static void count_points(const mp_rtl_outcome &o, mp_rtl_count &count)
{
    char name[MP_RTL_POINT_NAME];
    mp_rtl_point point;
    for (unsigned i = 0; o.view->point(o.asked, i, name, &point); i++) {
        count.points++;
        count.reached += point.taken != 0;
    }
}

// Those that have been refused have no model.
unsigned RtlBlocks::count(mp_rtl_count *counts, unsigned room, mp_rtl_share *shares) const
{
    unsigned n = 0;
    for (auto &b : blocks_) {
        unsigned i = 0;
        while (i < n && b->path != counts[i].component)
            i++;
        if (!b->model || i == room)
            continue;
        if (i == n) {
            counts[n] = mp_rtl_count{};
            if (shares)
                shares[n] = mp_rtl_share{};
            std::snprintf(counts[n++].component, sizeof counts->component, "%s", b->path.c_str());
        }
        counts[i].shadow = b->host.shadow;
        if (b->object)
            counts[i].block = b->outcome.block;
        counts[i].transactions += b->object ? b->outcome.view->transactions(b->object) : 0;
        counts[i].clocks += b->object ? b->outcome.view->clocks(b->object) : 0;
        if (b->object)
            count_points(b->outcome, counts[i]);
        if (shares)
            add_share(*b, shares[i]);
    }
    return n;
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
