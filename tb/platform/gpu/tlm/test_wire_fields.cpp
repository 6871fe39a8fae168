// SPDX-License-Identifier: Apache-2.0
// The fields of the extension on one link: a C initiator asks a TLB of ours over TLM, and below that is a
// module that answers in the call as the test says. Also blocking and debug transport.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "gpu/tlm/ports.h"
#include "tlb/tlb.h"

extern "C" {
#include <cmocka.h> // last: it defines a macro fail
}

namespace
{

using mp::Attributes;
using Payload = tlm::tlm_generic_payload;

constexpr unsigned LATENCY = 3, BELOW = 6, PAGE = 65536;
constexpr uint64_t FRAME = 0x7770000;

sc_core::sc_time cycles(unsigned n)
{
    return n * sc_core::sc_time(1, sc_core::SC_NS);
}

// The level below. Unless `answer` is set, it sets data and response status only.
struct Below : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    explicit Below(const sc_core::sc_module_name &name) : sc_module(name), socket("socket")
    {
        socket.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_fw(Payload &p, tlm::tlm_phase &, sc_core::sc_time &t) override
    {
        auto *a = p.get_extension<Attributes>();
        asked = *a;
        command = p.get_command();
        if (answer) {
            a->source = answer->source;
            a->fault = answer->fault;
            a->level = answer->level;
            a->unit = answer->unit;
            a->before = answer->before;
            a->after = answer->after;
            a->read_only = answer->read_only;
        }
        std::memcpy(p.get_data_ptr(), &data, 8);
        p.set_response_status(status);
        t += cycles(BELOW);
        requests++;
        return tlm::TLM_COMPLETED;
    }
    void b_transport(Payload &, sc_core::sc_time &) override {}
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &) override { return false; }
    unsigned transport_dbg(Payload &) override { return 0; }

    tlm::tlm_target_socket<> socket;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    uint64_t data = FRAME;
    const Attributes *answer = nullptr;
    Attributes asked;
    unsigned requests = 0;
};

struct Model { // made before the ports
    explicit Model(mp_wheel *wheel)
    {
        mp_tlb_params p{};
        p.policy = &mp_tlb_subentry;
        p.geometry.sets = 1;
        p.geometry.ways = 64;
        p.geometry.sub_entries = 1;
        p.geometry.latency = LATENCY;
        p.page_shift = 16;
        p.mshrs = p.merges = 4;
        p.ports = p.tenants = 2;
        mp_tlb_init(&tlb, wheel, &p);
    }
    ~Model() { mp_tlb_free(&tlb); }
    mp_tlb tlb{};
};

// The functions of a target that answers when the test says, and of the initiator that asks it, with both
// ends of a link between them.
struct Pair {
    explicit Pair(mp::Kernel &kernel, mp::PayloadPool &pool)
        : in(kernel, "pair_in", mp::LinkKind::translation, mp_target_of(request, this, 0), &up, nullptr),
          out(
              kernel, pool, "pair_out", mp::LinkKind::translation, mp_initiator_of(respond, resume, this, 0),
              [this](mp_target t) { target = t; }, 128)
    {
        out.socket.bind(in.socket);
    }
    static mp_answer request(void *self, unsigned, mp_req *req, uint32_t *)
    {
        static_cast<Pair *>(self)->taken = req;
        return MP_TAKEN;
    }
    static void respond(void *self, mp_req *req)
    {
        auto *pair = static_cast<Pair *>(self);
        pair->answers++;
        pair->source = static_cast<mp_answerer>(req->source);
        pair->pa = req->pa;
        pair->span = req->span;
    }
    static void resume(void *, unsigned) {}
    void answer(mp_answerer from, uint64_t address, unsigned after)
    {
        taken->source = from & 15;
        taken->pa = address;
        taken->span = mp_span{};
        taken->span.after = after & 31;
        mp_respond(&up, taken);
    }

    mp_initiator up{};
    mp_target target{};
    mp::TargetPort in;
    mp::InitiatorPort out;
    mp_req *taken = nullptr;
    unsigned answers = 0;
    mp_answerer source = MP_FROM_NOTHING;
    uint64_t pa = 0;
    mp_span span{};
};

