// SPDX-License-Identifier: Apache-2.0
#include "gpu/ports.h"

#include <cstring>

namespace mp
{

namespace
{
unsigned char blank_line[4096]; // data is not modelled, but a payload must point somewhere
} // namespace

// --- payloads
// -------------------------------------------------------------------------------------------------

PayloadPool::~PayloadPool()
{
    for (auto *p : all_)
        delete p;
}

tlm::tlm_generic_payload *PayloadPool::get()
{
    if (spare_.empty()) {
        auto *p = new tlm::tlm_generic_payload(this);
        p->set_extension(new Attributes);
        all_.push_back(p);
        spare_.push_back(p);
    }
    auto *p = spare_.back();
    spare_.pop_back();
    p->acquire();
    return p;
}

void PayloadPool::free(tlm::tlm_generic_payload *p)
{
    spare_.push_back(p);
}

// --- target
// -----------------------------------------------------------------------------------------------------

TargetPort::TargetPort(Kernel &kernel, const char *name, LinkKind kind, mp_target model, mp_initiator *up,
                       std::function<unsigned(tlm::tlm_generic_payload &, const Attributes *)> debug)
    : socket(name), kernel_(kernel), kind_(kind), model_(model), up_(up), debug_(std::move(debug))
{
    socket.bind(*this);
    *up_ = mp_initiator{respond, resume, this, 0};
}

mp_target TargetPort::native(const mp_initiator &up)
{
    *up_ = up;
    return model_;
}

TargetPort::Transaction *TargetPort::begin(tlm::tlm_generic_payload &p)
{
    if (spare_.empty()) {
        transactions_.push_back(std::make_unique<Transaction>());
        spare_.push_back(transactions_.back().get());
    }
    Transaction *t = spare_.back();
    spare_.pop_back();
    const Attributes *a = p.get_extension<Attributes>();
    t->request = a ? a->request : mp_req{};
    if (!a) { // a stranger's access
        (kind_ == LinkKind::translation ? t->request.va : t->request.pa) = p.get_address();
        t->request.op = kind_ == LinkKind::translation ? MP_TRANSLATE : p.is_write() ? MP_STORE : MP_LOAD;
    }
    t->request.owner = t;
    t->request.next = t->request.more = nullptr;
    t->payload = &p;
    t->blocking = nullptr;
    return t;
}

// The result goes into the payload.
void TargetPort::finish(Transaction *t)
{
    tlm::tlm_generic_payload &p = *t->payload;
    if (kind_ == LinkKind::translation && p.get_data_length() >= 8)
        std::memcpy(p.get_data_ptr(), &t->request.pa, 8);
    bool fault = t->request.fault;
    p.set_response_status(fault ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    spare_.push_back(t);
}

tlm::tlm_sync_enum TargetPort::begin_now(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                         sc_core::sc_time &time)
{
    Transaction *t = begin(p);
    uint32_t delay = 0;
    switch (model_.request(model_.self, model_.port, &t->request, &delay)) {
    case MP_DONE:
        finish(t);
        time += kernel_.time(delay);
        return tlm::TLM_COMPLETED;
    case MP_TAKEN:
        p.acquire();
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    default:
        p.acquire();
        held_ = &p;
        return tlm::TLM_ACCEPTED;
    }
}

// A request whose annotated delay is over: what the initiator would have seen as the return value goes back
// as calls.
void TargetPort::begin_later(void *self, void *payload)
{
    auto *port = static_cast<TargetPort *>(self);
    auto &p = *static_cast<tlm::tlm_generic_payload *>(payload);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    tlm::tlm_sync_enum status = port->begin_now(p, phase, t);
    if (status == tlm::TLM_ACCEPTED) {
        p.release();
        return;
    }
    if (status == tlm::TLM_UPDATED) {
        port->socket->nb_transport_bw(p, phase, t);
        p.release();
        return;
    }
    // Answered at once: BEGIN_RESP carries the delay and implies END_REQ.
    phase = tlm::BEGIN_RESP;
    if (port->socket->nb_transport_bw(p, phase, t) == tlm::TLM_ACCEPTED)
        port->responding_ = true;
    p.release();
}

tlm::tlm_sync_enum TargetPort::nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                               sc_core::sc_time &t)
{
    kernel_.enter();
    tlm::tlm_sync_enum status = tlm::TLM_COMPLETED;
    if (phase == tlm::BEGIN_REQ && t == sc_core::SC_ZERO_TIME) {
        status = begin_now(p, phase, t);
    } else if (phase == tlm::BEGIN_REQ) {
        p.acquire();
        mp_at(kernel_.wheel(), kernel_.cycles(t), begin_later, this, &p);
        status = tlm::TLM_ACCEPTED;
    } else if (phase == tlm::END_RESP) {
        responding_ = false;
        send_responses();
    } else {
        SC_REPORT_ERROR("/mempath/port",
                        "phase out of the base protocol; BEGIN_REQ and END_RESP come this way");
    }
    kernel_.leave();
    return status;
}

void TargetPort::send_responses()
{
    while (!responding_ && !responses_.empty()) {
        tlm::tlm_generic_payload *p = responses_.front();
        responses_.pop_front();
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time t = sc_core::SC_ZERO_TIME;
        tlm::tlm_sync_enum status = socket->nb_transport_bw(*p, phase, t);
        responding_ = status == tlm::TLM_ACCEPTED;
        p->release();
    }
}

void TargetPort::respond(void *self, mp_req *req)
{
    auto *port = static_cast<TargetPort *>(self);
    auto *t = static_cast<Transaction *>(req->owner);
    tlm::tlm_generic_payload *p = t->payload;
    sc_core::sc_event *blocking = t->blocking;
    port->finish(t);
    if (blocking) {
        blocking->notify(sc_core::SC_ZERO_TIME);
        return;
    }
    port->responses_.push_back(p);
    port->send_responses();
}

void TargetPort::resume(void *self, unsigned)
{
    auto *port = static_cast<TargetPort *>(self);
    tlm::tlm_generic_payload *p = port->held_;
    if (!p)
        return; // a blocking caller waits for its response alone
    port->held_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    port->socket->nb_transport_bw(*p, phase, t);
}

void TargetPort::b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &t)
{
    sc_core::wait(t);
    t = sc_core::SC_ZERO_TIME;
    kernel_.watch();
    kernel_.enter();
    Transaction *transaction = begin(p);
    sc_core::sc_event done;
    transaction->blocking = &done;
    uint32_t delay = 0;
    mp_answer answer = model_.request(model_.self, model_.port, &transaction->request, &delay);
    if (answer == MP_DONE)
        finish(transaction);
    kernel_.leave();
    if (answer == MP_DONE)
        sc_core::wait(kernel_.time(delay));
    else
        sc_core::wait(done);
}

