// SPDX-License-Identifier: Apache-2.0
#include "gpu/stand_in.h"

#include <cstring>

namespace mp
{

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
    const std::string path = site.block().path;
    if (rtl_.waves.file && !blocks_.empty())
        throw Refused("--waves: " + blocks_[0]->path + " and " + path +
                      " would write the same file; an experiment with one of them is needed");
    blocks_.push_back(std::make_unique<Block>());
    Block &b = *blocks_.back();
    b.host = {&b, cycle, stop, shadow, rtl_.waves};
    b.path = path;
    b.mode = mode;
    b.kernel = &site.fabric.kernel;
    b.wheel = site.fabric.wheel(site.number);
    b.all = this;
    return b;
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
    return block.kind == &mp_tlb_kind ? rtl_.l3_tlb && !std::strcmp(block.level, "l3_tlb")
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
    Block &b = add(site, p.policy->design.name, rtl_.l3_tlb_shadow);
    void *object = rtl_.l3_tlb->open(p.policy, &p.geometry, &b.host, &err);
    opened(b, "l3_tlb", rtl_.l3_tlb->tools, rtl_.l3_tlb->view, object, err);
    p.policy = rtl_.l3_tlb->policy;
}

void RtlBlocks::change_walk(const Site &site, mp_walk_params &p)
{
    mp_error err{};
    Block &b = add(site, p.scheduler->design.name, rtl_.walk_arbiter_shadow);
    void *object = rtl_.walk_arbiter->open(p.scheduler, &p.geometry, &p.rules, &b.host, &err);
    opened(b, "walk_arbiter", rtl_.walk_arbiter->tools, rtl_.walk_arbiter->view, object, err);
    p.scheduler = rtl_.walk_arbiter->scheduler;
}

std::unique_ptr<Attachment> RtlBlocks::attach(const Site &site, void *model)
{
    void *state = site.block().kind == &mp_tlb_kind ? static_cast<mp_tlb *>(model)->state
                                                    : static_cast<mp_walk *>(model)->intake.state;
    stand_in(state, blocks_.back()->object);
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

unsigned RtlBlocks::count(mp_rtl_count *counts, unsigned room) const
{
    unsigned n = 0;
    for (auto &b : blocks_) {
        unsigned i = 0;
        while (i < n && b->path != counts[i].component)
            i++;
        if (!b->object || i == room) // it has been refused, or there are too many
            continue;
        if (i == n) {
            counts[n] = mp_rtl_count{};
            std::snprintf(counts[n++].component, sizeof counts->component, "%s", b->path.c_str());
        }
        counts[i].shadow = b->host.shadow;
        counts[i].block = b->outcome.block;
        count_points(b->outcome, counts[i]);
        counts[i].transactions += b->outcome.view->transactions(b->object);
        counts[i].clocks += b->outcome.view->clocks(b->object);
    }
    return n;
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
