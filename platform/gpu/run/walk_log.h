// SPDX-License-Identifier: Apache-2.0
// Writes a line for each page walk that arrives, as `mempath replay walks` reads it: "CYCLE TENANT ID SM WARP
// INSTRUCTION READS PAGE". Hints that were not taken are no walks.
#ifndef MP_GPU_WALK_LOG_H
#define MP_GPU_WALK_LOG_H

#include <cstdio>

#include "gpu/tlm/hook.h"

struct mp_walk;

namespace mp
{

// Of the one page-walk system whose path matches. It must outlive the machine.
class WalkLogHook : public Hook
{
  public:
    WalkLogHook(std::string pattern, std::FILE *out) : Hook(std::move(pattern)), out_(out) {}
    std::unique_ptr<Tap> tap(const Site &, const mp_plan_link &, const std::string &name) override;
    std::unique_ptr<Attachment> attach(const Site &, void *model) override;

    uint32_t reads(uint16_t asid, uint64_t va) const; // that a walk would make now
    void write(uint64_t cycle, const Attributes &a, uint64_t va, uint32_t reads);

  private:
    std::FILE *out_;
    mp_walk *walk_ = nullptr; // NULL if another module has taken its place
    uint64_t id_ = 0;         // of the next walk
};

} // namespace mp

#endif
