// SPDX-License-Identifier: Apache-2.0
// A plugin for module.sh, which says by MODULE what it attaches: a module from outside in the place of the L2
// TLBs, a path that no block has, or what throws when the machine is built or when it runs.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "foreign.h"
#include "gpu/tlm/plugin.h"
#include "gpu/tlm/tap.h"

namespace
{

const std::string wanted = std::getenv("MODULE");
foreign::Counts counts;

class Plugged : public mp::Foreign
{
  public:
    Plugged(const mp::Site &site, const std::string &name)
        : module_(name.c_str(), site.block().ins, site.block().links, 9, site.fabric.kernel.time(1), &counts)
    {
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return module_.in(port); }
    tlm::tlm_initiator_socket<> &out(uint32_t link) override { return module_.out(link); }

  private:
    foreign::Forward module_;
};

class Plug : public mp::Hook
{
  public:
    Plug() : Hook("gpu.gpc*.l2_tlb") {}
    ~Plug() override
    {
        std::fprintf(stderr, "plug: %" PRIu64 " requests, at least %" PRIu64 " cycles\n", counts.requests,
                     counts.least);
    }
    std::unique_ptr<mp::Foreign> replace(const mp::Site &site, const std::string &name) override
    {
        return std::make_unique<Plugged>(site, name);
    }
};

class Thrower : public mp::PassingTap
{
  public:
    using PassingTap::PassingTap;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &, tlm::tlm_phase &,
                                       sc_core::sc_time &) override
    {
        throw std::logic_error("the module gives up");
    }
};

void modules(mp_hooks *hooks)
{
    if (wanted == "replace")
        hooks->add<Plug>();
    else if (wanted == "nowhere")
        hooks->add<mp::Hook>("gpu.l4_tlb");
    else
        hooks->add<mp::TapHook>(
            "gpu.l3_tlb",
            [](const mp::Site &, const mp_plan_link &, const std::string &name) -> std::unique_ptr<mp::Tap> {
                if (wanted == "build")
                    throw std::out_of_range("the module cannot be built");
                return std::make_unique<Thrower>(name.c_str());
            });
}

} // namespace

const mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "modules", nullptr, modules};
