// SPDX-License-Identifier: Apache-2.0
// RTL that makes decisions of a block, or is compared with them. It consists of a table of functions and an
// object to which the block's state points. The block keeps its ports, MSHRs and timing.
#ifndef MP_GPU_STAND_IN_H
#define MP_GPU_STAND_IN_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/tlm/hook.h"
#include "platform.h"
#include "tlb/tlb.h"
#include "walk/walk.h"

namespace mp
{

// Makes the state of a TLB or scheduler, which was created with another table of functions, point to
// `object`.
inline void stand_in(void *state, void *object)
{
    *static_cast<void **>(state) = object;
}

// The RTL of a run, attached to what each of its parts names: TLBs of a level, their directories, all
// page-walk systems, all page tables with contiguity bits, all servers of page faults. A block that gets
// another policy or scheduler is changed and attached again. Without RTL for it the model decides, if the run
// allows that (`alone`).
class RtlBlocks : public Hook
{
  public:
    explicit RtlBlocks(const mp_rtl &rtl) : Hook("gpu*"), rtl_(rtl) {}
    ~RtlBlocks() override;
    RtlBlocks(const RtlBlocks &) = delete;
    RtlBlocks &operator=(const RtlBlocks &) = delete;

    bool wants(const mp_plan_block &block) const override;
    bool optional() const override { return true; } // check() says which part has none
    // Puts the RTL's table into the parameters.
    void change(const Site &site, void *params) override;
    // Makes the state point to the RTL.
    std::unique_ptr<Attachment> attach(const Site &site, void *model) override;
    void scans(Kernel &kernel, const std::string &path, mp_contiguity &c, const mp_page_table &t) override;
    void serves(Kernel &kernel, const std::string &path, mp_paging &server) override;

    // If set, called with a line when firmware chooses what the RTL lacks; then the model decides. Otherwise
    // that is refused.
    std::function<void(const std::string &line)> alone;

    // Once the machine is assembled: refuses a part that has no block. paths: those that there are.
    void check(const std::string &paths) const;

    // Returns the error of the block that ended the run, such as "gpu.l3_tlb: action differs ...", or
    // nullptr.
    const char *difference() const { return difference_.empty() ? nullptr : difference_.c_str(); }
    // Counts the work of the RTL of each path, or, if a part has many, of all together. Returns the number of
    // counts, at most `room`, which is MP_RTL_PARTS or more. shares: room for the same number, or nullptr.
    unsigned count(mp_rtl_count *counts, unsigned room, mp_rtl_share *shares = nullptr) const;

  private:
    struct Block {
        const mp_rtl_part *part;
        mp_rtl_host host;
        mp_rtl_outcome outcome;
        std::string path, mode, why; // why: the model decides alone
        void *object;                // nullptr if the model decides alone
        const mp_plan_block *place;
        void *model;
        uint64_t requests; // to the model until this began; once it has ended, those between
        bool ended;        // firmware has chosen again
        Kernel *kernel;
        const mp_wheel *wheel; // of the group that it is in
        RtlBlocks *all;
    };
    Block &add(const mp_rtl_part &part, const std::string &path, const char *mode, Kernel &kernel,
               const mp_wheel *wheel);
    Block &add(const mp_rtl_part &part, const Site &site, const char *mode);
    bool leave(Block &b, int lacks, const mp_error &why);
    Block *latest(const Block &like);
    void check_waves(const std::string &path) const;
    void opened(Block &b, void *object, const mp_error &err);
    void change_tlb(const mp_rtl_part &part, const Site &site, mp_tlb_params &params);
    void change_walk(const mp_rtl_part &part, const Site &site, mp_walk_params &params);
    void change_directory(const mp_rtl_part &part, const Site &site, const mp_tlb_params &params);
    void attach(Block &b, const Site &site, void *model);
    bool together(const mp_rtl_part &part, unsigned room) const;
    size_t places(const mp_rtl_part *part) const;
    static void add_share(const Block &b, mp_rtl_share &share);
    static uint64_t cycle(void *block);
    static void stop(void *block);

    const mp_rtl &rtl_;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<Block *> changed_; // for the model that is created next
    std::string difference_;
};

} // namespace mp

#endif
