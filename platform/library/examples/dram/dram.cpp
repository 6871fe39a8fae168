// SPDX-License-Identifier: Apache-2.0
// A DRAM model of a third party (bank_model.h) in the place of ours, behind the L2 data cache.
//
//   dram FILE.yaml RESULTS.db COLUMN     COLUMN: ticks of the model's clock from a column's command to its
//   data
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mempath/mempath.h>
#include <stdexcept>
#include <string>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "bank_model.h"

namespace
{

using Payload = tlm::tlm_generic_payload;

const sc_core::sc_time tick_time(825, sc_core::SC_PS); // of a clock that has nothing to do with the GPU's

struct Lines {
    uint64_t read = 0, written = 0; // answered; taken, since the cache does not wait for them
};

// A link from the cache is a channel. A request that the model refuses is held: its link stops until a later
// tick.
class Dram : public sc_core::sc_module, public mp::Foreign
{
  public:
    Dram(const mp::Site &site, const sc_core::sc_module_name &name, const BankModel::Timing &timing,
         Lines &lines)
        : sc_module(name), lines_(lines)
    {
        for (uint32_t i = 0; i < site.block().ins; i++) {
            channels_.push_back(std::make_unique<Channel>(("channel" + std::to_string(i)).c_str(), timing));
            channels_[i]->socket.register_nb_transport_fw(this, &Dram::nb_transport_fw, static_cast<int>(i));
        }
        SC_HAS_PROCESS(Dram);
        SC_METHOD(tick);
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return channels_[port]->socket; }
    tlm::tlm_initiator_socket<> &out(uint32_t) override { throw std::logic_error("a DRAM sends nothing"); }

  private:
    struct Channel {
        Channel(const char *name, const BankModel::Timing &timing) : socket(name), model(timing) {}
        tlm_utils::simple_target_socket_tagged<Dram> socket;
        BankModel model;
        Payload *held = nullptr;
    };

    tlm::tlm_sync_enum nb_transport_fw(int i, Payload &p, tlm::tlm_phase &phase, sc_core::sc_time &)
    {
        if (phase != tlm::BEGIN_REQ)
            return tlm::TLM_ACCEPTED;
        p.acquire();
        lines_.written += p.is_write();
        if (!send(*channels_[i], p)) {
            channels_[i]->held = &p;
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    bool send(Channel &c, Payload &p)
    {
        return c.model.send(p.get_address(), p.is_write(), [this, &c, &p] { answer(c, p); });
    }
    void answer(Channel &c, Payload &p)
    {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time t = sc_core::SC_ZERO_TIME;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        lines_.read += p.is_read();
        c.socket->nb_transport_bw(p, phase, t); // our initiators need no END_RESP
        p.release();
    }
    void tick()
    {
        for (const auto &c : channels_) {
            c->model.tick();
            if (!c->held || !send(*c, *c->held))
                continue;
            Payload *p = c->held;
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time t = sc_core::SC_ZERO_TIME;
            c->held = nullptr;
            c->socket->nb_transport_bw(*p, phase, t);
        }
        next_trigger(tick_time);
    }

    std::vector<std::unique_ptr<Channel>> channels_;
    Lines &lines_;
};

int fail(const std::string &why)
{
    std::fprintf(stderr, "dram: %s\n", why.c_str());
    return 1;
}

} // namespace

int sc_main(int argc, char **argv)
{
    if (argc != 4)
        return fail("FILE.yaml RESULTS.db COLUMN, in ticks");
    BankModel::Timing timing;
    timing.column = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    Lines lines;
    mp::Machine gpu;
    gpu.hooks.add<mp::ForeignHook>("gpu.*.dram", [&](const mp::Site &site, const std::string &name) {
        return std::make_unique<Dram>(site, name.c_str(), timing, lines);
    });
    if (!gpu.open({argv[1], "", {}, argv[2]}) || !gpu.build("gpu") || !gpu.run())
        return fail(gpu.error());

    std::printf("run %" PRId64 ", digest %s: %" PRIu64 " lines read, %" PRIu64 " written in %" PRIu64
                " cycles\n",
                gpu.run_id(), gpu.digest().c_str(), lines.read, lines.written, gpu.cycles());
    // Misses that fetch a line: no stores of whole lines, and none that joins another.
    if (lines.read != gpu.counter("gpu.*.l2d", "fills") ||
        lines.written != gpu.counter("gpu.*.l2d", "writebacks"))
        return fail("the L2 cache has asked for other lines");
    return 0;
}
