// SPDX-License-Identifier: Apache-2.0
// Compares every answer to a translation with the page table, on all links into TLBs and page-walk systems.
#ifndef MP_GPU_CHECK_H
#define MP_GPU_CHECK_H

#include "gpu/tlm/tap.h"
#include "vm/frame_check.h"

namespace mp
{

// The first answer that differs ends the run: with the cycle, the block that gave it, and what
// mp_translation_check or mp_frame_check_answer says.
class CheckHook : public Hook
{
  public:
    // again: a command that runs it again, or nothing. frames: of the firmware that changes page tables while
    // they are walked; nullptr if the GPU does so itself. Not owned. managed: address spaces, a bit each,
    // whose pages may get memory while a fault is on its way.
    explicit CheckHook(std::string again, mp_frame_check *frames = nullptr, uint32_t managed = 0)
        : Hook("gpu*"), again_(std::move(again)), frames_(frames), managed_(managed)
    {
    }
    bool wants(const mp_plan_block &block) const override;
    std::unique_ptr<Tap> tap(const Site &site, const mp_plan_link &link, const std::string &name) override;

  private:
    std::string again_;
    mp_frame_check *frames_;
    uint32_t managed_;
};

} // namespace mp

#endif
