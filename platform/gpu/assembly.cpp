// SPDX-License-Identifier: Apache-2.0
#include "gpu/assembly.h"

#include "gpu/tlm/plugin.h"

namespace mp
{

void add_modules(const mp_plugin *const *plugins, mp_hooks &modules, GpuOptions &options)
{
    for (; plugins && *plugins; plugins++)
        if ((*plugins)->modules)
            (*plugins)->modules(&modules);
    for (auto &hook : modules.all)
        options.hooks.push_back(hook.get());
}

Assembly::Assembly(Fabric &fabric, const mp_plan &plan, const GpuOptions &options)
    : fabric_(fabric), plan_(plan), options_(options), nodes_(plan.blocks), hooked_(options.hooks.size())
{
}

void Assembly::build(uint32_t number)
{
    const mp_plan_block &block = plan_.block[number];
    const Site site{fabric_, plan_, number};
    Node &node = nodes_[number];
    std::vector<Hook *> hooks;
    for (size_t i = 0; i < options_.hooks.size(); i++)
        if (options_.hooks[i]->wants(block)) {
            hooks.push_back(options_.hooks[i]);
            hooked_[i] = true;
        }
    for (Hook *hook : hooks)
        if (!node.foreign)
            node.foreign = hook->replace(site, module_name(block.path));
    if (node.foreign)
        return;
    for (Hook *hook : hooks)
        hook->change(site, block.params);
    node.block =
        std::make_unique<Block>(fabric_, module_name(block.path).c_str(), plan_, number, block.params);
    for (Hook *hook : hooks)
        if (auto attachment = hook->attach(site, node.block->model))
            attachments_.push_back(std::move(attachment));
    if (block.kind->serve) // decides with what has been attached
        block.kind->serve(node.block->model, block.tenants);
}

void Assembly::bind()
{
    for (uint32_t i = 0; i < plan_.blocks; i++)
        for (uint32_t k = 0; k < plan_.block[i].links; k++)
            bind_link(i, k);
    check_hooks();
}

// Taps follow each other from the initiator to the target in the order of the hooks.
void Assembly::bind_link(uint32_t number, uint32_t k)
{
    const mp_plan_link &link = plan_.link[plan_.block[number].first_link + k];
    const Node &from = nodes_[number], &to = nodes_[link.to];
    tlm::tlm_initiator_socket<> *out = from.block ? &from.block->out[k]->socket : &from.foreign->out(k);
    const Site site{fabric_, plan_, link.to};
    for (Hook *hook : options_.hooks) {
        if (!hook->wants(plan_.block[link.to]))
            continue;
        if (auto tap = hook->tap(site, link, "tap" + std::to_string(taps_.size()))) {
            out->bind(tap->target());
            out = &tap->initiator();
            taps_.push_back(std::move(tap));
        }
    }
    out->bind(to.block ? to.block->in[link.port]->socket : to.foreign->in(link.port));
}

void Assembly::check_hooks() const
{
    for (size_t i = 0; i < hooked_.size(); i++)
        if (!hooked_[i] && !options_.hooks[i]->optional())
            throw Refused(options_.hooks[i]->pattern() + ": no block has such a path; " + paths_of(plan_));
}

void Assembly::connect()
{
    for (auto &node : nodes_)
        if (node.block)
            node.block->connect(options_.force_tlm);
        else
            fabric_.kernel.watch(); // it may send requests at any time
}

} // namespace mp
