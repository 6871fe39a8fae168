// SPDX-License-Identifier: Apache-2.0
// The blocks of a plan as modules, with what hooks attach to them, and the links between their sockets.
#ifndef MP_GPU_ASSEMBLY_H
#define MP_GPU_ASSEMBLY_H

#include <memory>
#include <vector>

#include "gpu/tlm/block.h"
#include "gpu/tlm/hook.h"
#include "vm/frame_check.h"

struct mp_plugin;
struct mp_hooks; // gpu/tlm/plugin.h

namespace mp
{

struct GpuOptions {
    bool force_tlm = false;
    std::vector<Hook *> hooks;       // not owned; each must match a block
    mp_frame_check *check = nullptr; // of firmware, for CheckHook; MigGpu initializes it. Not owned
};

// Adds the modules of plugins (a list that ends with NULL, or NULL) to the options. modules: owns the hooks.
void add_modules(const mp_plugin *const *plugins, mp_hooks &modules, GpuOptions &options);

class Assembly
{
  public:
    // All arguments must outlive the assembly.
    Assembly(Fabric &fabric, const mp_plan &plan, const GpuOptions &options);

    struct Node { // what is built for a block of the plan: one of the two
        std::unique_ptr<Block> block;
        std::unique_ptr<Foreign> foreign;
    };
    const Node &node(uint32_t block) const { return nodes_[block]; }

    // Builds a block; the modules of blocks follow each other in the order of these calls.
    void build(uint32_t block);
    // Binds the sockets of all links once all blocks are built. Throws Refused if a hook matches no block.
    void bind();
    // At the end of elaboration: calls models directly where that is possible and allowed.
    void connect();

  private:
    void bind_link(uint32_t block, uint32_t link);
    void check_hooks() const;

    Fabric &fabric_;
    const mp_plan &plan_;
    const GpuOptions &options_;
    std::vector<std::unique_ptr<Tap>> taps_;
    std::vector<Node> nodes_;                              // by block
    std::vector<std::unique_ptr<Attachment>> attachments_; // go before the blocks
    std::vector<bool> hooked_;                             // by hook: it has matched a block
};

} // namespace mp

#endif
