// SPDX-License-Identifier: Apache-2.0
// Whole runs of recorded applications, compared: native calls against TLM on every link, and a foreign
// four-phase module in the L3 TLB's place. SystemC simulates once per process, so every run is a child.
#include <stdexcept>

#include "platform_bench.h"

namespace
{

Outcome run(bool force_tlm, const char *const *overrides = nullptr, unsigned n = 0, bool foreign = false,
            const char *observe_file = nullptr)
{
    return run_in_child([&](Outcome &o) {
        mp_config config = three_tenants(overrides, n);
        mp_run r{};
        r.config = &config;
        for (unsigned t = 0; t < 3; t++)
            r.trace[t] = traces[t];
        r.force_tlm = force_tlm;
        r.observe = observe_file ? "l3_tlb" : nullptr;
        r.observe_file = observe_file;
        mp::GpuOptions options;
        mp::ForeignHook l3("gpu.l3_tlb", [&](const mp::Site &site, const std::string &name) {
            return std::make_unique<ForeignTlb>(name.c_str(), site.block().ins, site.block().links,
                                                sc_core::sc_time(1, sc_core::SC_NS), 16, &o.foreign);
        });
        if (foreign)
            options.hooks.push_back(&l3);
        o.status = mp::run_with(&r, options, &o.result, &o.error);
    });
}

// Counts requests.
class CountingTap : public mp::PassingTap
{
  public:
    CountingTap(const sc_core::sc_module_name &name, uint64_t &count) : PassingTap(name), count_(count) {}
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        count_ += phase == tlm::BEGIN_REQ;
        return PassingTap::nb_transport_fw(p, phase, t);
    }

  private:
    uint64_t &count_;
};

// With a tap on every link of the machine.
Outcome run_tapped(const char *const *overrides, unsigned n)
{
    return run_in_child([&](Outcome &o) {
        mp_config config = three_tenants(overrides, n);
        std::vector<std::unique_ptr<mp::Hook>> hooks;
        mp::GpuOptions options;
        mp_run r{};
        r.config = &config;
        for (unsigned t = 0; t < 3; t++)
            r.trace[t] = traces[t];
        for (unsigned i = 0; i < nboundaries; i++) {
            uint64_t &count = o.requests[i];
            hooks.push_back(std::make_unique<mp::TapHook>(
                boundaries[i], [&count](const mp::Site &, const mp_plan_link &, const std::string &name) {
                    return std::make_unique<CountingTap>(name.c_str(), count);
                }));
            options.hooks.push_back(hooks.back().get());
        }
        o.status = mp::run_with(&r, options, &o.result, &o.error);
    });
}

void assert_same_results(const Outcome &a, const Outcome &b)
{
    for (unsigned t = 0; t < 3; t++) {
        assert_int_equal(a.result.tenant[t].cycles, b.result.tenant[t].cycles);
        assert_int_equal(a.result.tenant[t].tlb[2].misses, b.result.tenant[t].tlb[2].misses);
    }
    assert_int_equal(a.result.cycles, b.result.cycles);
    assert_memory_equal(a.result.digest, b.result.digest, sizeof a.result.digest);
}

void test_tlm_and_native_agree_cycle_for_cycle(void **)
{
    Outcome native = run(false), tlm = run(true);
    assert_true(native.result.accesses > 1000);
    for (unsigned t = 0; t < 3; t++)
        assert_true(native.result.tenant[t].walks > 0);
    assert_same_results(native, tlm);
}

// Finite structures made so small that every link is held again and again.
void test_tlm_and_native_agree_under_back_pressure(void **)
{
    static const char *const tight[] = {"l1_tlb.mshrs=2",
                                        "l1_tlb.merges=2",
                                        "l2_tlb.mshrs=3",
                                        "l2_tlb.merges=1",
                                        "l3_tlb.mshrs=4",
                                        "walk.queue=1",
                                        "walk.walkers_per_slice=1",
                                        "l1d.mshrs=2",
                                        "l2d.mshrs=1",
                                        "l2d.merges=1",
                                        "dram.queue=1",
                                        "sm.lsu_queue=1",
                                        "walk.memory=cached"};
    Outcome native = run(false, tight, 13), tlm = run(true, tight, 13);
    assert_same_results(native, tlm);
}

