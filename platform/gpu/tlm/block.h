// SPDX-License-Identifier: Apache-2.0
// A block of a plan as a module: an sc_module of any kind that owns the kind's C model, with a socket for
// each of its links.
#ifndef MP_GPU_BLOCK_H
#define MP_GPU_BLOCK_H

#include <memory>
#include <string>
#include <vector>

#include "engine/cross.h"
#include "gpu/plan.h"
#include "gpu/tlm/ports.h"
#include "vm/space.h"

namespace mp
{

// Untimed access for debuggers: what a block may look at without disturbing its model.
struct Backdoor {
    mp_physmem *memory;
    const std::vector<const mp_page_table *> *tables; // by asid
};

// The groups of a machine's blocks. Freed even if the constructor of its owner throws.
struct Split : mp_split {
    Split() : mp_split{} {}
    Split(const Split &) = delete;
    Split &operator=(const Split &) = delete;
    ~Split() { mp_split_free(this); }
};

// The surroundings with which every block is constructed.
struct Fabric {
    Kernel &kernel;
    Backdoor backdoor;
    const mp_machine &machine;
    const mp_split &split;
    mp_wheel *wheel(uint32_t block) const { return kernel.wheel(split.group[block]); }
};

// The name of a block's module: "mig0_l2d" for gpu.mig0.l2d.
std::string module_name(const std::string &path);

class Block : public sc_core::sc_module
{
  public:
    // Block `number` of the plan, with these parameters. The plan must outlive the block.
    Block(Fabric &fabric, const sc_core::sc_module_name &name, const mp_plan &plan, uint32_t number,
          const void *params);
    ~Block() override;

    // Once all sockets are bound: calls models directly where that is possible and allowed.
    void connect(bool force_tlm);
    // Sends by this link, which is one of several that begin at the same out link.
    void use(uint32_t link);

    const mp_block_kind &kind;
    void *const model;
    std::vector<std::unique_ptr<TargetPort>> in; // one per in port
    // One per link. Each has a pool, because ports of several groups may be in use at the same time.
    std::vector<std::unique_ptr<PayloadPool>> pools;
    std::vector<std::unique_ptr<InitiatorPort>> out;

  private:
    void add_in(Fabric &fabric, uint32_t number, const Senders &senders, unsigned port);
    void add_out(Fabric &fabric, const mp_plan &plan, uint32_t link);
    mp_cross *cross(Fabric &fabric, const mp_plan &plan, uint32_t link);

    struct FreeCross {
        void operator()(mp_cross *c) const;
    };
    std::vector<std::unique_ptr<mp_cross, FreeCross>> crosses_; // of links to other groups
    std::vector<const mp_plan_link *> links_;
    std::vector<mp_target> reached_; // by each link
};

} // namespace mp

#endif
