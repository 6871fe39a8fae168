// SPDX-License-Identifier: Apache-2.0
// Runs that lose a request: a foreign module on a link, or in the place of a block, swallows one response.
// The run must end, and the X-ray must name the place, in every machine and however the links are made.
#include <cstring>

#include "../platform_bench.h"
#include "gpu/xray.h"

namespace
{

// The items that the callback has seen. They are in the child's memory.
struct Seen {
    unsigned xrays = 0, items = 0, joined = 0;
    mp_xray_cause cause = MP_XRAY_ASKED;
    std::string chain; // of the oldest request: the paths of its blocks
};

void look(void *context, const mp_xray_report *r, mp_xray_cause cause, const char *)
{
    auto *seen = static_cast<Seen *>(context);
    seen->xrays++;
    seen->items = r->items;
    seen->cause = cause;
    for (uint32_t i = 0; i < r->items; i++)
        seen->joined += r->item[i].next != MP_XRAY_NONE;
    for (uint32_t i = r->items ? r->oldest[0] : MP_XRAY_NONE; i != MP_XRAY_NONE; i = r->item[i].next)
        seen->chain += std::string(seen->chain.empty() ? "" : " ") + r->plan->block[r->item[i].block].path;
}

// Forwards everything except one response.
class Swallowing : public mp::PassingTap
{
  public:
    Swallowing(const sc_core::sc_module_name &name, unsigned &left) : PassingTap(name), left_(left) {}
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override
    {
        if (phase == tlm::BEGIN_RESP && left_ && !--left_)
            return tlm::TLM_COMPLETED;
        return PassingTap::nb_transport_bw(p, phase, t);
    }

  private:
    unsigned &left_;
};

// Answers in a fixed time, but not the request with this number. `ticks`: has a clock that never stops.
class Forgetful : public mp::Foreign, public sc_core::sc_module
{
  public:
    Forgetful(const mp::Site &site, const sc_core::sc_module_name &name, unsigned forgets, bool ticks)
        : sc_module(name), left_(forgets), due_("due", [this](foreign::Payload *p) { answer(p); })
    {
        for (uint32_t i = 0; i < site.block().ins; i++)
            in_.push_back(std::make_unique<foreign::In>(
                ("in" + std::to_string(i)).c_str(),
                [this](foreign::In *from, foreign::Payload *p, const sc_core::sc_time &t) {
                    from_[p] = from;
                    if (--left_)
                        due_.at(sc_core::sc_time_stamp() + t + sc_core::sc_time(100, sc_core::SC_NS), p);
                }));
        SC_HAS_PROCESS(Forgetful);
        if (ticks)
            SC_THREAD(tick);
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return in_[port]->socket; }
    tlm::tlm_initiator_socket<> &out(uint32_t) override { throw std::logic_error("it sends nothing"); }

