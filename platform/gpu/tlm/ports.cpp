// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/ports.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

namespace mp
{

namespace
{

unsigned char blank_line[4096]; // data is not modelled, but a payload must point to some

#define SAME(name, internal) static_assert(static_cast<int>(name) == static_cast<int>(internal), #internal)
SAME(Op::load, MP_LOAD);
SAME(Op::store, MP_STORE);
SAME(Op::atomic, MP_ATOMIC);
SAME(Op::translate, MP_TRANSLATE);
SAME(Op::pte_read, MP_PTE_READ);
SAME(Op::writeback, MP_WRITEBACK);
SAME(Op::hint, MP_HINT);
SAME(Op::probe, MP_PROBE);
SAME(Op::peek, MP_PEEK);
SAME(Op::inserted, MP_INSERTED);
SAME(Op::evicted, MP_EVICTED);
SAME(Source::nothing, MP_FROM_NOTHING);
SAME(Source::tlb, MP_FROM_TLB);
SAME(Source::walk, MP_FROM_WALK);
SAME(Source::left, MP_FROM_LEFT);
SAME(Source::right, MP_FROM_RIGHT);
SAME(Source::foreign, MP_FROM_FOREIGN);
SAME(Fault::none, MP_FAULT_NONE);
SAME(Fault::not_valid, MP_FAULT_NOT_VALID);
SAME(Fault::read_only, MP_FAULT_READ_ONLY);
SAME(Fault::reserved, MP_FAULT_RESERVED);
SAME(Fault::leaf, MP_FAULT_LEAF);
SAME(Fault::table, MP_FAULT_TABLE);
SAME(Fault::misaligned, MP_FAULT_MISALIGNED);
SAME(Fault::outside, MP_FAULT_OUTSIDE);
SAME(Fault::root, MP_FAULT_ROOT);
SAME(Fault::ecc, MP_FAULT_ECC);
#undef SAME

// Calls a module at the other end. What a module from outside throws must not pass the callers, which may be
// C or translated code of the core: it ends the run.
template <class Call> tlm::tlm_sync_enum guarded(Kernel &kernel, Call call)
{
    try {
        return call();
    } catch (const sc_core::sc_report &) {
        throw;
    } catch (const std::exception &thrown) {
        kernel.fail(std::string("a module of a plugin: ") + thrown.what());
        return tlm::TLM_ACCEPTED;
    }
}

tlm::tlm_sync_enum forward(Kernel &kernel, tlm::tlm_initiator_socket<> &socket, tlm::tlm_generic_payload &p,
                           tlm::tlm_phase &phase, sc_core::sc_time &t)
{
    return guarded(kernel, [&] { return socket->nb_transport_fw(p, phase, t); });
}

tlm::tlm_sync_enum backward(Kernel &kernel, tlm::tlm_target_socket<> &socket, tlm::tlm_generic_payload &p,
                            tlm::tlm_phase &phase, sc_core::sc_time &t)
{
    return guarded(kernel, [&] { return socket->nb_transport_bw(p, phase, t); });
}

constexpr unsigned bit(Op op)
{
    return 1u << static_cast<unsigned>(op);
}

// The operations of requests that a link of this kind may carry, a bit each.
constexpr unsigned operations(LinkKind kind)
{
    unsigned both = bit(Op::load) | bit(Op::store) | bit(Op::atomic);
    unsigned between = bit(Op::probe) | bit(Op::peek) | bit(Op::inserted) | bit(Op::evicted);
    return kind == LinkKind::translation ? both | bit(Op::translate) | bit(Op::hint) | between
                                         : both | bit(Op::pte_read) | bit(Op::writeback);
}

const char *const operation_names[] = {"load", "store", "atomic", "translate", "pte_read", "writeback",
                                       "hint", "probe", "peek",   "inserted",  "evicted"};

// The bits of a mask as text, by name or by number.
std::string list(uint32_t mask, const char *const *names)
{
    std::string all;
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1)
            all += (all.empty() ? "" : ", ") + (names ? names[i] : std::to_string(i));
    return all;
}

void put_span(Attributes &a, mp_span span)
{
    a.unit = span.unit;
    a.before = span.before;
    a.after = span.after;
    a.read_only = span.read_only;
}

mp_span span_of(const Attributes &a)
{
    mp_span span{};
    span.unit = a.unit & 15;
    span.before = a.before & 31;
    span.after = a.after & 31;
    span.read_only = a.read_only;
    return span;
}

void put_fault(Attributes &a, uint8_t fault)
{
    a.fault = static_cast<Fault>(fault & MP_FAULT_CAUSE);
    a.level = fault >> MP_FAULT_LEVEL_SHIFT;
}

// An error without a cause is that of an entry that is not valid.
uint8_t fault_of(const Attributes &a)
{
    Fault cause = a.fault == Fault::none ? Fault::not_valid : a.fault;
    return static_cast<uint8_t>((static_cast<unsigned>(cause) & MP_FAULT_CAUSE) |
                                a.level << MP_FAULT_LEVEL_SHIFT);
}

} // namespace

