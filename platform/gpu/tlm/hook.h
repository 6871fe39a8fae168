// SPDX-License-Identifier: Apache-2.0
// Attachments to a machine, by the paths of its blocks: modules on links, modules that replace blocks, and
// code that accesses a block's model.
#ifndef MP_GPU_HOOK_H
#define MP_GPU_HOOK_H

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "gpu/tlm/block.h"
#include "vm/contiguity.h"

struct mp_paging; // paging/paging.h

namespace mp
{

// The configuration lacks what a hook requests.
class Refused : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

// A block of the plan, as a hook sees it.
struct Site {
    Fabric &fabric; // its kernel, page tables and memory
    const mp_plan &plan;
    uint32_t number; // of the block
    const mp_plan_block &block() const { return plan.block[number]; }
    // Link i that begins at the block: the tenant whose requests it carries, and its target.
    const mp_plan_link &out(uint32_t i) const { return plan.link[block().first_link + i]; }
};

// A module on a link, which forwards transactions.
class Tap
{
  public:
    virtual ~Tap() = default;
    virtual tlm::tlm_target_socket<> &target() = 0;
    virtual tlm::tlm_initiator_socket<> &initiator() = 0;
};

// A module that replaces a block. It has a target socket for each in port of the block (block().ins) and an
// initiator socket for each link that begins at it (block().links). A module for a DRAM has no initiators.
class Foreign
{
  public:
    virtual ~Foreign() = default;
    virtual tlm::tlm_target_socket<> &in(uint32_t port) = 0;
    virtual tlm::tlm_initiator_socket<> &out(uint32_t link) = 0;
    // The driver has changed page tables. Translations of the scope must not be used from now on.
    virtual void invalidate(const mp_scope &) {}
};

// An attachment to a model. It is kept until the model is destroyed.
class Attachment
{
  public:
    virtual ~Attachment() = default;
};

// Attaches something to the blocks whose paths match a pattern. Each function is called once per block, or
// once per link into the block, in the order of the plan. By default it attaches nothing.
class Hook
{
  public:
    // pattern: matches paths with the wildcards of fnmatch(3): "gpu.l3_tlb", "gpu.gpc*.l2_tlb".
    explicit Hook(std::string pattern) : pattern_(std::move(pattern)) {}
    virtual ~Hook() = default;

    const std::string &pattern() const { return pattern_; }
    virtual bool wants(const mp_plan_block &block) const;
    // Whether the machine may have no block that it wants.
    virtual bool optional() const { return false; }

    // name: name of the module, which must be unused.
    virtual std::unique_ptr<Tap> tap(const Site &, const mp_plan_link &, const std::string &name);
    virtual std::unique_ptr<Foreign> replace(const Site &, const std::string &name);
    // Called before the model is created from these parameters.
    virtual void change(const Site &, void *params);
    // Called after the model was created. The attachment is destroyed before the model.
    virtual std::unique_ptr<Attachment> attach(const Site &, void *model);
    // Called for each page table with contiguity bits before its first scan. path: of its counters.
    virtual void scans(Kernel &, const std::string &path, mp_contiguity &, const mp_page_table &);
    // Called for each server of page faults before its first range. path: of its first counters.
    virtual void serves(Kernel &, const std::string &path, mp_paging &);

  private:
    std::string pattern_;
};

// Hooks of a single function each.
class TapHook : public Hook
{
  public:
    using Make =
        std::function<std::unique_ptr<Tap>(const Site &, const mp_plan_link &, const std::string &name)>;
    TapHook(std::string pattern, Make make) : Hook(std::move(pattern)), make_(std::move(make)) {}
    std::unique_ptr<Tap> tap(const Site &site, const mp_plan_link &link, const std::string &name) override
    {
        return make_(site, link, name);
    }

  private:
    Make make_;
};

class ForeignHook : public Hook
{
  public:
    using Make = std::function<std::unique_ptr<Foreign>(const Site &, const std::string &name)>;
    ForeignHook(std::string pattern, Make make) : Hook(std::move(pattern)), make_(std::move(make)) {}
    std::unique_ptr<Foreign> replace(const Site &site, const std::string &name) override
    {
        return make_(site, name);
    }

  private:
    Make make_;
};

// The paths of all blocks that have incoming links, for an error message. Paths that differ only in numbers
// are one pattern: "gpu.gpc*.l2_tlb, gpu.l3_tlb".
std::string paths_of(const mp_plan &plan);

} // namespace mp

#endif
