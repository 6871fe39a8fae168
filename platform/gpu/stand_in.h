// SPDX-License-Identifier: Apache-2.0
// What decides in a block from outside the models: the table of its functions, and an object that the block's
// state then points to. The ports, MSHRs and timing around it stay.
#ifndef MP_GPU_STAND_IN_H
#define MP_GPU_STAND_IN_H

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/kernel.h"
#include "platform.h"
#include "tlb/tlb.h"
#include "walk/walk.h"

namespace mp
{

// A configuration for which there is no such thing.
class Refused : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

// Writes into the state of a TLB or scheduler that was made with a stand-in's table.
inline void stand_in(void *state, void *object)
{
    *static_cast<void **>(state) = object;
}

// The RTL of a run: blocks in the models' places or beside them.
class RtlBlocks
{
  public:
    explicit RtlBlocks(const mp_rtl &rtl) : rtl_(rtl) {}
    ~RtlBlocks();
    RtlBlocks(const RtlBlocks &) = delete;
    RtlBlocks &operator=(const RtlBlocks &) = delete;

    bool wants_l3() const { return rtl_.l3_tlb; }
    bool wants_walks() const { return rtl_.walk_arbiter; }
    // Each changes the parameters to the RTL's table and returns what the state is to point to.
    void *l3(Kernel &kernel, mp_tlb_params &params);
    void *walks(Kernel &kernel, const std::string &path, mp_walk_params &params);

    // The block that has ended the run, or nullptr; "gpu.l3_tlb: action differs ...".
    const char *difference() const { return difference_.empty() ? nullptr : difference_.c_str(); }
    // Adds what each has done.
    void count(mp_result &result) const;

  private:
    struct Block {
        mp_rtl_host host;
        mp_rtl_outcome outcome;
        std::string path, mode;
        void *object;
        Kernel *kernel;
        RtlBlocks *all;
    };
    Block &add(Kernel &kernel, const std::string &path, const char *mode, bool beside);
    void opened(Block &b, const char *block, const char *tools, const mp_rtl_view &view, void *object,
                const mp_error &err);
    static uint64_t cycle(void *block);
    static void stop(void *block);

    const mp_rtl &rtl_;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::string difference_;
};

} // namespace mp

#endif