// ---- payloads ----

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
        p->set_extension(new InitiatorPort::Pending);
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

// ---- target ----

TargetPort::TargetPort(Kernel &kernel, const char *name, LinkKind kind, mp_target model, mp_initiator *up,
                       std::function<unsigned(tlm::tlm_generic_payload &, const Attributes *)> debug,
                       const Senders &senders, uint32_t group)
    : socket(name), kernel_(kernel), wheel_(kernel.wheel(group)), kind_(kind), model_(model), up_(up),
      debug_(std::move(debug)), senders_(senders)
{
    socket.bind(*this);
    *up_ = mp_initiator_of(respond, resume, this, 0);
}

mp_target TargetPort::native(const mp_initiator &up)
{
    *up_ = up;
    return model_;
}

bool TargetPort::allows(const Attributes &a) const
{
    unsigned op = static_cast<unsigned>(a.op);
    return op < 32 && operations(kind_) >> op & 1 && a.tenant < 32 && senders_.tenants >> a.tenant & 1 &&
           a.asid < senders_.asids && a.sm < senders_.sms && a.warp < senders_.warps;
}

void TargetPort::refuse(tlm::tlm_generic_payload &p, const Attributes &a)
{
    std::string what = std::string(socket.name()) + ": a request ";
    unsigned op = static_cast<unsigned>(a.op);
    if (op >= 32 || !(operations(kind_) >> op & 1))
        what += "with operation " + std::to_string(op) + "; " + list(operations(kind_), operation_names);
    else if (a.tenant >= 32 || !(senders_.tenants >> a.tenant & 1))
        what += "of tenant " + std::to_string(a.tenant) + "; " + list(senders_.tenants, nullptr);
    else if (a.asid >= senders_.asids)
        what += "in address space " + std::to_string(a.asid) + "; 0 to " + std::to_string(senders_.asids - 1);
    else if (a.sm >= senders_.sms)
        what += "of SM " + std::to_string(a.sm) + "; 0 to " + std::to_string(senders_.sms - 1);
    else
        what += "of warp " + std::to_string(a.warp) + "; 0 to " + std::to_string(senders_.warps - 1);
    p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    kernel_.fail(what);
}

// False: the request has been answered with an error, and the run ends.
bool TargetPort::check(tlm::tlm_generic_payload &p)
{
    static const Attributes unknown; // a sender that knows no extension
    const Attributes *given = p.get_extension<Attributes>();
    const Attributes &a = given ? *given : unknown;
    if (allows(a))
        return true;
    refuse(p, a);
    return false;
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
    bool translation = kind_ == LinkKind::translation;
    mp_req &req = t->request;
    req = mp_req{};
    req.owner = t;
    req.sent = wheel_->now;
    (translation ? req.va : req.pa) = p.get_address();
    if (a) {
        req.op = static_cast<uint8_t>(a->op);
        req.tenant = a->tenant;
        req.sm = a->sm;
        req.warp = a->warp;
        req.instruction = a->instruction & 15;
        req.asid = a->asid;
        if (!translation)
            req.va = a->virtual_address;
    } else { // a sender that knows no extension
        req.op = translation ? MP_TRANSLATE : p.is_write() ? MP_STORE : MP_LOAD;
    }
    t->payload = &p;
    t->blocking = nullptr;
    return t;
}

