// SPDX-License-Identifier: Apache-2.0
// Writes what the decisions of a server of page faults depend on, as `mempath replay uvm` reads it. The first
// line is a comment with the options that replay needs for the same decisions.
#ifndef MP_GPU_FAULT_LOG_H
#define MP_GPU_FAULT_LOG_H

#include <cstdio>

#include "gpu/tlm/hook.h"

namespace mp
{

// Of the only server. It must outlive the machine.
class FaultLogHook : public Hook
{
  public:
    explicit FaultLogHook(std::FILE *out) : Hook("gpu*"), out_(out) {}
    bool wants(const mp_plan_block &) const override { return false; }
    bool optional() const override { return true; }
    void serves(Kernel &kernel, const std::string &path, mp_paging &paging) override;

  private:
    static void line(void *out, const char *text);

    std::FILE *out_;
};

} // namespace mp

#endif
