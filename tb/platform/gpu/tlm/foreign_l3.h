// SPDX-License-Identifier: Apache-2.0
// An L3 TLB as somebody else would write it: plain SystemC, TLM-2.0 base protocol with all four phases, its
// own payloads downwards, no knowledge of mempath but what a payload carries. It never evicts.
#ifndef TB_FOREIGN_L3_H
#define TB_FOREIGN_L3_H

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "gpu/tlm/hook.h"

class ForeignTlb : public sc_core::sc_module, public mp::Foreign
{
  public:
    struct Counts {
        uint64_t requests = 0, hits = 0, walks = 0, answers = 0;
    };

    ForeignTlb(const sc_core::sc_module_name &name, unsigned slices, unsigned instances,
               const sc_core::sc_time &cycle, unsigned page_shift, Counts *counts)
        : sc_module(name), cycle_(cycle), page_shift_(page_shift), counts_(counts)
    {
        for (unsigned i = 0; i < slices; i++)
            up_.push_back(std::make_unique<Up>(("up" + std::to_string(i)).c_str(), *this));
        for (unsigned i = 0; i < instances; i++)
            down_.push_back(std::make_unique<Down>(("down" + std::to_string(i)).c_str(), *this));
    }

    tlm::tlm_target_socket<> &in(uint32_t slice) override { return up_[slice]->socket; }
    tlm::tlm_initiator_socket<> &out(uint32_t instance) override { return down_[instance]->socket; }

  private:
    using Key = std::pair<unsigned, uint64_t>; // address space, virtual page