class Bench : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>
{
  public:
    explicit Bench(const sc_core::sc_module_name &name)
        : sc_module(name), kernel("kernel", cycles(1)), model(kernel.wheel()), below("below"),
          in(kernel, "in", mp::LinkKind::translation, mp_target_of(mp_tlb_request, &model.tlb, 0),
             &model.tlb.ports.up[0], debug),
          stranger_in(kernel, "stranger_in", mp::LinkKind::translation,
                      mp_target_of(mp_tlb_request, &model.tlb, 1), &model.tlb.ports.up[1], nullptr,
                      {0x3, 2, 400, 48}),
          out(
              kernel, pool_, "out", mp::LinkKind::translation,
              mp_initiator_of(mp_tlb_response, mp_tlb_resume, &model.tlb, 0),
              [this](mp_target t) { mp_tlb_join(&model.tlb, 0, t); }, 128),
          up(
              kernel, pool_, "up", mp::LinkKind::translation, mp_initiator_of(respond, resume, this, 0),
              [this](mp_target t) { target_ = t; }, 128),
          stranger("stranger"), pair(kernel, pool_)
    {
        up.socket.bind(in.socket);
        out.socket.bind(below.socket);
        stranger.bind(*this);
        stranger.bind(stranger_in.socket);
        SC_HAS_PROCESS(Bench);
        SC_THREAD(block);
    }
    void end_of_elaboration() override
    {
        out.connect(false);
        up.connect(true);
        pair.out.connect(true);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &, tlm::tlm_phase &, sc_core::sc_time &) override
    {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    // Sends a request; returns when it has been answered.
    mp_answer send(mp_req &req, uint32_t *delay)
    {
        answered_ = nullptr;
        mp_answer answer = target_.request(target_.self, target_.port, &req, delay);
        sc_core::sc_start(cycles(100));
        assert_true(answer == MP_DONE || answered_ == &req);
        return answer;
    }

    mp::Kernel kernel;
    Model model;
    Below below;
    mp::PayloadPool pool_;
    mp::TargetPort in, stranger_in;
    mp::InitiatorPort out, up;
    tlm::tlm_initiator_socket<> stranger;
    Pair pair;
    uint64_t blocked[2] = {0, 0}, blocked_pa[2] = {0, 0};

  private:
    static void respond(void *self, mp_req *req) { static_cast<Bench *>(self)->answered_ = req; }
    static void resume(void *, unsigned) {}
    static unsigned debug(Payload &p, const Attributes *a)
    {
        uint64_t word = p.get_address() + (a ? a->asid : 99);
        std::memcpy(p.get_data_ptr(), &word, 8);
        return 8;
    }
    // A miss and a hit by b_transport, without an extension.
    void block()
    {
        for (unsigned i = 0; i < 2; i++) {
            Payload p;
            uint64_t word = 0;
            sc_core::sc_time t = cycles(5), began = sc_core::sc_time_stamp();
            p.set_command(tlm::TLM_READ_COMMAND);
            p.set_address(5 * PAGE + 24);
            p.set_data_ptr(reinterpret_cast<unsigned char *>(&word));
            p.set_data_length(8);
            stranger->b_transport(p, t);
            blocked[i] = (sc_core::sc_time_stamp() - began).value() / cycles(1).value();
            blocked_pa[i] = p.is_response_ok() ? word : 0;
        }
    }
    mp_target target_{};
    mp_req *answered_ = nullptr;
};

std::unique_ptr<Bench> bench;

uint64_t next_page = 100; // each test asks for new pages

mp_req request(uint64_t page, mp_op op)
{
    mp_req req{};
    req.va = page * PAGE + 24;
    req.op = static_cast<uint8_t>(op) & 15;
    req.asid = 1;
    req.tenant = 1;
    req.sm = 300;
    req.warp = 47;
    req.instruction = 11;
    bench->below.status = tlm::TLM_OK_RESPONSE;
    bench->below.data = FRAME;
    bench->below.answer = nullptr;
    return req;
}

void span_is(const mp_req &req, unsigned unit, unsigned before, unsigned after, bool read_only)
{
    assert_int_equal(req.span.unit, unit);
    assert_int_equal(req.span.before, before);
    assert_int_equal(req.span.after, after);
    assert_int_equal(req.span.read_only, read_only);
}

void test_blocking_transport(void **)
{
    assert_int_equal(bench->blocked_pa[0], FRAME + 24);
    assert_int_equal(bench->blocked_pa[1], FRAME + 24);
    assert_int_equal(bench->blocked[0], 5 + LATENCY + BELOW);
    assert_int_equal(bench->blocked[1], 5 + LATENCY);
}

void test_debug_transport(void **)
{
    Payload p;
    Attributes a;
    uint64_t word = 0;
    p.set_address(0x1000);
    p.set_data_ptr(reinterpret_cast<unsigned char *>(&word));
    p.set_data_length(8);
    assert_int_equal(bench->up.socket->transport_dbg(p), 8);
    assert_int_equal(word, 0x1000 + 99);
    a.asid = 3;
    p.set_extension(&a);
    assert_int_equal(bench->up.socket->transport_dbg(p), 8);
    assert_int_equal(word, 0x1000 + 3);
    p.clear_extension<Attributes>();
    assert_int_equal(bench->below.requests, 1); // that of the blocking caller
}

void test_the_request_arrives_whole(void **)
{
    uint32_t delay;
    mp_req req = request(next_page++, MP_STORE);
    assert_int_equal(bench->send(req, &delay), MP_TAKEN);
    const Attributes &a = bench->below.asked;
    assert_true(a.op == mp::Op::translate); // a TLB asks for the page
    assert_int_equal(a.asid, 1);
    assert_int_equal(a.tenant, 1);
    assert_int_equal(a.sm, 300);
    assert_int_equal(a.warp, 47);
    assert_int_equal(a.instruction, 11);
    assert_int_equal(bench->below.command, tlm::TLM_READ_COMMAND);
    // The sender has set the defaults of an answer, whatever the payload carried before.
    assert_true(a.source == mp::Source::foreign && a.fault == mp::Fault::none);
    assert_false(a.level || a.unit || a.before || a.after || a.read_only);
}

// Data and status only: this page, writable, of a foreign block.
void test_the_defaults_of_an_answer(void **)
{
    uint32_t delay;
    mp_req req = request(next_page, MP_TRANSLATE);
    assert_int_equal(bench->send(req, &delay), MP_TAKEN);
    assert_int_equal(req.pa, FRAME + 24);
    assert_int_equal(req.fault, MP_FAULT_NONE);
    assert_int_equal(req.source, MP_FROM_FOREIGN);
    span_is(req, 0, 0, 0, false);
    req = request(next_page++, MP_TRANSLATE);
    assert_int_equal(bench->send(req, &delay), MP_DONE); // it was stored
    assert_int_equal(delay, LATENCY);
    assert_int_equal(req.source, MP_FROM_TLB);
    req = request(next_page++, MP_TRANSLATE);
    bench->below.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    bench->below.data = 0x4440;
    assert_int_equal(bench->send(req, &delay), MP_TAKEN);
    assert_int_equal(req.fault, MP_FAULT_NOT_VALID);
    assert_int_equal(req.pa, 0x4440);
}

void test_every_fault_keeps_its_cause_and_level(void **)
{
    for (int cause = MP_FAULT_NOT_VALID; cause <= MP_FAULT_ECC; cause++)
        for (unsigned level = 0; level < 4; level++) {
            uint32_t delay;
            Attributes a;
            mp_req req = request(next_page, MP_TRANSLATE); // again and again: a fault is not stored
            a.source = mp::Source::walk;
            a.fault = static_cast<mp::Fault>(cause);
            a.level = static_cast<uint8_t>(level);
            bench->below.answer = &a;
            bench->below.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
            bench->below.data = 0x4440 + level * 8;
            assert_int_equal(bench->send(req, &delay), MP_TAKEN);
            assert_int_equal(req.fault, cause | level << MP_FAULT_LEVEL_SHIFT);
            assert_int_equal(req.pa, bench->below.data);
            assert_int_equal(req.source, MP_FROM_WALK);
        }
    next_page++;
}

void test_a_whole_answer(void **)
{
    uint32_t delay;
    Attributes a;
    a.source = mp::Source::right;
    a.unit = 9;
    a.before = 31;
    a.after = 17;
    a.read_only = true;
    mp_req req = request(next_page, MP_TRANSLATE);
    bench->below.answer = &a;
    assert_int_equal(bench->send(req, &delay), MP_TAKEN);
    assert_int_equal(req.source, MP_FROM_RIGHT);
    span_is(req, 9, 31, 17, true);
    req = request(next_page++, MP_TRANSLATE);
    assert_int_equal(bench->send(req, &delay), MP_DONE);
    span_is(req, 0, 0, 0, true); // this TLB stores pages, with their permission
}

void test_probes(void **)
{
    uint32_t delay = 99;
    unsigned requests = bench->below.requests;
    const mp_tlb_stats before = bench->model.tlb.stats[1];
    mp_req req = request(next_page, MP_PROBE);
    assert_int_equal(bench->send(req, &delay), MP_DONE);
    assert_int_equal(req.source, MP_FROM_NOTHING);
    assert_int_equal(req.fault, MP_FAULT_NONE);
    assert_int_equal(delay, LATENCY);
    assert_memory_equal(&before, &bench->model.tlb.stats[1], sizeof before);

    mp_translation to{};
    to.pfn = 0x123;
    to.span.read_only = 1;
    mp_tlb_subentry.insert(bench->model.tlb.state, 1, next_page, to, nullptr);
    req = request(next_page++, MP_PROBE);
    assert_int_equal(bench->send(req, &delay), MP_DONE);
    assert_int_equal(req.source, MP_FROM_TLB);
    assert_int_equal(req.pa, 0x1230018);
    span_is(req, 0, 0, 0, true);
    req = request(next_page - 1, MP_PEEK);
    assert_int_equal(bench->send(req, &delay), MP_DONE);
    assert_int_equal(req.source, MP_FROM_TLB);
    assert_int_equal(req.pa, 0x1230018);
    req = request(next_page++, MP_PEEK);
    assert_int_equal(bench->send(req, &delay), MP_DONE);
    assert_int_equal(req.source, MP_FROM_NOTHING);
    assert_int_equal(bench->model.tlb.stats[1].lookups, before.lookups);
    assert_int_equal(bench->below.requests, requests);
}

// A hint passes as an ordinary request, and brings a translation, a fault, or nothing. Nobody asks again
// after nothing, so that any number of these may come in a row.
void test_hints(void **)
{
    uint32_t delay = 99;
    const mp_tlb_stats before = bench->model.tlb.stats[1];
    Attributes a;
    a.source = mp::Source::walk;
    a.after = 3;
    mp_req req = request(next_page, MP_HINT);
    bench->below.answer = &a;
    assert_int_equal(bench->send(req, &delay), MP_TAKEN);
    assert_true(bench->below.asked.op == mp::Op::hint);
    assert_int_equal(req.source, MP_FROM_WALK);
    assert_int_equal(req.fault, MP_FAULT_NONE);
    span_is(req, 0, 0, 3, false);

    a.source = mp::Source::nothing;
    for (unsigned i = 0; i < mp::most_nothing + 2; i++) {
        req = request(next_page, MP_HINT);
        bench->below.answer = &a;
        assert_int_equal(bench->send(req, &delay), MP_TAKEN);
        assert_int_equal(req.source, MP_FROM_NOTHING);
        assert_int_equal(req.fault, MP_FAULT_NONE);
    }

    a.source = mp::Source::walk;
    a.fault = mp::Fault::reserved;
    a.level = 2;
    req = request(next_page++, MP_HINT);
    bench->below.answer = &a;
    bench->below.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    assert_int_equal(bench->send(req, &delay), MP_TAKEN);
    assert_int_equal(req.fault, MP_FAULT_RESERVED | 2 << MP_FAULT_LEVEL_SHIFT);
    assert_memory_equal(&before, &bench->model.tlb.stats[1], sizeof before);
}

// News have no result, and are no demand.
void test_news(void **)
{
    uint32_t delay = 99;
    for (mp_op op : {MP_INSERTED, MP_EVICTED}) {
        const mp_tlb_stats before = bench->model.tlb.stats[1];
        mp_req req = request(next_page++, op);
        assert_int_equal(bench->send(req, &delay), MP_DONE);
        assert_int_equal(req.fault, MP_FAULT_NONE);
        assert_int_equal(delay, 0);
        assert_memory_equal(&before, &bench->model.tlb.stats[1], sizeof before);
    }
}

// A module that answers a probe with an error does not have the page.
void test_probes_of_a_foreign_module(void **)
{
    mp_out &out = bench->model.tlb.next[0]; // the TLB's way to it
    uint32_t delay = 0;
    mp_req req = request(next_page++, MP_PROBE);
    bench->below.status = tlm::TLM_COMMAND_ERROR_RESPONSE;
    assert_int_equal(out.target.request(out.target.self, 0, &req, &delay), MP_DONE);
    assert_int_equal(req.source, MP_FROM_NOTHING);
    assert_int_equal(delay, BELOW);
    Attributes a;
    a.source = mp::Source::tlb;
    req = request(next_page++, MP_PROBE);
    bench->below.answer = &a;
    assert_int_equal(out.target.request(out.target.self, 0, &req, &delay), MP_DONE);
    assert_int_equal(req.source, MP_FROM_TLB);
    assert_true(bench->below.asked.op == mp::Op::probe);
}

// A walk that continues to read answers in a separate phase, and ends with what may be stored.
void test_an_early_response(void **)
{
    Pair &pair = bench->pair;
    for (mp_answerer last : {MP_FROM_WALK, MP_FROM_NOTHING}) {
        uint32_t delay;
        unsigned answers = pair.answers;
        mp_req req = request(next_page++, MP_TRANSLATE);
        assert_int_equal(pair.target.request(pair.target.self, 0, &req, &delay), MP_TAKEN);
        pair.answer(MP_FROM_WALK_EARLY, 0x9990000, 0);
        assert_int_equal(pair.answers, answers + 1);
        assert_int_equal(pair.source, MP_FROM_WALK_EARLY);
        assert_int_equal(pair.pa, 0x9990000);
        pair.answer(last, 0x9990000, 7);
        assert_int_equal(pair.answers, answers + 2);
        assert_int_equal(pair.source, last);
        assert_int_equal(pair.span.after, 7);
        assert_int_equal(req.fault, MP_FAULT_NONE);
    }
}

// A model never gets a value of the extension for which it has no room. Such a request ends the run, so that
// this test is the last.
void test_a_request_out_of_range_is_refused(void **)
{
    static const struct {
        unsigned op, tenant, asid, sm, warp;
        const char *failure;
    } wrong[] = {
        {0, 2, 1, 399, 47, "a request of tenant 2; 0, 1"},
        {0, 255, 1, 399, 47, "a request of tenant 255; 0, 1"},
        {0, 1, 2, 399, 47, "a request in address space 2; 0 to 1"},
        {0, 1, 256, 399, 47, "a request in address space 256; 0 to 1"},
        {0, 1, 1, 400, 47, "a request of SM 400; 0 to 399"},
        {0, 1, 1, 399, 48, "a request of warp 48; 0 to 47"},
        {5, 1, 1, 399, 47,
         "a request with operation 5; load, store, atomic, translate, hint, probe, peek, inserted, evicted"},
        {99, 1, 1, 399, 47,
         "a request with operation 99; load, store, atomic, translate, hint, probe, peek, inserted, evicted"},
        {0, 1, 1, 399, 47, ""},
    };
    for (const auto &w : wrong) {
        const mp_tlb_stats before = bench->model.tlb.stats[1];
        auto *p = bench->pool_.get();
        auto *a = p->get_extension<Attributes>();
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time t = sc_core::SC_ZERO_TIME;
        *a = Attributes();
        a->op = static_cast<mp::Op>(w.op);
        a->tenant = static_cast<uint8_t>(w.tenant);
        a->asid = static_cast<uint16_t>(w.asid);
        a->sm = static_cast<uint16_t>(w.sm);
        a->warp = static_cast<uint8_t>(w.warp);
        p->set_address(PAGE * next_page);
        p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        bench->kernel.failure.clear();
        tlm::tlm_sync_enum status = bench->stranger->nb_transport_fw(*p, phase, t);
        std::string all = *w.failure ? std::string("bench.stranger_in: ") + w.failure : "";
        assert_string_equal(bench->kernel.failure.c_str(), all.c_str());
        assert_int_equal(p->get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE, *w.failure != 0);
        assert_int_equal(bench->model.tlb.stats[1].lookups, before.lookups + !*w.failure);
        if (*w.failure)
            assert_int_equal(status, tlm::TLM_COMPLETED);
    }
}

} // namespace

// libsystemc's own main would call this; cmocka needs the test's.
int sc_main(int, char **)
{
    return 0;
}

int main()
{
    bench = std::make_unique<Bench>("bench");
    sc_core::sc_start(cycles(200)); // the blocking caller
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_blocking_transport),
        cmocka_unit_test(test_debug_transport),
        cmocka_unit_test(test_the_request_arrives_whole),
        cmocka_unit_test(test_the_defaults_of_an_answer),
        cmocka_unit_test(test_every_fault_keeps_its_cause_and_level),
        cmocka_unit_test(test_a_whole_answer),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_probes_of_a_foreign_module),
        cmocka_unit_test(test_an_early_response),
        cmocka_unit_test(test_a_request_out_of_range_is_refused),
    };
    return cmocka_run_group_tests_name("wire, fields", tests, nullptr, nullptr);
}
