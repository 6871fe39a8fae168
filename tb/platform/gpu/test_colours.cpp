// SPDX-License-Identifier: Apache-2.0
// Whole runs of two tenants that share frames of 2 MB: each has memory of its colour alone.
#include <cstring>
#include <map>
#include <utility>

#include "map/colours.h"
#include "platform_bench.h"

namespace
{

using Settings = std::vector<const char *>;

// What taps have seen of each tenant: requests, and those to a colour that is not the tenant's.
struct Seen {
    uint64_t requests[2], foreign[2];
    uint64_t moved, shared; // lines in two places, and places with two lines
    struct {
        uint64_t accesses, instructions;
    } tenant[2];
};

// Requests to a data cache. Of lines that SMs access it also notes where they are: one place for each, in
// which no other line is.
class ColourTap : public mp::PassingTap
{
  public:
    ColourTap(const sc_core::sc_module_name &name, const mp_colours &colours, bool of_sms, Seen &seen)
        : PassingTap(name), colours_(colours), of_sms_(of_sms), seen_(seen)
    {
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        if (phase == tlm::BEGIN_REQ)
            look(p);
        return PassingTap::nb_transport_fw(p, phase, t);
    }

  private:
    void look(const tlm::tlm_generic_payload &p)
    {
        const auto *a = p.get_extension<mp::Attributes>();
        const std::pair<unsigned, uint64_t> line{a->tenant, a->virtual_address};
        seen_.requests[a->tenant]++;
        seen_.foreign[a->tenant] += mp_colour_of(&colours_, p.get_address()) != a->tenant;
        if (!of_sms_)
            return;
        seen_.moved += place().emplace(line, p.get_address()).first->second != p.get_address();
        seen_.shared += owner().emplace(p.get_address(), line).first->second != line;
    }
    // Of all SMs; a process makes one run.
    static std::map<std::pair<unsigned, uint64_t>, uint64_t> &place()
    {
        static std::map<std::pair<unsigned, uint64_t>, uint64_t> map;
        return map;
    }
    static std::map<uint64_t, std::pair<unsigned, uint64_t>> &owner()
    {
        static std::map<uint64_t, std::pair<unsigned, uint64_t>> map;
        return map;
    }

    const mp_colours &colours_;
    const bool of_sms_;
    Seen &seen_;
};

mp_colours colours_of(const char *machine, unsigned colours)
{
    mp_colours c;
    mp_error err;
    const mp_gf2 *m = mp_gf2_find(machine);
    if (!m || mp_colours_init(&c, m, MP_COLOURS_PAGE, colours, &err))
        fail_msg("%s", machine);
    return c;
}

Seen run(const char *experiment, unsigned colours, const Settings &settings)
{
    Settings all = {"tenants.0.trace=a", "tenants.1.trace=b", "tenants.0.sms=10"};
    all.insert(all.end(), settings.begin(), settings.end());
    const Outcome outcome = run_in_child([&](Outcome &o) {
        mp_config config;
        o.status =
            mp_config_load(&config, experiment, static_cast<unsigned>(all.size()), all.data(), &o.error);
        if (o.status)
            return;
        const mp_colours c = colours_of(mp_choice("machine.hash", config.machine.hash), colours);
        mp_run r{};
        Seen seen{};
        mp::GpuOptions options;
        r.config = &config;
        r.trace[0] = traces[1];
        r.trace[1] = traces[2];
        r.check = true;
        const auto tap = [&](bool of_sms) {
            return [&, of_sms](const mp::Site &, const mp_plan_link &, const std::string &name) {
                return std::make_unique<ColourTap>(name.c_str(), c, of_sms, seen);
            };
        };
        mp::TapHook l1("gpu*.l1d", tap(true)), l2("gpu*.l2d", tap(false));
        options.hooks = {&l1, &l2};
        o.status = mp::run_with(&r, options, &o.result, &o.error);
        for (unsigned t = 0; t < 2; t++) {
            seen.tenant[t].accesses = o.result.tenant[t].accesses;
            seen.tenant[t].instructions = o.result.tenant[t].instructions;
        }
        static_assert(sizeof seen <= sizeof o.chain, "it comes back in an unused part");
        std::memcpy(o.chain, &seen, sizeof seen);
        mp_config_free(&config);
    });
    Seen seen;
    std::memcpy(&seen, outcome.chain, sizeof seen);
    return seen;
}

void is_isolated(const Seen &s)
{
    for (unsigned t = 0; t < 2; t++) {
        assert_true(s.requests[t] > 1000);
        assert_int_equal(s.foreign[t], 0);
    }
    assert_int_equal(s.moved | s.shared, 0);
}

void frames_that_tenants_share_keep_colours_apart(void **)
{
    is_isolated(run("fgpu-gtx1080", 2, {"vm.frames=coloured-user"}));
    is_isolated(run("fgpu-gtx1080", 2, {"vm.frames=coloured-user", "machine.dispatch=persistent"}));
    is_isolated(
        run("fgpu-v100", 8, {"vm.frames=coloured-user", "vm.colours=8", "machine.dispatch=persistent"}));
}

// The check finds what it looks for: whole frames of 2 MB have all colours.
void whole_frames_do_not(void **)
{
    const Seen s = run("fgpu-gtx1080", 2, {});
    assert_int_equal(s.moved | s.shared, 0);
    for (unsigned t = 0; t < 2; t++)
        assert_in_range(s.foreign[t], s.requests[t] / 4, s.requests[t] * 3 / 4);
}

// Six instructions for each of three functions precede an access.
void software_computes_addresses(void **)
{
    const Seen whole = run("fgpu-v100", 8, {});
    const Seen shared = run("fgpu-v100", 8, {"vm.frames=coloured-user", "vm.colours=8"});
    for (unsigned t = 0; t < 2; t++) {
        const auto &w = whole.tenant[t], &s = shared.tenant[t];
        assert_int_equal(s.accesses, w.accesses);
        assert_int_equal(s.instructions, w.instructions + 18 * w.accesses);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const CMUnitTest tests[] = {cmocka_unit_test(frames_that_tenants_share_keep_colours_apart),
                                cmocka_unit_test(whole_frames_do_not),
                                cmocka_unit_test(software_computes_addresses)};
    return take_traces(argc, argv) ? cmocka_run_group_tests(tests, nullptr, nullptr) : 2;
}
