// SPDX-License-Identifier: Apache-2.0
// The module @NAME@: a tap on each link into the blocks whose paths match a pattern. It counts the requests
// and delays each of them; with a delay of 0 a run has the results that it has without it. gpu/tlm/hook.h
// says what else can be attached, such as a module that replaces a block.
#include <cinttypes>
#include <cstdio>

#include "gpu/tlm/plugin.h"
#include "gpu/tlm/tap.h"

#ifndef DELAY
#define DELAY 5
#endif

namespace
{

const char *const blocks = "gpu.l3_tlb"; // `mempath machine` lists the paths of a machine's blocks
constexpr uint64_t cycles = DELAY;

class Delay : public mp::PassingTap
{
  public:
    Delay(const std::string &name, const sc_core::sc_time &delay, uint64_t &requests)
        : PassingTap(name.c_str()), delay_(delay), requests_(requests)
    {
    }
    // The link is held until the target accepts the request. What one TLB asks another of its level has to be
    // answered in the call.
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        const auto *a = p.get_extension<mp::Attributes>();
        if (phase == tlm::BEGIN_REQ && !(a && a->op >= mp::Op::probe)) {
            requests_++;
            t += delay_;
        }
        return PassingTap::nb_transport_fw(p, phase, t);
    }

  private:
    sc_core::sc_time delay_;
    uint64_t &requests_;
};

// Lives longer than the run's modules.
class Delays : public mp::Hook
{
  public:
    Delays() : Hook(blocks) {}
    ~Delays() override { std::fprintf(stderr, "@NAME@: %s: %" PRIu64 " requests\n", blocks, requests_); }
    std::unique_ptr<mp::Tap> tap(const mp::Site &site, const mp_plan_link &, const std::string &name) override
    {
        return std::make_unique<Delay>(name, site.fabric.kernel.time(cycles), requests_);
    }

  private:
    uint64_t requests_ = 0;
};

void modules(mp_hooks *hooks)
{
    hooks->add<Delays>();
}

} // namespace

const mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", nullptr, modules};
