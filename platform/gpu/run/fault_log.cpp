// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/fault_log.h"

#include "paging/paging.h"

namespace mp
{

void FaultLogHook::serves(Kernel &, const std::string &, mp_paging &paging)
{
    mp_paging_trace(&paging, line, out_);
}

void FaultLogHook::line(void *out, const char *text)
{
    std::fprintf(static_cast<std::FILE *>(out), "%s\n", text);
}

} // namespace mp
