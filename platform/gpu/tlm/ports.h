// SPDX-License-Identifier: Apache-2.0
// The two ends of a link as TLM-2.0 sockets. When both ends are native, the initiator finds the target's C
// functions behind its socket and calls them directly. Otherwise requests on that link are transactions of
// the base protocol, as README.md describes them. The results are the same, cycle for cycle.
#ifndef MP_GPU_PORTS_H
#define MP_GPU_PORTS_H

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <tlm>
#include <utility>
#include <vector>

#include "engine/link.h"
#include "engine/tenant.h"
#include "gpu/run/kernel.h"
#include "gpu/tlm/wire.h"

namespace mp
{

enum class LinkKind { translation, memory };

// A target that can be called without TLM. native() joins the initiator and returns the target's functions.
class NativeTarget
{
  public:
    virtual ~NativeTarget() = default;
    virtual mp_target native(const mp_initiator &up) = 0;
};

// Payloads with the public extension and a private one, of which only the initiator's end knows.
class PayloadPool : public tlm::tlm_mm_interface
{
  public:
    ~PayloadPool() override;
    tlm::tlm_generic_payload *get();
    void free(tlm::tlm_generic_payload *payload) override;
    const std::vector<tlm::tlm_generic_payload *> &all() const { return all_; }

  private:
    std::vector<tlm::tlm_generic_payload *> all_, spare_;
};

// The initiators from which a target accepts requests over TLM: the numbers for which its model has room.
struct Senders {
    uint32_t tenants = (1u << MP_TENANTS) - 1;           // a bit each
    unsigned asids = MP_ASIDS, sms = 65536, warps = 256; // below these
};

class TargetPort : public tlm::tlm_fw_transport_if<>, public NativeTarget
{
  public:
    // up: where the model stores the initiator of this port. debug: an untimed access that returns the number
    // of bytes transferred.
    TargetPort(Kernel &kernel, const char *name, LinkKind kind, mp_target model, mp_initiator *up,
               std::function<unsigned(tlm::tlm_generic_payload &, const Attributes *)> debug,
               const Senders &senders = {}, uint32_t group = 0);
    TargetPort(const TargetPort &) = delete;
    TargetPort &operator=(const TargetPort &) = delete;

    tlm::tlm_target_socket<> socket;

    mp_target native(const mp_initiator &up) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override;
    void b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &t) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload &p) override;

  private:
    struct Transaction { // a payload in the model; the owner of its request
        mp_req request;
        tlm::tlm_generic_payload *payload;
        sc_core::sc_event *blocking;
    };
    bool allows(const Attributes &a) const;
    void refuse(tlm::tlm_generic_payload &p, const Attributes &a);
    bool check(tlm::tlm_generic_payload &p);
    Transaction *begin(tlm::tlm_generic_payload &p);
    void write_result(Transaction *t);
    void respond_early(Transaction *t);
    void finish(Transaction *t);
    void answer(Transaction *t);
    void send_responses();
    static void respond(void *self, mp_req *req);
    static void resume(void *self, unsigned port);
    static void begin_later(void *self, void *payload);
    tlm::tlm_sync_enum begin_now(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase, sc_core::sc_time &t);

    Kernel &kernel_;
    mp_wheel *wheel_;
    LinkKind kind_;
    mp_target model_;
    mp_initiator *up_;
    std::function<unsigned(tlm::tlm_generic_payload &, const Attributes *)> debug_;
    Senders senders_;
    tlm::tlm_generic_payload *held_ = nullptr;
    std::deque<tlm::tlm_generic_payload *> responses_; // each waits for the END_RESP of the one before it
    bool responding_ = false;
    std::vector<std::unique_ptr<Transaction>> transactions_;
    std::vector<Transaction *> spare_;
};

class InitiatorPort : public tlm::tlm_bw_transport_if<>
{
  public:
    // model: the initiator's functions. install: gives the model its target. bytes: length of a data access.
    // group: in which the port is used, that of the target.
    InitiatorPort(Kernel &kernel, PayloadPool &pool, const char *name, LinkKind kind, mp_initiator model,
                  std::function<void(mp_target)> install, unsigned bytes, uint32_t group = 0);
    InitiatorPort(const InitiatorPort &) = delete;
    InitiatorPort &operator=(const InitiatorPort &) = delete;

    tlm::tlm_initiator_socket<> socket;

    // To be called when all sockets are bound. Installs the native call if the target has one, unless
    // force_tlm.
    void connect(bool force_tlm);
    // Calls `show` for each request that went over the socket and has no answer.
    void each_pending(const std::function<void(const mp_req &)> &show) const;

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                       sc_core::sc_time &t) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  private:
    struct Pending : tlm::tlm_extension<Pending> { // what the initiator knows of a payload of the pool
        mp_req *request = nullptr;                 // nullptr once it is answered; others may keep the payload
        uint64_t word = 0;                         // data of an 8-byte transfer
        bool accepted = false;                     // END_REQ has come
        tlm::tlm_extension_base *clone() const override { return new Pending(*this); }
        void copy_from(const tlm::tlm_extension_base &other) override
        {
            *this = static_cast<const Pending &>(other);
        }
    };
    friend class PayloadPool;

    static mp_answer request(void *self, unsigned port, mp_req *req, uint32_t *delay);
    static void deliver(void *self, void *payload);
    static void resume_later(void *self, void *unused);
    static void end_response(void *self, void *payload);
    tlm::tlm_generic_payload *wrap(mp_req *req);
    void unwrap(tlm::tlm_generic_payload &p, mp_req *req);
    void count_nothing(mp_req *req);
    void accept(Pending *pending, uint64_t delay);

    Kernel &kernel_;
    mp_wheel *wheel_;
    PayloadPool &pool_;
    LinkKind kind_;
    mp_initiator model_;
    std::function<void(mp_target)> install_;
    unsigned bytes_;
    std::map<std::pair<unsigned, uint64_t>, unsigned> nothing_; // by address space and address: in a row
};

} // namespace mp

#endif
