// SPDX-License-Identifier: Apache-2.0
// Modules as a third party would write them, from platform/gpu/README.md: plain SystemC, TLM-2.0 and the
// extension in wire.h, nothing else. Forward passes requests on after a number of cycles, Fixed answers them
// after a number of cycles; either can take the place of a block. Source takes the place of an SM.
#ifndef TB_FOREIGN_H
#define TB_FOREIGN_H

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "gpu/tlm/wire.h"

namespace foreign
{

using Payload = tlm::tlm_generic_payload;

struct Counts {
    uint64_t requests = 0, answers = 0;
    uint64_t least = UINT64_MAX; // shortest time from a request to its answer, in cycles
};

// Payloads that are due at some time, in order of time and arrival; `serve` is called for each when it is
// due.
class Due : public sc_core::sc_module
{
  public:
    Due(const sc_core::sc_module_name &name, std::function<void(Payload *)> serve)
        : sc_module(name), serve_(std::move(serve))
    {
        SC_HAS_PROCESS(Due);
        SC_METHOD(run);
        sensitive << event_;
        dont_initialize();
    }
    void at(const sc_core::sc_time &when, Payload *p)
    {
        queue_.emplace(when, p);
        event_.notify(when - sc_core::sc_time_stamp());
    }

  private:
    void run()
    {
        while (!queue_.empty() && queue_.begin()->first <= sc_core::sc_time_stamp()) {
            Payload *p = queue_.begin()->second;
            queue_.erase(queue_.begin());
            serve_(p);
        }
        if (!queue_.empty())
            event_.notify(queue_.begin()->first - sc_core::sc_time_stamp());
    }
    std::function<void(Payload *)> serve_;
    std::multimap<sc_core::sc_time, Payload *> queue_;
    sc_core::sc_event event_;
};

// A target socket that accepts every request in the call and sends its answers one at a time.
class In : public sc_core::sc_module, public tlm::tlm_fw_transport_if<>
{
  public:
    In(const sc_core::sc_module_name &name,
       std::function<void(In *, Payload *, const sc_core::sc_time &)> take)
        : sc_module(name), socket("socket"), take_(std::move(take))
    {
        socket.bind(*this);
    }
    tlm::tlm_target_socket<> socket;

