// SPDX-License-Identifier: Apache-2.0
// A traffic generator in the place of each SM: it asks the L1 TLB for the translation of a random address,
// then the L1 data cache for the line at the physical address that it got.
//
//   traffic FILE.yaml RESULTS.db REQUESTS
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mempath/mempath.h>
#include <stdexcept>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace
{

using Payload = tlm::tlm_generic_payload;

constexpr uint64_t page_bytes = 64 << 10, pages = 4096; // that each tenant has
constexpr unsigned line_bytes = 128, window = 16;       // window: requests of an SM in flight

struct Counts {
    uint64_t translations = 0, loads = 0, stores = 0, answers = 0, wrong = 0;
};

// A link: sends requests in their order, the next one only when the target has accepted the one before.
class Port : public sc_core::sc_module
{
  public:
    using Answered = std::function<void(Payload &)>;
    Port(const sc_core::sc_module_name &name, Answered answered)
        : sc_module(name), socket("socket"), answered_(std::move(answered)), answers_(this, &Port::answer)
    {
        socket.register_nb_transport_bw(this, &Port::nb_transport_bw);
        SC_HAS_PROCESS(Port);
        SC_METHOD(send);
        sensitive << ready_;
        dont_initialize();
    }
    tlm_utils::simple_initiator_socket<Port> socket;

    void request(Payload &p)
    {
        waiting_.push_back(&p);
        ready_.notify(sc_core::SC_ZERO_TIME);
    }

  private:
    void send()
    {
        while (!held_ && !waiting_.empty()) {
            Payload &p = *waiting_.front();
            waiting_.pop_front();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time t = sc_core::SC_ZERO_TIME;
            tlm::tlm_sync_enum status = socket->nb_transport_fw(p, phase, t);
            if (status == tlm::TLM_COMPLETED)
                answers_.notify(p, tlm::BEGIN_RESP, t);
            else if (status == tlm::TLM_ACCEPTED)
                held_ = &p;
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &p, tlm::tlm_phase &phase, sc_core::sc_time &t)
    {
        if (held_ == &p && (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)) {
            held_ = nullptr;
            ready_.notify(t);
        }
        if (phase != tlm::BEGIN_RESP)
            return tlm::TLM_ACCEPTED;
        answers_.notify(p, phase, t);
        return tlm::TLM_COMPLETED;
    }
    void answer(Payload &p, const tlm::tlm_phase &) { answered_(p); }

    Answered answered_;
    tlm_utils::peq_with_cb_and_phase<Port> answers_;
    std::deque<Payload *> waiting_;
    Payload *held_ = nullptr;
    sc_core::sc_event ready_;
};

// Takes the place of an SM, whose links are one to an L1 TLB and one to an L1 data cache.
class Generator : public sc_core::sc_module, public mp::Foreign, public tlm::tlm_mm_interface
{
  public:
    Generator(const mp::Site &site, const sc_core::sc_module_name &name, uint64_t requests, Counts &counts)
        : sc_module(name), site_(site), left_(requests), random_(site.block().first_sm + 1), counts_(counts),
          translate_("translate", [this](Payload &p) { translated(p); }),
          data_("data", [this](Payload &p) { loaded(p); })
    {
        SC_HAS_PROCESS(Generator);
        SC_METHOD(begin);
    }
    tlm::tlm_target_socket<> &in(uint32_t) override { throw std::logic_error("an SM has no targets"); }
    tlm::tlm_initiator_socket<> &out(uint32_t link) override
    {
        return site_.out(link).kind == MP_LINK_TRANSLATION ? translate_.socket : data_.socket;
    }

    void free(Payload *p) override { delete p; } // and its extension

  private:
    void begin()
    {
        for (unsigned i = 0; i < window; i++)
            next();
    }
    uint64_t random()
    {
        random_ = random_ * 6364136223846793005u + 1442695040888963407u;
        return random_ >> 33;
    }
    Payload &make(mp::Op op, uint64_t address, unsigned char *bytes, unsigned length)
    {
        auto *p = new Payload(this);
        auto *a = new mp::Attributes;
        p->acquire();
        a->op = op;
        a->tenant = static_cast<uint8_t>(__builtin_ctz(site_.block().tenants));
        a->asid = a->tenant;
        a->sm = static_cast<uint16_t>(site_.block().first_sm);
        p->set_extension(a);
        p->set_command(op == mp::Op::store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p->set_address(address);
        p->set_data_ptr(bytes);
        p->set_data_length(length);
        p->set_streaming_width(length);
        return *p;
    }
    void next()
    {
        if (!left_)
            return;
        left_--;
        counts_.translations++;
        uint64_t va = random() % pages * page_bytes + random() % page_bytes;
        mp::Op op = random() % 4 ? mp::Op::load : mp::Op::store;
        auto *word = new uint64_t(0);
        translate_.request(make(op, va, reinterpret_cast<unsigned char *>(word), sizeof *word));
    }
    void translated(Payload &p)
    {
        auto *word = reinterpret_cast<uint64_t *>(p.get_data_ptr());
        const auto *a = p.get_extension<mp::Attributes>();
        const uint64_t pa = *word;
        bool right = p.is_response_ok();
        // What the page table says, without time.
        right = right && translate_.socket->transport_dbg(p) == sizeof *word && *word == pa;
        counts_.wrong += !right;
        Payload &access = make(a->op, pa, line_, line_bytes);
        access.get_extension<mp::Attributes>()->virtual_address = p.get_address();
        (a->op == mp::Op::store ? counts_.stores : counts_.loads)++;
        data_.request(access);
        delete word;
        p.release();
    }
    void loaded(Payload &p)
    {
        counts_.wrong += !p.is_response_ok();
        counts_.answers++;
        p.release();
        next();
    }

    mp::Site site_;
    uint64_t left_, random_;
    Counts &counts_;
    Port translate_, data_;
    unsigned char line_[line_bytes] = {0};
};

int fail(const std::string &why)
{
    std::fprintf(stderr, "traffic: %s\n", why.c_str());
    return 1;
}

} // namespace

int sc_main(int argc, char **argv)
{
    if (argc != 4)
        return fail("FILE.yaml RESULTS.db REQUESTS, the number of requests of an SM");
    const uint64_t requests = std::strtoull(argv[3], nullptr, 10);
    Counts counts;
    mp::Machine gpu;
    gpu.hooks.add<mp::ForeignHook>("gpu.*.sm*[0-9]", [&](const mp::Site &site, const std::string &name) {
        return std::make_unique<Generator>(site, name.c_str(), requests, counts);
    });
    if (!gpu.open({argv[1], "", {}, argv[2]}) || !gpu.build("gpu"))
        return fail(gpu.error());
    for (unsigned tenant = 0; tenant < 2; tenant++)
        if (!gpu.map(tenant, 0, pages * page_bytes))
            return fail(gpu.error());
    if (!gpu.run())
        return fail(gpu.error());

    // What the GPU has counted is what was sent.
    const uint64_t data = counts.loads + counts.stores;
    std::printf("run %" PRId64 ", digest %s: %" PRIu64 " translations, %" PRIu64 " loads, %" PRIu64
                " stores in %" PRIu64 " cycles, %" PRIu64 " wrong\n",
                gpu.run_id(), gpu.digest().c_str(), counts.translations, counts.loads, counts.stores,
                gpu.cycles(), counts.wrong);
    if (counts.wrong || counts.answers != counts.translations)
        return fail("wrong or missing answers");
    if (gpu.counter("gpu.*.l1_tlb", "lookups") != counts.translations ||
        gpu.counter("gpu.*.l1d", "lookups") != data || gpu.counter("gpu.*.l1d", "stores") != counts.stores)
        return fail("the GPU has counted other requests");
    return 0;
}