// Writes the result into the payload.
void TargetPort::write_result(Transaction *t)
{
    tlm::tlm_generic_payload &p = *t->payload;
    const mp_req &req = t->request;
    auto *a = p.get_extension<Attributes>();
    if (kind_ == LinkKind::translation && p.get_data_length() >= 8)
        std::memcpy(p.get_data_ptr(), &req.pa, 8);
    if (a)
        put_fault(*a, req.fault);
    if (a && kind_ == LinkKind::translation) {
        a->source = static_cast<Source>(req.source);
        a->page = req.page;
        put_span(*a, req.span);
    }
    bool found = !req.fault && (!mp_op_is_probe(req.op) || req.source != MP_FROM_NOTHING);
    p.set_response_status(found ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void TargetPort::finish(Transaction *t)
{
    write_result(t);
    spare_.push_back(t);
}

// An answer after which the model goes on with the request. A blocking caller waits for the end.
void TargetPort::respond_early(Transaction *t)
{
    if (t->blocking)
        return;
    t->request.source = MP_FROM_WALK;
    write_result(t);
    tlm::tlm_phase phase = EARLY_RESP;
    sc_core::sc_time time = sc_core::SC_ZERO_TIME;
    backward(kernel_, socket, *t->payload, phase, time);
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

// The annotated delay of a request is over. What would have been the return value goes back as calls.
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
    // Answered in the call: BEGIN_RESP carries the delay and implies END_REQ.
    phase = tlm::BEGIN_RESP;
    if (port->socket->nb_transport_bw(p, phase, t) == tlm::TLM_ACCEPTED)
        port->responding_ = true;
    p.release();
}

tlm::tlm_sync_enum TargetPort::nb_transport_fw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                               sc_core::sc_time &t)
{
    if (phase == tlm::BEGIN_REQ && !check(p))
        return tlm::TLM_COMPLETED;
    kernel_.watch(); // the initiator lives in SystemC's time
    kernel_.enter();
    tlm::tlm_sync_enum status = tlm::TLM_COMPLETED;
    if (phase == tlm::BEGIN_REQ && t == sc_core::SC_ZERO_TIME) {
        status = begin_now(p, phase, t);
    } else if (phase == tlm::BEGIN_REQ) {
        p.acquire();
        mp_at(wheel_, kernel_.cycles(t), begin_later, this, &p);
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
        tlm::tlm_sync_enum status = backward(kernel_, socket, *p, phase, t);
        responding_ = status == tlm::TLM_ACCEPTED;
        p->release();
    }
}

void TargetPort::respond(void *self, mp_req *req)
{
    auto *port = static_cast<TargetPort *>(self);
    auto *t = static_cast<Transaction *>(req->owner);
    if (req->source == MP_FROM_WALK_EARLY) {
        port->respond_early(t);
        return;
    }
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
        return; // a blocking caller waits for the response only
    port->held_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    backward(port->kernel_, port->socket, *p, phase, t);
}

void TargetPort::b_transport(tlm::tlm_generic_payload &p, sc_core::sc_time &t)
{
    sc_core::wait(t);
    t = sc_core::SC_ZERO_TIME;
    if (!check(p))
        return;
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

// ---- initiator ----

InitiatorPort::InitiatorPort(Kernel &kernel, PayloadPool &pool, const char *name, LinkKind kind,
                             mp_initiator model, std::function<void(mp_target)> install, unsigned bytes,
                             uint32_t group)
    : socket(name), kernel_(kernel), wheel_(kernel.wheel(group)), pool_(pool), kind_(kind), model_(model),
      install_(std::move(install)), bytes_(bytes)
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
    install_(mp_target_of(request, this, 0));
}

void InitiatorPort::each_pending(const std::function<void(const mp_req &)> &show) const
{
    for (const auto *p : pool_.all())
        if (const mp_req *request = p->get_extension<Pending>()->request)
            show(*request);
}

tlm::tlm_generic_payload *InitiatorPort::wrap(mp_req *req)
{
    tlm::tlm_generic_payload *p = pool_.get();
    auto *a = p->get_extension<Attributes>();
    auto *pending = p->get_extension<Pending>();
    bool translation = kind_ == LinkKind::translation;
    bool write = !translation && (req->op == MP_STORE || req->op == MP_WRITEBACK);
    pending->request = req;
    pending->word = 0;
    pending->accepted = false;
    a->op = static_cast<Op>(req->op);
    a->tenant = req->tenant;
    a->warp = req->warp;
    a->instruction = req->instruction;
    a->sm = req->sm;
    a->asid = req->asid;
    a->virtual_address = req->va;
    a->source = Source::foreign;
    put_fault(*a, MP_FAULT_NONE);
    a->page = 0;
    put_span(*a, mp_span{});
    p->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p->set_address(translation ? req->va : req->pa);
    p->set_data_ptr(translation ? reinterpret_cast<unsigned char *>(&pending->word) : blank_line);
    p->set_data_length(translation ? 8 : bytes_);
    p->set_streaming_width(p->get_data_length());
    p->set_byte_enable_ptr(nullptr);
    p->set_dmi_allowed(false);
    p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return p;
}

// TLBs ask again for a page that was answered with `nothing`.
void InitiatorPort::count_nothing(mp_req *req)
{
    const std::pair<unsigned, uint64_t> page(req->asid, req->va);
    if (req->source != MP_FROM_NOTHING) {
        if (!nothing_.empty())
            nothing_.erase(page);
        return;
    }
    if (++nothing_[page] <= most_nothing)
        return;
    char what[160];
    std::snprintf(what, sizeof what,
                  ": address 0x%" PRIx64
                  " of address space %u is answered with `nothing` again after %u times in "
                  "a row; a translation or a fault",
                  req->va, req->asid, most_nothing);
    kernel_.fail(socket.name() + std::string(what));
    req->source = MP_FROM_FOREIGN;
    req->fault = MP_FAULT_NOT_VALID;
}

void InitiatorPort::unwrap(tlm::tlm_generic_payload &p, mp_req *req)
{
    const Attributes &a = *p.get_extension<Attributes>();
    bool failed = p.is_response_error();
    if (kind_ != LinkKind::translation) { // a cache that is looked up before translation may fail
        req->fault = failed ? fault_of(a) : static_cast<uint8_t>(MP_FAULT_NONE);
        return;
    }
    req->pa = p.get_extension<Pending>()->word;
    if (mp_op_between_tlbs(req->op)) {
        req->source = static_cast<uint8_t>(failed ? Source::nothing : a.source);
        req->fault = MP_FAULT_NONE;
    } else {
        req->source = static_cast<uint8_t>(a.source);
        req->fault = failed ? fault_of(a) : static_cast<uint8_t>(MP_FAULT_NONE);
        if (req->op != MP_HINT)
            count_nothing(req);
    }
    req->page = a.page;
    req->span = failed ? mp_span{} : span_of(a);
}

mp_answer InitiatorPort::request(void *self, unsigned, mp_req *req, uint32_t *delay)
{
    auto *port = static_cast<InitiatorPort *>(self);
    tlm::tlm_generic_payload *p = port->wrap(req);
    auto *pending = p->get_extension<Pending>();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    tlm::tlm_sync_enum status = forward(port->kernel_, port->socket, *p, phase, t);
    uint64_t cycles = port->kernel_.cycles(t);
    bool done = status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
    if (mp_op_between_tlbs(req->op) && !done)
        SC_REPORT_FATAL("/mempath/port", "a probe, or news of another TLB, was not answered in the call");
    if (status == tlm::TLM_ACCEPTED)
        return MP_HELD;
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ && !cycles) {
        pending->accepted = true;
        return MP_TAKEN;
    }
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        port->accept(pending, cycles);
        return MP_HELD;
    }
    *delay = static_cast<uint32_t>(cycles);
    port->unwrap(*p, req);
    pending->request = nullptr;
    if (status == tlm::TLM_UPDATED) // BEGIN_RESP, which END_RESP has to follow
        mp_at(port->wheel_, cycles, end_response, port, p);
    else
        p->release();
    return MP_DONE;
}