void test_gto_agrees_too(void **)
{
    static const char *const gto[] = {"sm.scheduler=gto"};
    Outcome native = run(false, gto, 1), tlm = run(true, gto, 1), lrr = run(false);
    assert_same_results(native, tlm);
    assert_memory_not_equal(native.result.digest, lrr.result.digest, sizeof lrr.result.digest);
}

// Small pages and small TLBs: the applications' small inputs crowd them.
#define CROWDED "machine.page_bytes=4096", "l2_tlb.entries=8", "l3_tlb.entries=16", "mask.epoch=50"

// The designs of MESC differ by the ranges that their walks return, and the walks here return pages.
bool holds_ranges(const std::string &policy)
{
    return policy == "page" || policy == "colt" || policy == "thp" || policy.compare(0, 4, "mesc") == 0;
}

// Every policy of the L3 TLB does the same work on a TLB that is too small for it, and does it in its own
// way.
void test_every_l3_tlb_policy_runs(void **)
{
    std::vector<Outcome> seen;
    for (uint32_t i = 0; mp_choice("l3_tlb.policy", i); i++) {
        std::string name = mp_choice("l3_tlb.policy", i), policy = "l3_tlb.policy=" + name;
        const char *const crowded[] = {policy.c_str(), CROWDED};
        Outcome o = run(false, crowded, 5);
        for (uint32_t k = 0; k < seen.size(); k++) {
            const Outcome &other = seen[k];
            for (unsigned t = 0; t < 3; t++) {
                assert_int_equal(o.result.tenant[t].accesses, other.result.tenant[t].accesses);
                assert_int_equal(o.result.tenant[t].translations, other.result.tenant[t].translations);
            }
            if (holds_ranges(name) && holds_ranges(mp_choice("l3_tlb.policy", k)))
                continue;
            assert_memory_not_equal(o.result.digest, other.result.digest, sizeof o.result.digest);
        }
        seen.push_back(o);
    }
    assert_true(seen.size() >= 11);
}

// Tokens depend on who asks, which crosses the links with each request.
void test_mask_agrees_too(void **)
{
    static const char *const crowded[] = {"l3_tlb.policy=mask", CROWDED};
    assert_same_results(run(false, crowded, 5), run(true, crowded, 5));
}

// One memory path for all, as under MPS: the tenants meet in the L2 TLB, the walkers, caches and DRAM.
#define SHARED_GPU                                                                                           \
    "machine.sharing=mps", "tenants.slices=0", "l3_tlb.per=none", "machine.slices=1",                        \
        "machine.tpcs_per_slice=30", "machine.sms_per_tpc=1", "machine.page_bytes=4096",                     \
        "l2_tlb.sub_entries=1", "walk.memory=cached"

void test_tenants_that_share_everything(void **)
{
    static const char *const all[] = {SHARED_GPU}, *const tight[] = {SHARED_GPU,        "l2_tlb.mshrs=3",
                                                                     "l2_tlb.merges=1", "walk.queue=1",
                                                                     "l2d.mshrs=1",     "dram.queue=1"};
    Outcome native = run(false, all, 9), held = run(false, tight, 14);
    assert_same_results(native, run(true, all, 9));
    assert_same_results(held, run(true, tight, 14));
    for (unsigned t = 0; t < 3; t++) {
        assert_true(native.result.tenant[t].walks > 0);
        assert_int_equal(native.result.tenant[t].tlb[2].lookups, 0);
        assert_int_equal(native.result.tenant[t].tlb[1].misses >= native.result.tenant[t].walks, 1);
    }
    assert_true(held.result.cycles > native.result.cycles);
}

