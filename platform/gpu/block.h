// SPDX-License-Identifier: Apache-2.0
// A block of a plan as a module: an sc_module of any kind that owns the kind's C model, with a socket for
// each of its links.
#ifndef MP_GPU_BLOCK_H
#define MP_GPU_BLOCK_H

#include <memory>
#include <string>
#include <vector>

#include "gpu/plan.h"
#include "gpu/ports.h"
#include "vm/space.h"

namespace mp
{

// Untimed access for debuggers: what a block may look at without disturbing its model.
struct Backdoor {
    mp_physmem *memory;
    const std::vector<mp_space> *spaces; // by asid
};

// What every block is made from.
struct Fabric {
    Kernel &kernel;
    PayloadPool &payloads;
    Backdoor backdoor;
    const mp_machine &machine;
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
    std::vector<std::unique_ptr<TargetPort>> in;     // one per in port
    std::vector<std::unique_ptr<InitiatorPort>> out; // one per link

  private:
    void add_in(Fabric &fabric, const Senders &senders, unsigned port);
    void add_out(Fabric &fabric, const mp_plan_link &link);

    std::vector<const mp_plan_link *> links_;
    std::vector<mp_target> reached_; // by each link
};

} // namespace mp

#endif
