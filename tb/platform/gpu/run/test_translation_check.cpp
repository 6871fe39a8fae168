// SPDX-License-Identifier: Apache-2.0
// Runs that compare every translation with the page table: they change nothing, and they find page tables
// whose contiguity bits lie.
#include <cstring>

#include "../platform_bench.h"

#include "vm/contiguity.h"

using namespace platform_bench;

namespace
{

// Before the first walk, software sets bits of a frame whose pages are not contiguous.
class Lie : public mp::PassingTap
{
  public:
    Lie(const sc_core::sc_module_name &name, const mp::Site &site, uint64_t bits)
        : PassingTap(name), site_(site), bits_(bits)
    {
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        if (!told_)
            tell(p.get_address());
        told_ = true;
        return PassingTap::nb_transport_fw(p, phase, t);
    }

  private:
    void tell(uint64_t va)
    {
        const mp_page_table &table = *site_.fabric.backdoor.tables->at(0);
        uint64_t at = table.root;
        for (unsigned level = 0;; level++) {
            at = mp_pte_address(table.format, level, at, va);
            uint64_t entry = mp_physmem_read64(table.memory, at);
            if (level == MP_CONTIGUITY_LEVEL) {
                assert_int_equal(mp_physmem_write64(table.memory, at, (entry & ~MP_PTE_CONTIGUITY) | bits_),
                                 0);
                return;
            }
            at = entry & MP_PTE_ADDRESS;
        }
    }

    const mp::Site site_;
    const uint64_t bits_;
    bool told_ = false;
};

// ATAX under MESC. The status of the run is in result.different, since run_in_child() reports a failure
// otherwise. bits: of the lie, or 0.
Outcome run_atax(bool check, uint64_t bits, unsigned threads = 1)
{
    return run_in_child([&](Outcome &o) {
        mp_config config;
        const char *const overrides[] = {"tenants.0.trace=a", "l3_tlb.policy=mesc", "walk.method=mesc"};
        if (mp_config_load(&config, "mesc-16cu", 3, overrides, &o.error))
            fail_msg("%s", o.error.text);
        mp_run r{};
        r.config = &config;
        r.trace[0] = traces[1];
        r.check = check;
        r.run_id = 7;
        r.threads = threads;
        mp::TapHook lie("gpu.walk", [&](const mp::Site &site, const mp_plan_link &, const std::string &name) {
            return std::make_unique<Lie>(name.c_str(), site, bits);
        });
        mp::GpuOptions options;
        if (bits)
            options.hooks.push_back(&lie);
        o.error.text[0] = 0;
        o.result.different = mp::run_with(&r, options, &o.result, &o.error);
    });
}

void test_a_check_changes_nothing(void **)
{
    Outcome plain = run_atax(false, 0), checked = run_atax(true, 0), threads = run_atax(true, 0, 2);
    assert_false(plain.result.different);
    assert_false(checked.result.different);
    assert_true(plain.result.tenant[0].walks > 0);
    assert_memory_equal(plain.result.digest, checked.result.digest, sizeof plain.result.digest);
    assert_memory_equal(plain.result.digest, threads.result.digest, sizeof plain.result.digest);
}

void test_a_page_table_that_lies_is_found(void **)
{
    const uint64_t all = MP_PTE_CONTIGUITY, subregions = MP_PTE_CONTIGUOUS;
    Outcome o = run_atax(true, all), part = run_atax(true, subregions);
    assert_true(o.result.different);
    static const char *const says[] = {"mesc-16cu: cycle ",
                                       ", gpu.walk: page 0x",
                                       " was translated to ",
                                       ", but the page table has ",
                                       "; frame 0x",
                                       " of 2 MB has C = 0xff, AC = 1; walk: 0x",
                                       "; again: mempath query config run=7 | mempath run - --check"};
    for (const char *text : says)
        if (!std::strstr(o.error.text, text))
            fail_msg("'%s' does not say '%s'", o.error.text, text);
    assert_true(part.result.different);
    assert_non_null(std::strstr(part.error.text, "has C = 0xff, AC = 0; walk: 0x"));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s TRACE TRACE TRACE\n", argv[0]);
        return 2;
    }
    for (int t = 0; t < 3; t++)
        traces[t] = argv[t + 1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_check_changes_nothing),
        cmocka_unit_test(test_a_page_table_that_lies_is_found),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
