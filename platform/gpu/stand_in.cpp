// SPDX-License-Identifier: Apache-2.0
#include "gpu/stand_in.h"

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

RtlBlocks::Block &RtlBlocks::add(Kernel &kernel, const std::string &path, const char *mode, bool beside)
{
    if (rtl_.waves.file && !blocks_.empty())
        throw Refused("--waves: " + blocks_[0]->path + " and " + path +
                      " would write one file; an experiment with one of them");
    blocks_.push_back(std::make_unique<Block>());
    Block &b = *blocks_.back();
    b.host = {&b, cycle, stop, beside, rtl_.waves};
    b.path = path;
    b.mode = mode;
    b.kernel = &kernel;
    b.all = this;
    return b;
}

void RtlBlocks::opened(Block &b, const char *block, const char *tools, const mp_rtl_view &view, void *object,
                       const mp_error &err)
{
    if (!object)
        throw Refused(err.text);
    b.object = object;
    b.outcome = {block, b.path.c_str(), b.mode.c_str(), tools, b.host.beside, &view, object};
}

void *RtlBlocks::l3(Kernel &kernel, mp_tlb_params &p)
{
    mp_error err{};
    Block &b = add(kernel, "gpu.l3_tlb", p.policy->design.name, rtl_.l3_tlb_beside);
    void *object = rtl_.l3_tlb->open(p.policy, &p.geometry, &b.host, &err);
    opened(b, "l3_tlb", rtl_.l3_tlb->tools, rtl_.l3_tlb->view, object, err);
    p.policy = rtl_.l3_tlb->policy;
    return object;
}

void *RtlBlocks::walks(Kernel &kernel, const std::string &path, mp_walk_params &p)
{
    mp_error err{};
    Block &b = add(kernel, path, p.scheduler->design.name, rtl_.walk_arbiter_beside);
    void *object = rtl_.walk_arbiter->open(p.scheduler, &p.geometry, &p.rules, &b.host, &err);
    opened(b, "walk_arbiter", rtl_.walk_arbiter->tools, rtl_.walk_arbiter->view, object, err);
    p.scheduler = rtl_.walk_arbiter->scheduler;
    return object;
}

void RtlBlocks::count(mp_result &result) const
{
    for (auto &b : blocks_) {
        mp_rtl_count &c = result.rtl[result.nrtl++];
        std::snprintf(c.component, sizeof c.component, "%s", b->path.c_str());
        c.beside = b->host.beside;
        c.transactions = b->outcome.view->transactions(b->object);
        c.clocks = b->outcome.view->clocks(b->object);
    }
}

uint64_t RtlBlocks::cycle(void *block)
{
    return static_cast<Block *>(block)->kernel->wheel()->now;
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