void test_tlbs_and_walkers_of_ones_own(void **)
{
    static const char *const shared[] = {SHARED_GPU, "l2_tlb.entries=16"},
                             *const tlb[] = {SHARED_GPU, "l2_tlb.entries=16", "l2_tlb.per=tenant"},
                             *const both[] = {SHARED_GPU, "l2_tlb.entries=16", "l2_tlb.per=tenant",
                                              "walk.per=tenant"};
    Outcome none = run(false, shared, 10), one = run(false, tlb, 11), two = run(false, both, 12);
    assert_same_results(two, run(true, both, 12));
    for (unsigned t = 0; t < 3; t++) {
        assert_int_equal(one.result.tenant[t].translations, none.result.tenant[t].translations);
        assert_int_equal(two.result.tenant[t].translations, none.result.tenant[t].translations);
    }
    assert_memory_not_equal(one.result.digest, none.result.digest, sizeof none.result.digest);
    assert_memory_not_equal(one.result.digest, two.result.digest, sizeof two.result.digest);
}

void test_mask_at_a_shared_l2_tlb(void **)
{
    static const char *const all[] = {SHARED_GPU, "l2_tlb.entries=16", "mask.epoch=50", "l2_tlb.policy=mask"};
    Outcome mask = run(false, all, 12), none = run(false, all, 11);
    assert_same_results(mask, run(true, all, 12));
    assert_memory_not_equal(mask.result.digest, none.result.digest, sizeof none.result.digest);
}

// Levels in other places than those of the papers' machines.
void test_levels_elsewhere(void **)
{
    static const char *const narrow[] = {"l1_tlb.per=sm", "l1d.per=tpc", "l2_tlb.per=instance",
                                         "l3_tlb.per=tenant", "walk.memory=cached"},
                             *const wide[] = {"l1_tlb.per=slice", "l1d.per=slice",    "l2_tlb.per=machine",
                                              "l3_tlb.per=none",  "dram.per=machine", "l2d.per=machine"},
                             *const none[] = {"l1_tlb.per=none", "l2d.per=slice"};
    Outcome usual = run(false), a = run(false, narrow, 5), b = run(false, wide, 6), c = run(false, none, 2);
    assert_same_results(a, run(true, narrow, 5));
    assert_same_results(b, run(true, wide, 6));
    assert_same_results(c, run(true, none, 2));
    for (unsigned t = 0; t < 3; t++) {
        for (const Outcome *o : {&a, &b, &c}) {
            assert_int_equal(o->result.tenant[t].accesses, usual.result.tenant[t].accesses);
            assert_int_equal(o->result.tenant[t].translations, usual.result.tenant[t].translations);
            assert_true(o->result.tenant[t].walks > 0);
        }
        assert_int_equal(b.result.tenant[t].tlb[2].lookups, 0);
        assert_int_equal(c.result.tenant[t].tlb[1].lookups, c.result.tenant[t].translations);
    }
}

void test_large_pages(void **)
{
    static const char *const baseline[] = {"machine.page_bytes=2097152"}, *const star[] = {
                                                                              "machine.page_bytes=2097152",
                                                                              "l3_tlb.policy=star"};
    Outcome base = run(false), large = run(false, baseline, 1), shared = run(false, star, 2);
    for (unsigned t = 0; t < 3; t++) {
        assert_int_equal(large.result.tenant[t].accesses, base.result.tenant[t].accesses);
        assert_int_equal(shared.result.tenant[t].accesses, base.result.tenant[t].accesses);
        assert_true(large.result.tenant[t].walks > 0);
        assert_true(large.result.tenant[t].walks < base.result.tenant[t].walks);
    }
}

void test_results_repeat(void **)
{
    Outcome a = run(false), b = run(false);
    assert_same_results(a, b);
}

void test_a_foreign_four_phase_module_at_the_l3_tlb(void **)
{
    Outcome native = run(false), foreign = run(false, nullptr, 0, true), again = run(false, nullptr, 0, true);
    assert_same_results(foreign, again);
    assert_true(foreign.foreign.requests > 0);
    assert_int_equal(foreign.foreign.requests, foreign.foreign.answers);
    assert_true(foreign.foreign.hits + foreign.foreign.walks <= foreign.foreign.requests);
    for (unsigned t = 0; t < 3; t++) {
        assert_int_equal(foreign.result.tenant[t].accesses, native.result.tenant[t].accesses);
        assert_int_equal(foreign.result.tenant[t].translations, native.result.tenant[t].translations);
        assert_true(foreign.result.tenant[t].walks > 0);
        assert_true(foreign.result.tenant[t].walks <= native.result.tenant[t].walks); // it never evicts
    }
}

