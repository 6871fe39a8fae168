// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/walk_log.h"

#include <cinttypes>

#include "gpu/tlm/tap.h"
#include "walk/walk.h"

namespace mp
{

namespace
{

class WalkLog : public PassingTap
{
  public:
    WalkLog(const sc_core::sc_module_name &name, Kernel &kernel, WalkLogHook &log)
        : PassingTap(name), kernel_(kernel), log_(log)
    {
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        const Attributes *a = p.get_extension<Attributes>();
        const bool begins = phase == tlm::BEGIN_REQ, hint = a && a->op == Op::hint;
        const uint64_t va = p.get_address();
        const uint32_t reads = begins ? log_.reads(a ? a->asid : 0, va) : 0; // before the walk changes them
        if (begins && !hint)
            log_.write(kernel_.wheel()->now, a ? *a : Attributes(), va, reads);
        const tlm::tlm_sync_enum status = PassingTap::nb_transport_fw(p, phase, t);
        if (begins && hint && status != tlm::TLM_COMPLETED)
            log_.write(kernel_.wheel()->now, *a, va, reads);
        return status;
    }

  private:
    Kernel &kernel_;
    WalkLogHook &log_;
};

} // namespace

std::unique_ptr<Tap> WalkLogHook::tap(const Site &site, const mp_plan_link &, const std::string &name)
{
    return std::make_unique<WalkLog>(name.c_str(), site.fabric.kernel, *this);
}

std::unique_ptr<Attachment> WalkLogHook::attach(const Site &, void *model)
{
    walk_ = static_cast<mp_walk *>(model);
    return nullptr;
}

uint32_t WalkLogHook::reads(uint16_t asid, uint64_t va) const
{
    return walk_ ? mp_walk_reads_left(walk_, asid, va) : 1;
}

void WalkLogHook::write(uint64_t cycle, const Attributes &a, uint64_t va, uint32_t reads)
{
    const uint64_t page = walk_ ? va >> walk_->p.format->page_shift : 0;
    std::fprintf(out_, "%" PRIu64 " %u %" PRIu64 " %u %u %u %" PRIu32 " 0x%" PRIx64 "\n", cycle, a.tenant,
                 id_++, a.sm, a.warp, a.instruction, reads, page);
}

} // namespace mp