unsigned TargetPort::transport_dbg(tlm::tlm_generic_payload &p)
{
    return debug_ ? debug_(p, p.get_extension<Attributes>()) : 0;
}

// --- initiator
// --------------------------------------------------------------------------------------------------

InitiatorPort::InitiatorPort(Kernel &kernel, PayloadPool &pool, const char *name, LinkKind kind,
                             mp_initiator model, std::function<void(mp_target)> install, unsigned bytes)
    : socket(name), kernel_(kernel), pool_(pool), kind_(kind), model_(model), install_(std::move(install)),
      bytes_(bytes)
{
    socket.bind(*this);
}

void InitiatorPort::connect(bool force_tlm)
{
    auto *native = dynamic_cast<NativeTarget *>(socket.operator->());
    if (native && !force_tlm) {
        install_(native->native(model_));
        return;
    }
    kernel_.watch();
    install_(mp_target{request, this, 0});
}

tlm::tlm_generic_payload *InitiatorPort::wrap(mp_req *req)
{
    tlm::tlm_generic_payload *p = pool_.get();
    auto *a = p->get_extension<Attributes>();
    bool translation = kind_ == LinkKind::translation;
    a->request = *req;
    a->request.owner = req; // found again when the response comes
    a->word = 0;
    a->accepted = false;
    p->set_command(!translation && (req->op == MP_STORE || req->op == MP_WRITEBACK) ? tlm::TLM_WRITE_COMMAND
                                                                                    : tlm::TLM_READ_COMMAND);
    p->set_address(translation ? req->va : req->pa);
    p->set_data_ptr(translation ? reinterpret_cast<unsigned char *>(&a->word) : blank_line);
    p->set_data_length(translation ? 8 : bytes_);
    p->set_streaming_width(p->get_data_length());
    p->set_byte_enable_ptr(nullptr);
    p->set_dmi_allowed(false);
    p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return p;
}