void test_an_observed_link_gives_the_same_results(void **)
{
    char path[] = "/tmp/mempath-observed-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    Outcome native = run(false), observed = run(false, nullptr, 0, false, path);
    assert_same_results(native, observed);
    std::FILE *f = std::fopen(path, "r");
    assert_non_null(f);
    char line[256];
    uint64_t lines = 0, hits = 0;
    assert_non_null(std::fgets(line, sizeof line, f));
    while (std::fgets(line, sizeof line, f)) {
        lines++;
        hits += std::strstr(line, ",hit") != nullptr;
    }
    std::fclose(f);
    unlink(path);
    // Every lookup of every run, restarts included, so at least those of the first complete runs.
    uint64_t lookups = 0, found = 0;
    for (unsigned t = 0; t < 3; t++) {
        const auto &tlb = observed.result.tenant[t].tlb[2];
        lookups += tlb.lookups;
        found += tlb.lookups - tlb.misses;
    }
    assert_true(lines >= lookups);
    assert_true(hits >= found && found > 0);
}

void test_every_boundary_can_be_observed(void **)
{
    static const char *const cached[] = {"walk.memory=cached"};
    Outcome native = run(false, cached, 1), tapped = run_tapped(cached, 1);
    assert_same_results(native, tapped);
    for (unsigned i = 0; i < nboundaries; i++)
        if (!tapped.requests[i])
            fail_msg("no request at %s", boundaries[i]);
    // Each level passes on what it does not answer.
    assert_true(tapped.requests[0] > tapped.requests[1] && tapped.requests[1] > tapped.requests[2]);
    assert_true(tapped.requests[2] > tapped.requests[3] && tapped.requests[4] > tapped.requests[6]);
    uint64_t lookups = 0; // of first runs; restarts bring more
    for (const mp_tenant_result &t : native.result.tenant)
        lookups += t.tlb[1].lookups;
    assert_true(tapped.requests[1] >= lookups && lookups > 0);
}

// ---- modules from outside in the place of blocks ----

class PluggedForward : public mp::Foreign
{
  public:
    PluggedForward(const mp::Site &site, const std::string &name, foreign::Counts *counts)
        : module_(name.c_str(), site.block().ins, site.block().links, 9, sc_core::sc_time(1, sc_core::SC_NS),
                  counts, [site](const foreign::Payload &p) { return route(site, p); })
    {
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return module_.in(port); }
    tlm::tlm_initiator_socket<> &out(uint32_t link) override { return module_.out(link); }

  private:
    // By tenant, and a line always to the same DRAM channel.
    static unsigned route(const mp::Site &site, const foreign::Payload &p)
    {
        std::vector<unsigned> links;
        for (unsigned i = 0; i < site.block().links; i++)
            if (site.out(i).tenants >> p.get_extension<mp::Attributes>()->tenant & 1)
                links.push_back(i);
        return links[p.get_address() / 128 % links.size()];
    }
    foreign::Forward module_;
};

class PluggedFixed : public mp::Foreign
{
  public:
    PluggedFixed(const mp::Site &site, const std::string &name, foreign::Counts *counts)
        : module_(name.c_str(), site.block().ins, 120, sc_core::sc_time(1, sc_core::SC_NS), counts)
    {
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return module_.in(port); }
    tlm::tlm_initiator_socket<> &out(uint32_t) override { throw std::logic_error("it sends nothing"); }

  private:
    foreign::Fixed module_;
};

// With foreign modules in the place of all blocks of a boundary, and taps on the links that begin at them.
Outcome run_foreign(unsigned boundary, bool fixed)
{
    return run_in_child([&](Outcome &o) {
        mp_config config = three_tenants(nullptr, 0);
        mp_run r{};
        r.config = &config;
        for (unsigned t = 0; t < 3; t++)
            r.trace[t] = traces[t];
        o.wire = foreign::Counts();
        std::string level;
        mp::ForeignHook replace(
            boundaries[boundary],
            [&](const mp::Site &site, const std::string &name) -> std::unique_ptr<mp::Foreign> {
                level = site.block().level;
                if (fixed)
                    return std::make_unique<PluggedFixed>(site, name, &o.wire);
                return std::make_unique<PluggedForward>(site, name, &o.wire);
            });
        mp::TapHook below("gpu*",
                          [&](const mp::Site &site, const mp_plan_link &link,
                              const std::string &name) -> std::unique_ptr<mp::Tap> {
                              if (site.plan.block[link.from].level != level)
                                  return nullptr;
                              return std::make_unique<CountingTap>(name.c_str(), o.below);
                          });
        mp::GpuOptions options;
        options.hooks.push_back(&replace);
        options.hooks.push_back(&below);
        o.status = mp::run_with(&r, options, &o.result, &o.error);
    });
}