// The target has accepted the request; the link is free again `delay` cycles from now.
void InitiatorPort::accept(Pending *pending, uint64_t delay)
{
    pending->accepted = true;
    if (delay)
        mp_at(wheel_, delay, resume_later, this, nullptr);
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
    forward(port->kernel_, port->socket, *p, phase, t);
    p->release();
}

void InitiatorPort::deliver(void *self, void *payload)
{
    auto *port = static_cast<InitiatorPort *>(self);
    auto *p = static_cast<tlm::tlm_generic_payload *>(payload);
    auto *pending = p->get_extension<Pending>();
    mp_req *req = pending->request;
    port->unwrap(*p, req);
    pending->request = nullptr;
    p->release();
    port->model_.response(port->model_.self, req);
}

tlm::tlm_sync_enum InitiatorPort::nb_transport_bw(tlm::tlm_generic_payload &p, tlm::tlm_phase &phase,
                                                  sc_core::sc_time &t)
{
    auto *pending = p.get_extension<Pending>();
    tlm::tlm_sync_enum status = tlm::TLM_ACCEPTED;
    kernel_.enter();
    if (phase == tlm::END_REQ) {
        accept(pending, kernel_.cycles(t));
    } else if (phase == tlm::BEGIN_RESP) {
        if (!pending->accepted)
            accept(pending, 0);
        if (uint64_t delay = kernel_.cycles(t))
            mp_at(wheel_, delay, deliver, this, &p);
        else
            deliver(this, &p);
        status = tlm::TLM_COMPLETED;
    } else if (phase == EARLY_RESP) {
        if (!pending->accepted)
            accept(pending, 0);
        unwrap(p, pending->request);
        pending->request->source = MP_FROM_WALK_EARLY;
        model_.response(model_.self, pending->request);
    } else {
        SC_REPORT_ERROR("/mempath/port",
                        "phase out of the base protocol; END_REQ and BEGIN_RESP come this way");
    }
    kernel_.leave();
    return status;
}

} // namespace mp