  private:
    void tick()
    {
        for (;;)
            sc_core::wait(1, sc_core::SC_US);
    }
    void answer(foreign::Payload *p)
    {
        if (p->get_data_length() == 8) {
            uint64_t pa = p->get_address() & 0xfffffff;
            std::memcpy(p->get_data_ptr(), &pa, 8);
        }
        p->set_response_status(tlm::TLM_OK_RESPONSE);
        foreign::In *from = from_[p];
        from_.erase(p);
        from->answer(p);
    }
    unsigned left_;
    std::vector<std::unique_ptr<foreign::In>> in_;
    std::map<foreign::Payload *, foreign::In *> from_;
    foreign::Due due_;
};

struct Case {
    std::string preset;
    std::vector<const char *> overrides;
    unsigned tenants;
    std::string at; // block at whose links a response is swallowed
    unsigned response = 40;
    uint64_t watchdog = 20000;
    bool force_tlm = false;
    unsigned threads = 1;
    enum { tap, block, ticking, none } how = tap;
    double seconds = 0;
    uint64_t until = 0;
};

// The error is "NAME: stuck at ..."; `foreign` holds what the X-ray showed.
Outcome run(const Case &c)
{
    return run_in_child([&](Outcome &o) {
        mp_config config;
        mp_error err{};
        std::vector<const char *> all = c.overrides;
        for (unsigned t = 0; t < c.tenants; t++)
            all.push_back(t == 0 ? "tenants.0.trace=a" : "tenants.1.trace=b");
        if (mp_config_load(&config, c.preset.c_str(), static_cast<unsigned>(all.size()), all.data(), &err))
            fail_msg("%s", err.text);
        Seen seen;
        mp_run r{};
        r.config = &config;
        for (unsigned t = 0; t < c.tenants; t++)
            r.trace[t] = traces[t];
        r.force_tlm = c.force_tlm;
        r.threads = c.threads;
        r.watchdog = c.watchdog;
        r.watchdog_seconds = c.seconds;
        r.until = c.until;
        r.xray = look;
        r.context = &seen;
        unsigned left = c.response;
        mp::TapHook swallow(c.at, [&](const mp::Site &, const mp_plan_link &, const std::string &name) {
            return std::make_unique<Swallowing>(name.c_str(), left);
        });
        mp::ForeignHook forget(c.at, [&](const mp::Site &site, const std::string &name) {
            return std::make_unique<Forgetful>(site, name.c_str(), c.response, c.how == Case::ticking);
        });
        mp::GpuOptions options;
        if (c.how != Case::none)
            options.hooks.push_back(c.how == Case::tap ? static_cast<mp::Hook *>(&swallow) : &forget);
        int status = mp::run_with(&r, options, &o.result, &o.error);
        o.status = status == (o.result.stuck ? -1 : 0) ? 0 : 1;
        o.wire.requests = seen.xrays;
        o.wire.answers = seen.items;
        o.below = seen.joined;
        o.requests[0] = seen.cause;
        std::snprintf(o.chain, sizeof o.chain, "%s", seen.chain.c_str());
        mp_config_free(&config);
    });
}

void assert_has(const Outcome &o, const std::string &text)
{
    if (!std::strstr(o.error.text, text.c_str()))
        fail_msg("'%s' does not say '%s'", o.error.text, text.c_str());
}

// The oldest request's chain ends in front of the block that has lost it.
void assert_lost(const Outcome &o, const std::string &path, const std::string &chain)
{
    assert_true(o.result.stuck);
    assert_int_equal(o.wire.requests, 1);
    assert_int_equal(o.requests[0], MP_XRAY_STUCK);
    assert_has(o, "stuck at cycle ");
    assert_has(o, path + " does not have it: the request or its answer is lost");
    assert_string_equal(o.chain, chain.c_str());
}

// The same run with native calls elsewhere, with TLM on every link, and in two threads.
void assert_lost_in_each_way(Case c, const std::string &path, const std::string &chain)
{
    Outcome native = run(c);
    assert_lost(native, path, chain);
    c.force_tlm = true;
    Outcome tlm = run(c);
    c.force_tlm = false;
    c.threads = 2;
    Outcome threads = run(c);
    for (const Outcome *o : {&tlm, &threads}) {
        assert_lost(*o, path, chain);
        assert_string_equal(o->error.text, native.error.text);
        assert_int_equal(o->wire.answers, native.wire.answers);
    }
}

// The other tenant goes on for ever: only the watchdog ends the run, after exactly its cycles.
void test_star(void **)
{
    const Case c = {
        "star-a100-mig", {"l3_tlb.policy=star", "tenants.0.slices=4", "tenants.1.slices=3"}, 2, "gpu.l3_tlb"};
    Outcome o = run(c);
    assert_has(o, "tenant 0 has neither issued an instruction nor finished an access for 20000 cycles");
    assert_int_equal(o.result.cycles % 20000, 0);
    assert_lost_in_each_way(c, "gpu.l3_tlb", o.chain);
    Case twice = c;
    twice.watchdog = 60000;
    Outcome later = run(twice);
    assert_int_equal(later.result.cycles % 60000, 0);
    assert_true(later.result.cycles >= o.result.cycles);
}

void test_dws(void **)
{
    const Case c = {
        "dws-30sm", {"walk.scheduler=dws", "tenants.0.sms=15", "tenants.1.sms=15"}, 2, "gpu.walk"};
    Outcome o = run(c);
    assert_lost_in_each_way(c, "gpu.walk", o.chain);
}

void test_mesc(void **)
{
    const Case c = {"mesc-16cu", {"l3_tlb.policy=mesc", "walk.method=mesc"}, 1, "gpu.walk"};
    Outcome o = run(c);
    assert_has(o, "nothing is left to happen, but 1 tenant has not finished");
    assert_lost_in_each_way(c, "gpu.walk", o.chain);
}

void test_neidty(void **)
{
    const Case c = {"neidty-16sm", {"neighbours.policy=neidty"}, 1, "gpu.gpc0.l2_tlb"};
    Outcome o = run(c);
    assert_lost_in_each_way(c, "gpu.gpc0.l2_tlb", o.chain);
}

// A lost line is found below the caches, which know only lines.
void test_dram(void **)
{
    const Case c = {"dws-30sm", {}, 1, "gpu.dram"};
    Outcome o = run(c);
    assert_lost_in_each_way(c, "gpu.dram", o.chain);
}

void test_a_module_in_a_blocks_place(void **)
{
    Case c = {"neidty-16sm", {}, 1, "gpu.walk"};
    c.how = Case::block;
    Outcome o = run(c);
    assert_true(o.result.stuck);
    assert_has(o, "in gpu.walk (sent, no answer): a foreign module, which has not answered");
    assert_non_null(std::strstr(o.chain, "l1_tlb gpu.gpc0.l2_tlb gpu.walk"));
}

// The module's clock goes on, so that SystemC never runs out of events.
void test_a_module_with_a_clock(void **)
{
    Case c = {"neidty-16sm", {}, 1, "gpu.walk"};
    c.how = Case::ticking;
    Outcome cycles = run(c), again = run(c);
    assert_has(cycles, "has neither issued an instruction nor finished an access for 20000 cycles");
    assert_string_equal(cycles.error.text, again.error.text);
    c.watchdog = 0;
    c.seconds = 0.3;
    assert_has(run(c),
               "no tenant has issued an instruction or finished an access for 0.3 seconds of the host");
}

// The watchdog's marks change nothing, and a run that moves is left alone.
void test_a_healthy_run(void **)
{
    Case c = {"dws-30sm", {}, 1, ""};
    c.how = Case::none;
    c.watchdog = 0;
    Outcome without = run(c);
    c.watchdog = 5000;
    Outcome with = run(c);
    assert_false(without.result.stuck);
    assert_false(with.result.stuck);
    assert_memory_equal(with.result.digest, without.result.digest, sizeof with.result.digest);
    assert_int_equal(with.wire.requests, 0);
}

// At a cycle in the middle, what waits is the same in each way.
void test_an_xray_of_a_cycle(void **)
{
    Case c = {"star-a100-mig", {"tenants.0.slices=7"}, 1, ""};
    c.how = Case::none;
    c.until = 1000;
    Outcome native = run(c);
    c.force_tlm = true;
    Outcome tlm = run(c);
    c.force_tlm = false;
    c.threads = 2;
    Outcome threads = run(c);
    assert_int_equal(native.requests[0], MP_XRAY_CUT);
    assert_true(native.wire.answers > 50);
    assert_true(native.below > native.wire.answers / 4);
    for (const Outcome *o : {&tlm, &threads}) {
        assert_int_equal(o->wire.answers, native.wire.answers);
        assert_int_equal(o->below, native.below);
        assert_string_equal(o->chain, native.chain);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (!take_traces(argc, argv))
        return 2;
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_dws),
        cmocka_unit_test(test_mesc),
        cmocka_unit_test(test_neidty),
        cmocka_unit_test(test_dram),
        cmocka_unit_test(test_a_module_in_a_blocks_place),
        cmocka_unit_test(test_a_module_with_a_clock),
        cmocka_unit_test(test_a_healthy_run),
        cmocka_unit_test(test_an_xray_of_a_cycle),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