    tlm::tlm_sync_enum nb_transport_fw(Payload &p, tlm::tlm_phase &phase, sc_core::sc_time &t) override
    {
        if (phase == tlm::END_RESP) {
            responding_ = false;
            send();
            return tlm::TLM_COMPLETED;
        }
        auto *a = p.get_extension<mp::Attributes>();
        if (a && a->op == mp::Op::probe) { // it has no translations
            a->source = mp::Source::nothing;
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        p.acquire();
        take_(this, &p, t);
        t = sc_core::SC_ZERO_TIME;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void answer(Payload *p)
    {
        answers_.push_back(p);
        send();
    }
    void b_transport(Payload &, sc_core::sc_time &) override {}
    bool get_direct_mem_ptr(Payload &, tlm::tlm_dmi &) override { return false; }
    unsigned transport_dbg(Payload &) override { return 0; }

  private:
    void send()
    {
        while (!responding_ && !answers_.empty()) {
            Payload *p = answers_.front();
            answers_.pop_front();
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time t = sc_core::SC_ZERO_TIME;
            responding_ = true; // the call may bring the next answer
            if (socket->nb_transport_bw(*p, phase, t) == tlm::TLM_COMPLETED)
                responding_ = false;
            p->release();
        }
    }
    std::function<void(In *, Payload *, const sc_core::sc_time &)> take_;
    std::deque<Payload *> answers_;
    bool responding_ = false;
};

// An initiator socket. Requests wait in order while the target has not accepted the one before; `answered` is
// called with the time at which the answer is valid.
class Out : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>
{
  public:
    using Answered = std::function<void(Payload *, const sc_core::sc_time &)>;

    Out(const sc_core::sc_module_name &name, Answered answered)
        : sc_module(name), socket("socket"), answered_(std::move(answered))
    {
        socket.bind(*this);
        SC_HAS_PROCESS(Out);
        SC_METHOD(send);
        sensitive << free_;
        dont_initialize();
    }
    tlm::tlm_initiator_socket<> socket;

    void request(Payload *p)
    {
        waiting_.push_back(p);
        send();
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload &p, tlm::tlm_phase &phase, sc_core::sc_time &t) override
    {
        if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP)
            return tlm::TLM_ACCEPTED; // an ignorable phase
        if (held_ == &p) {            // BEGIN_RESP implies END_REQ
            held_ = nullptr;
            free_.notify(t);
        }
        if (phase != tlm::BEGIN_RESP)
            return tlm::TLM_ACCEPTED;
        answered_(&p, sc_core::sc_time_stamp() + t);
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  private:
    void send()
    {
        while (!held_ && !waiting_.empty()) {
            Payload *p = waiting_.front();
            waiting_.pop_front();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time t = sc_core::SC_ZERO_TIME;
            tlm::tlm_sync_enum status = socket->nb_transport_fw(*p, phase, t);
            bool answered =
                status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
            if (status == tlm::TLM_ACCEPTED)
                held_ = p;
            if (status == tlm::TLM_UPDATED && answered) {
                tlm::tlm_phase end = tlm::END_RESP;
                sc_core::sc_time now = sc_core::SC_ZERO_TIME;
                socket->nb_transport_fw(*p, end, now);
            }
            if (answered)
                answered_(p, sc_core::sc_time_stamp() + t);
        }
    }
    Answered answered_;
    sc_core::sc_event free_;
    std::deque<Payload *> waiting_;
    Payload *held_ = nullptr;
};

// Answers every request after `delay` cycles, with data and status alone. A translation of address A in
// address space S is A + (S << 32).
class Fixed : public sc_core::sc_module
{
  public:
    Fixed(const sc_core::sc_module_name &name, unsigned ins, unsigned delay, const sc_core::sc_time &cycle,
          Counts *counts)
        : sc_module(name), cycle_(cycle), delay_(delay), counts_(counts),
          due_("due", [this](Payload *p) { answer(p); })
    {
        for (unsigned i = 0; i < ins; i++)
            in_.push_back(std::make_unique<In>(
                ("in" + std::to_string(i)).c_str(),
                [this](In *from, Payload *p, const sc_core::sc_time &t) { take(from, p, t); }));
    }
    tlm::tlm_target_socket<> &in(unsigned i) { return in_[i]->socket; }

  private:
    void take(In *from, Payload *p, const sc_core::sc_time &t)
    {
        from_[p] = from;
        counts_->requests++;
        counts_->least = std::min<uint64_t>(counts_->least, delay_);
        due_.at(sc_core::sc_time_stamp() + t + delay_ * cycle_, p);
    }
    void answer(Payload *p)
    {
        if (p->get_data_length() == 8) {
            const auto *a = p->get_extension<mp::Attributes>();
            uint64_t pa = p->get_address() + (static_cast<uint64_t>(a ? a->asid : 0) << 32);
            std::memcpy(p->get_data_ptr(), &pa, 8);
        }
        p->set_response_status(tlm::TLM_OK_RESPONSE);
        counts_->answers++;
        In *from = from_[p];
        from_.erase(p);
        from->answer(p);
    }
    sc_core::sc_time cycle_;
    unsigned delay_;
    Counts *counts_;
    Due due_;
    std::vector<std::unique_ptr<In>> in_;
    std::map<Payload *, In *> from_;
};

// Passes every payload on after `delay` cycles, and its answer back at once. Several links out: `route`
// chooses.
class Forward : public sc_core::sc_module
{
  public:
    using Route = std::function<unsigned(const Payload &)>;

    Forward(const sc_core::sc_module_name &name, unsigned ins, unsigned outs, unsigned delay,
            const sc_core::sc_time &cycle, Counts *counts, Route route = nullptr)
        : sc_module(name), cycle_(cycle), delay_(delay), counts_(counts), route_(std::move(route)),
          due_("due", [this](Payload *p) { pass_on(p); }), back_("back", [this](Payload *p) { answer(p); })
    {
        for (unsigned i = 0; i < ins; i++)
            in_.push_back(std::make_unique<In>(
                ("in" + std::to_string(i)).c_str(),
                [this](In *from, Payload *p, const sc_core::sc_time &t) { take(from, p, t); }));
        for (unsigned i = 0; i < outs; i++)
            out_.push_back(std::make_unique<Out>(
                ("out" + std::to_string(i)).c_str(),
                [this](Payload *p, const sc_core::sc_time &when) { back_.at(when, p); }));
    }
    tlm::tlm_target_socket<> &in(unsigned i) { return in_[i]->socket; }
    tlm::tlm_initiator_socket<> &out(unsigned i) { return out_[i]->socket; }

  private:
    void take(In *from, Payload *p, const sc_core::sc_time &t)
    {
        from_[p] = {from, sc_core::sc_time_stamp() + t};
        counts_->requests++;
        due_.at(sc_core::sc_time_stamp() + t + delay_ * cycle_, p);
    }
    void pass_on(Payload *p) { out_[route_ ? route_(*p) : 0]->request(p); }
    void answer(Payload *p)
    {
        auto from = from_[p];
        from_.erase(p);
        counts_->answers++;
        counts_->least = std::min<uint64_t>(counts_->least, (sc_core::sc_time_stamp() - from.second).value() /
                                                                cycle_.value());
        from.first->answer(p);
    }
    sc_core::sc_time cycle_;
    unsigned delay_;
    Counts *counts_;
    Route route_;
    Due due_, back_;
    std::vector<std::unique_ptr<In>> in_;
    std::vector<std::unique_ptr<Out>> out_;
    std::map<Payload *, std::pair<In *, sc_core::sc_time>> from_;
};

// The place of an SM: asks for translations and then for the data at each. It owns its payloads.
class Source : public sc_core::sc_module, public tlm::tlm_mm_interface
{
  public:
    struct Job {
        uint64_t va = 0;
        unsigned asid = 0, gap = 0; // cycles after the job before; alone: after its answer
        bool alone = false, store = false;
        uint64_t pa = 0, translated = 0, loaded = 0; // results; cycles from request to answer
        bool ok = false;
    };

    Source(const sc_core::sc_module_name &name, const sc_core::sc_time &cycle, unsigned line,
           std::vector<Job> *jobs)
        : sc_module(name),
          translate("translate", [this](Payload *p, const sc_core::sc_time &t) { translated_.at(t, p); }),
          data("data", [this](Payload *p, const sc_core::sc_time &t) { loaded_.at(t, p); }), cycle_(cycle),
          jobs_(jobs), line_(line), translated_("translated", [this](Payload *p) { translated(p); }),
          loaded_("loaded", [this](Payload *p) { loaded(p); })
    {
        SC_HAS_PROCESS(Source);
        SC_THREAD(run);
    }
    Out translate, data;
    uint64_t answered = 0;

    void free(Payload *p) override { delete p; }

  private:
    struct Word : tlm::tlm_extension<Word> { // the job of a payload, and its data
        size_t job = 0;
        sc_core::sc_time sent;
        uint64_t pa = 0;
        tlm_extension_base *clone() const override { return new Word(*this); }
        void copy_from(const tlm_extension_base &other) override { *this = static_cast<const Word &>(other); }
    };

    void run()
    {
        for (size_t i = 0; i < jobs_->size(); i++) {
            const Job &job = (*jobs_)[i];
            while (job.alone && answered < i)
                sc_core::wait(done_);
            sc_core::wait(job.gap * cycle_);
            translate.request(payload(i, mp::Op::load, job.va, 8, nullptr));
        }
    }
    Payload *payload(size_t number, mp::Op op, uint64_t address, unsigned bytes, unsigned char *bytes_at)
    {
        const Job &job = (*jobs_)[number];
        auto *p = new Payload(this);
        auto *word = new Word;
        auto *a = new mp::Attributes;
        p->acquire();
        word->job = number;
        word->sent = sc_core::sc_time_stamp();
        a->op = op;
        a->asid = static_cast<uint16_t>(job.asid);
        a->tenant = static_cast<uint8_t>(job.asid);
        a->virtual_address = job.va;
        p->set_extension(word);
        p->set_extension(a);
        p->set_command(op == mp::Op::store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        p->set_address(address);
        p->set_data_ptr(bytes_at ? bytes_at : reinterpret_cast<unsigned char *>(&word->pa));
        p->set_data_length(bytes);
        p->set_streaming_width(bytes);
        p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return p;
    }
    uint64_t cycles_of(const Payload *p) const
    {
        return (sc_core::sc_time_stamp() - p->get_extension<Word>()->sent).value() / cycle_.value();
    }
    void translated(Payload *p)
    {
        const Word *word = p->get_extension<Word>();
        Job &job = (*jobs_)[word->job];
        job.ok = p->is_response_ok();
        job.pa = word->pa;
        job.translated = cycles_of(p);
        data.request(payload(word->job, job.store ? mp::Op::store : mp::Op::load, job.pa, line_, bytes_));
        p->release();
    }
    void loaded(Payload *p)
    {
        Job &job = (*jobs_)[p->get_extension<Word>()->job];
        job.ok = job.ok && p->is_response_ok();
        job.loaded = cycles_of(p);
        answered++;
        done_.notify(sc_core::SC_ZERO_TIME);
        p->release();
    }
    sc_core::sc_time cycle_;
    std::vector<Job> *jobs_;
    unsigned line_;
    Due translated_, loaded_;
    sc_core::sc_event done_;
    unsigned char bytes_[4096] = {0};
};

} // namespace foreign

#endif