void test_a_foreign_module_at_every_boundary(void **)
{
    Outcome native = run(false);
    for (unsigned i = 0; i < nboundaries; i++) {
        bool fixed = std::string(boundaries[i]).find("walk") != std::string::npos ||
                     std::string(boundaries[i]).find("dram") != std::string::npos;
        Outcome o = run_foreign(i, fixed);
        if (!o.wire.requests)
            fail_msg("no request at %s", boundaries[i]);
        assert_true(o.wire.requests >= o.wire.answers); // the run may end while some are in flight
        assert_true(o.wire.requests - o.wire.answers < 4096);
        if (!fixed) { // whatever came was passed on
            assert_true(o.below <= o.wire.requests && o.below >= o.wire.answers);
            assert_true(o.wire.least >= 9);
        } else {
            assert_int_equal(o.wire.least, 120);
        }
        for (unsigned t = 0; t < 3; t++) {
            assert_int_equal(o.result.tenant[t].accesses, native.result.tenant[t].accesses);
            assert_int_equal(o.result.tenant[t].translations, native.result.tenant[t].translations);
        }
        assert_memory_not_equal(o.result.digest, native.result.digest, sizeof o.result.digest);
    }
    Outcome again[2] = {run_foreign(1, false), run_foreign(1, false)};
    assert_same_results(again[0], again[1]);
}

void test_a_path_without_a_block_is_refused(void **)
{
    Outcome o = run_in_child([&](Outcome &out) {
        mp_config config = three_tenants(nullptr, 0);
        mp_run r{};
        r.config = &config;
        for (unsigned t = 0; t < 3; t++)
            r.trace[t] = traces[t];
        mp::Hook nowhere("gpu.l4_tlb");
        mp::GpuOptions options;
        options.hooks.push_back(&nowhere);
        int status = mp::run_with(&r, options, &out.result, &out.error);
        out.status = status == -1 ? 0 : 1;
    });
    assert_string_equal(o.error.text,
                        "gpu.l4_tlb: no block has such a path; gpu.mig*.walk, gpu.mig*.l2d, gpu.mig*.dram, "
                        "gpu.gpc*.l2_tlb, gpu.gpc*.tpc*.l1_tlb, gpu.gpc*.tpc*.sm*.l1d, gpu.l3_tlb");
}

} // namespace

int main(int argc, char **argv)
{
    if (!take_traces(argc, argv))
        return 2;
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_tlm_and_native_agree_cycle_for_cycle),
        cmocka_unit_test(test_tlm_and_native_agree_under_back_pressure),
        cmocka_unit_test(test_gto_agrees_too),
        cmocka_unit_test(test_every_l3_tlb_policy_runs),
        cmocka_unit_test(test_mask_agrees_too),
        cmocka_unit_test(test_tenants_that_share_everything),
        cmocka_unit_test(test_tlbs_and_walkers_of_ones_own),
        cmocka_unit_test(test_mask_at_a_shared_l2_tlb),
        cmocka_unit_test(test_levels_elsewhere),
        cmocka_unit_test(test_large_pages),
        cmocka_unit_test(test_results_repeat),
        cmocka_unit_test(test_a_foreign_four_phase_module_at_the_l3_tlb),
        cmocka_unit_test(test_an_observed_link_gives_the_same_results),
        cmocka_unit_test(test_every_boundary_can_be_observed),
        cmocka_unit_test(test_a_foreign_module_at_every_boundary),
        cmocka_unit_test(test_a_path_without_a_block_is_refused),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