    // One L2 TLB: a request is accepted 3 cycles after it came and looked up 37 cycles later; responses go
    // out one at a time, each waiting for the end of the one before.
    struct Up : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
        Up(const sc_core::sc_module_name &name, ForeignTlb &owner)
            : sc_module(name), socket("socket"), tlb(owner)
        {
            socket.bind(*this);
            SC_HAS_PROCESS(Up);
            SC_THREAD(requests);
            SC_THREAD(responses);
        }
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                           sc_core::sc_time &) override
        {
            if (phase == tlm::BEGIN_REQ) {
                p.acquire();
                arrived.push_back(&p);
                arrival.notify(sc_core::SC_ZERO_TIME);
                return tlm::TLM_ACCEPTED;
            }
            response_ended = true;
            ended.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_COMPLETED;
        }
        void b_transport(tlm::tlm_generic_payload &, sc_core::sc_time &) override {}
        bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &) override { return false; }
        unsigned transport_dbg(tlm::tlm_generic_payload &) override { return 0; }

        void requests()
        {
            for (;;) {
                while (arrived.empty())
                    sc_core::wait(arrival);
                tlm::tlm_generic_payload *p = arrived.front();
                arrived.pop_front();
                sc_core::wait(3 * tlb.cycle_);
                tlm::tlm_phase phase = tlm::END_REQ;
                sc_core::sc_time t = sc_core::SC_ZERO_TIME;
                socket->nb_transport_bw(*p, phase, t);
                sc_core::wait(37 * tlb.cycle_);
                tlb.lookup(*this, p);
            }
        }
        void responses()
        {
            for (;;) {
                while (ready.empty())
                    sc_core::wait(readiness);
                tlm::tlm_generic_payload *p = ready.front();
                ready.pop_front();
                tlm::tlm_phase phase = tlm::BEGIN_RESP;
                sc_core::sc_time t = sc_core::SC_ZERO_TIME;
                response_ended = false;
                tlb.counts_->answers++;
                if (socket->nb_transport_bw(*p, phase, t) == tlm::TLM_ACCEPTED)
                    while (!response_ended)
                        sc_core::wait(ended);
                p->release();
            }
        }
        void answer(tlm::tlm_generic_payload *p, uint64_t frame)
        {
            uint64_t pa = frame | (p->get_address() & ((1ull << tlb.page_shift_) - 1));
            std::memcpy(p->get_data_ptr(), &pa, 8);
            p->set_response_status(tlm::TLM_OK_RESPONSE);
            ready.push_back(p);
            readiness.notify(sc_core::SC_ZERO_TIME);
        }

        tlm::tlm_target_socket<> socket;
        ForeignTlb &tlb;
        std::deque<tlm::tlm_generic_payload *> arrived, ready;
        sc_core::sc_event arrival, readiness, ended;
        bool response_ended = false;
    };

    // One page-walk system: own payloads, one request at a time until it is accepted, and responses that are
    // ended a cycle after they came.
    struct Down : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
        Down(const sc_core::sc_module_name &name, ForeignTlb &owner)
            : sc_module(name), socket("socket"), tlb(owner)
        {
            socket.bind(*this);
            SC_HAS_PROCESS(Down);
            SC_THREAD(requests);
            SC_THREAD(responses);
        }
        tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                           sc_core::sc_time &) override
        {
            if (phase == tlm::BEGIN_RESP) {
                came.push_back(&p);
                coming.notify(sc_core::SC_ZERO_TIME);
            }
            accepted = true; // END_REQ, or BEGIN_RESP that implies it
            acceptance.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_ACCEPTED;
        }
        void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

        void walk(const Key &key, const mp::Attributes &like)
        {
            auto *p = pool.get();
            p->get_extension<mp::Attributes>()->copy_from(like);
            p->set_command(tlm::TLM_READ_COMMAND);
            p->set_address(key.second << tlb.page_shift_);
            p->set_data_ptr(reinterpret_cast<unsigned char *>(new uint64_t(0)));
            p->set_data_length(8);
            p->set_streaming_width(8);
            p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            waiting.push_back(p);
            work.notify(sc_core::SC_ZERO_TIME);
        }
        void requests()
        {
            for (;;) {
                while (waiting.empty())
                    sc_core::wait(work);
                tlm::tlm_generic_payload *p = waiting.front();
                waiting.pop_front();
                tlm::tlm_phase phase = tlm::BEGIN_REQ;
                sc_core::sc_time t = sc_core::SC_ZERO_TIME;
                accepted = false;
                if (socket->nb_transport_fw(*p, phase, t) == tlm::TLM_ACCEPTED)
                    while (!accepted)
                        sc_core::wait(acceptance);
                sc_core::wait(tlb.cycle_);
            }
        }
        void responses()
        {
            for (;;) {
                while (came.empty())
                    sc_core::wait(coming);
                tlm::tlm_generic_payload *p = came.front();
                came.pop_front();
                sc_core::wait(tlb.cycle_);
                tlm::tlm_phase phase = tlm::END_RESP;
                sc_core::sc_time t = sc_core::SC_ZERO_TIME;
                socket->nb_transport_fw(*p, phase, t);
                auto *a = p->get_extension<mp::Attributes>();
                std::unique_ptr<uint64_t> word(reinterpret_cast<uint64_t *>(p->get_data_ptr()));
                tlb.filled({a->asid, p->get_address() >> tlb.page_shift_}, *word);
                p->release();
            }
        }

        tlm::tlm_initiator_socket<> socket;
        ForeignTlb &tlb;
        mp::PayloadPool pool;
        std::deque<tlm::tlm_generic_payload *> waiting, came;
        sc_core::sc_event work, coming, acceptance;
        bool accepted = false;
    };

    void lookup(Up &from, tlm::tlm_generic_payload *p)
    {
        const auto *a = p->get_extension<mp::Attributes>();
        Key key{a->asid, p->get_address() >> page_shift_};
        counts_->requests++;
        auto known = frames_.find(key);
        if (known != frames_.end()) {
            counts_->hits++;
            from.answer(p, known->second);
            return;
        }
        auto &waiters = missing_[key];
        waiters.push_back({&from, p});
        if (waiters.size() > 1)
            return;
        counts_->walks++;
        down_[a->tenant]->walk(key, *a);
    }

    void filled(const Key &key, uint64_t word)
    {
        uint64_t frame = word >> page_shift_ << page_shift_;
        frames_[key] = frame;
        auto waiters = std::move(missing_[key]);
        missing_.erase(key);
        for (auto &w : waiters)
            w.first->answer(w.second, frame);
    }

    sc_core::sc_time cycle_;
    unsigned page_shift_;
    Counts *counts_;
    std::vector<std::unique_ptr<Up>> up_;
    std::vector<std::unique_ptr<Down>> down_;
    std::map<Key, uint64_t> frames_;
    std::map<Key, std::vector<std::pair<Up *, tlm::tlm_generic_payload *>>> missing_;
};

#endif