void InitiatorPort::unwrap(tlm::tlm_generic_payload &p, mp_req *req) const
{
    if (kind_ != LinkKind::translation)
        return;
    req->fault = p.is_response_error();
    req->pa = p.get_extension<Attributes>()->word;
}

mp_answer InitiatorPort::request(void *self, unsigned, mp_req *req, uint32_t *delay)
{
    auto *port = static_cast<InitiatorPort *>(self);
    tlm::tlm_generic_payload *p = port->wrap(req);
    auto *a = p->get_extension<Attributes>();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    tlm::tlm_sync_enum status = port->socket->nb_transport_fw(*p, phase, t);
    uint64_t cycles = port->kernel_.cycles(t);
    if (status == tlm::TLM_ACCEPTED)
        return MP_HELD;
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ && !cycles) {
        a->accepted = true;
        return MP_TAKEN;
    }
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        port->accept(a, cycles);
        return MP_HELD;
    }
    *delay = static_cast<uint32_t>(cycles);
    port->unwrap(*p, req);
    if (status == tlm::TLM_UPDATED) // BEGIN_RESP: its end is still to be told
        mp_at(port->kernel_.wheel(), cycles, end_response, port, p);
    else
        p->release();
    return MP_DONE;
}

// The target has accepted the request, `delay` cycles from now the link is free again.
void InitiatorPort::accept(Attributes *a, uint64_t delay)
{
    a->accepted = true;
    if (delay)
        mp_at(kernel_.wheel(), delay, resume_later, this, nullptr);
    else
        model_.resume(model_.self, model_.port);
}

void InitiatorPort::resume_later(void *self, void *)
{
    auto *port = static_cast<InitiatorPort *>(self);
    port->model_.resume(port->model_.self, port->model_.port);
}

void InitiatorPort::end_response(void *self, void *payload)
{
    auto *port = static_cast<InitiatorPort *>(self);
    auto *p = static_cast<tlm::tlm_generic_payload *>(payload);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    port->socket->nb_transport_fw(*p, phase, t);
    p->release();
}

void InitiatorPort::deliver(void *self, void *payload)
{
    auto *port = static_cast<InitiatorPort *>(self);
    auto *p = static_cast<tlm::tlm_generic_payload *>(payload);
    auto *req = static_cast<mp_req *>(p->get_extension<Attributes>()->request.owner);
    port->unwrap(*p, req);
    p->release();
    port->model_.response(port->model_.self, req);
}

tlm::tlm_sync_enum InitiatorPort::nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                                  sc_core::sc_time &t)
{
    auto *a = p.get_extension<Attributes>();
    tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
    kernel_.enter();
    if (phase == tlm::END_REQ) {
        accept(a, kernel_.cycles(t));
    } else if (phase == tlm::BEGIN_RESP) {
        if (!a->accepted)
            accept(a, 0);
        if (uint64_t delay = kernel_.cycles(t))
            mp_at(kernel_.wheel(), delay, deliver, this, &p);
        else
            deliver(this, &p);
        status = tlm::TLM_COMPLETED;
    } else {
        SC_REPORT_ERROR("/mempath/port",
                        "phase out of the base protocol; END_REQ and BEGIN_RESP come this way");
    }
    kernel_.leave();
    return status;
}

} // namespace mp
