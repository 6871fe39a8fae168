// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/check.h"

#include <cstring>

#include "vm/translation_check.h"

namespace mp
{

namespace
{

class CheckTap : public PassingTap
{
  public:
    CheckTap(const sc_core::sc_module_name &name, const Site &site, const std::string &again,
             mp_frame_check *frames, uint32_t managed)
        : PassingTap(name), kernel_(site.fabric.kernel), tables_(*site.fabric.backdoor.tables),
          walks_(site.block().kind == &mp_walk_kind), path_(site.block().path), again_(again),
          frames_(frames), managed_(managed)
    {
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        tlm::tlm_sync_enum status = PassingTap::nb_transport_fw(p, phase, t);
        if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP))
            check(p, true);
        return status;
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        if (phase == tlm::BEGIN_RESP || phase == EARLY_RESP)
            check(p, walks_);
        return PassingTap::nb_transport_bw(p, phase, t);
    }

  private:
    // An entry that could not be read, a probe that found nothing, a hint for which there was no room, and an
    // answer that was invalidated on its way, say nothing, nor does a fault of managed memory, whose page may
    // have come since, or of a store to a read-only page. whole: all pages for which the answer holds. A TLB
    // may pass on an answer whose other pages have changed on the way, which no TLB stores.
    void check(const tlm::tlm_generic_payload &p, bool whole)
    {
        const Attributes *a = p.get_extension<Attributes>();
        if (!a || (a->op > Op::translate && a->op != Op::hint) ||
            (!p.is_response_error() && a->source == Source::nothing) ||
            (p.is_response_error() &&
             (a->fault == Fault::read_only || a->fault == Fault::ecc || managed_ >> a->asid & 1)))
            return;
        mp_translation_answer answer{};
        answer.va = p.get_address();
        std::memcpy(&answer.pa, p.get_data_ptr(), sizeof answer.pa);
        if (whole) {
            answer.page = a->page;
            answer.span.unit = a->unit & 15;
            answer.span.before = a->before & 31;
            answer.span.after = a->after & 31;
        }
        answer.span.read_only = a->read_only;
        answer.asid = a->asid;
        answer.faults = p.is_response_error();
        answer.stores = a->op == Op::store || a->op == Op::atomic;
        mp_error why{};
        if (wrong(tables_[a->asid], answer, &why))
            kernel_.fail("cycle " + std::to_string(kernel_.now()) + ", " + path_ + ": " + why.text +
                         (again_.empty() ? "" : "; again: " + again_));
    }

    bool wrong(const mp_page_table *table, const mp_translation_answer &answer, mp_error *why) const
    {
        bool differs = mp_translation_check(table, &answer, frames_ ? &frames_->writes : nullptr, why) != 0;
        if (differs && frames_)
            mp_frame_check_explain(frames_, table, &answer, why);
        return differs || (frames_ && mp_frame_check_answer(frames_, table, &answer, why));
    }

    Kernel &kernel_;
    const std::vector<const mp_page_table *> &tables_;
    const bool walks_; // the block is a page-walk system, whose answers are given in this cycle
    const std::string path_, &again_;
    mp_frame_check *const frames_;
    const uint32_t managed_;
};

} // namespace

bool CheckHook::wants(const mp_plan_block &block) const
{
    return block.kind->in == MP_LINK_TRANSLATION && block.ins;
}

std::unique_ptr<Tap> CheckHook::tap(const Site &site, const mp_plan_link &link, const std::string &name)
{
    if (link.kind != MP_LINK_TRANSLATION)
        return nullptr;
    return std::make_unique<CheckTap>(name.c_str(), site, again_, frames_, managed_);
}

} // namespace mp
