// SPDX-License-Identifier: Apache-2.0
// A foreign module that breaks a rule on a link of a whole machine ends the run with one line.
#include "../platform_bench.h"

namespace
{

// A foreign module on the links into some blocks, which changes what passes.
class ChangingTap : public mp::PassingTap
{
  public:
    using Change = std::function<void(tlm::tlm_generic_payload &, mp::Attributes &, tlm::tlm_phase)>;
    ChangingTap(const sc_core::sc_module_name &name, Change change)
        : PassingTap(name), change_(std::move(change))
    {
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        change_(p, *p.get_extension<mp::Attributes>(), phase);
        return PassingTap::nb_transport_fw(p, phase, t);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        change_(p, *p.get_extension<mp::Attributes>(), phase);
        return PassingTap::nb_transport_bw(p, phase, t);
    }

  private:
    Change change_;
};

// The status of the run is in result.different, since run_in_child() reports a failure otherwise.
Outcome run_changed(const char *blocks, const ChangingTap::Change &change)
{
    return run_in_child([&](Outcome &o) {
        mp_config config = three_tenants(nullptr, 0);
        mp_run r{};
        r.config = &config;
        for (unsigned t = 0; t < 3; t++)
            r.trace[t] = traces[t];
        mp::TapHook tap(blocks, [&](const mp::Site &, const mp_plan_link &, const std::string &name) {
            return std::make_unique<ChangingTap>(name.c_str(), change);
        });
        mp::GpuOptions options;
        options.hooks.push_back(&tap);
        o.error.text[0] = 0;
        o.result.different = mp::run_with(&r, options, &o.result, &o.error);
    });
}

// One request, the tenth, has a number for which the models have no room.
void test_requests_out_of_range_end_the_run(void **)
{
    static const struct {
        const char *blocks, *error;
        void (*change)(mp::Attributes &a);
    } wrong[] = {
        {"gpu.l3_tlb", "gpu.l3_tlb.in", [](mp::Attributes &a) { a.tenant = 3; }},
        {"gpu.l3_tlb", "a request of tenant 3; 0, 1, 2", [](mp::Attributes &a) { a.tenant = 3; }},
        {"gpu.mig0.walk", "a request of tenant 1; 0", [](mp::Attributes &a) { a.tenant = 1; }},
        {"gpu.gpc*.l2_tlb", "a request in address space 7; 0 to 2", [](mp::Attributes &a) { a.asid = 7; }},
        {"gpu.mig0.l2d", "a request of tenant 200; 0", [](mp::Attributes &a) { a.tenant = 200; }},
        {"gpu.mig2.dram", "a request in address space 300; 0 to 2", [](mp::Attributes &a) { a.asid = 300; }},
        {"gpu.gpc*l1_tlb", "a request of SM 98; 0 to 97", [](mp::Attributes &a) { a.sm = 98; }},
        {"gpu.gpc*l1_tlb", "a request of warp 64; 0 to 63", [](mp::Attributes &a) { a.warp = 64; }},
        {"gpu.gpc*l1d", "a request with operation 3; load, store, atomic, pte_read, writeback",
         [](mp::Attributes &a) { a.op = mp::Op::translate; }},
    };
    for (const auto &w : wrong) {
        unsigned requests = 0;
        Outcome o = run_changed(
            w.blocks, [&](tlm::tlm_generic_payload &, mp::Attributes &a, const tlm::tlm_phase &phase) {
                if (phase == tlm::BEGIN_REQ && ++requests == 10)
                    w.change(a);
            });
        if (!strstr(o.error.text, w.error) || strchr(o.error.text, '\n'))
            fail_msg("%s: '%s' instead of '%s'", w.blocks, o.error.text, w.error);
    }
}

// The first page that passes is answered with `nothing`, that many times.
Outcome run_with_nothing(unsigned times)
{
    uint64_t page = UINT64_MAX;
    return run_changed("gpu.mig0.walk", [&, times](tlm::tlm_generic_payload &p, mp::Attributes &a,
                                                   const tlm::tlm_phase &phase) {
        static unsigned answers = 0;
        if (page == UINT64_MAX)
            page = p.get_address();
        if (phase == tlm::BEGIN_RESP && p.get_address() == page && answers++ < times)
            a.source = mp::Source::nothing;
    });
}

void test_a_module_that_never_answers_a_page_ends_the_run(void **)
{
    Outcome some = run_with_nothing(mp::most_nothing);
    assert_string_equal(some.error.text, "");
    assert_false(some.result.different);
    Outcome all = run_with_nothing(mp::most_nothing + 1);
    const char *what =
        " is answered with `nothing` again after 1000 times in a row; a translation or a fault";
    assert_non_null(strstr(all.error.text, ": gpu.l3_tlb.out"));
    assert_non_null(strstr(all.error.text, " of address space 0"));
    assert_non_null(strstr(all.error.text, what));
}

} // namespace

int main(int argc, char **argv)
{
    if (!take_traces(argc, argv))
        return 2;
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_out_of_range_end_the_run),
        cmocka_unit_test(test_a_module_that_never_answers_a_page_ends_the_run),
    };
    return cmocka_run_group_tests_name("wire, wrong", tests, nullptr, nullptr);
}
