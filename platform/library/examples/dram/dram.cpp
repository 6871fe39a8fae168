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

struct Totals {
    uint64_t reads = 0, writes = 0, row_hits = 0;
};

// A link from the cache is a channel. A request that the model refuses is held: its link stops until a later
// tick.
class Dram : public sc_core::sc_module, public mp::Foreign
{
  public:
    Dram(const mp::Site &site, const sc_core::sc_module_name &name, const BankModel::Timing &timing,
         Totals &totals)
        : sc_module(name), totals_(totals)
    {
        for (uint32_t i = 0; i < site.block().ins; i++) {
            channels_.push_back(std::make_unique<Channel>(("channel" + std::to_string(i)).c_str(), timing));
            channels_[i]->socket.register_nb_transport_fw(this, &Dram::nb_transport_fw, static_cast<int>(i));
        }
        SC_HAS_PROCESS(Dram);
        SC_METHOD(tick);
    }
    ~Dram() override
    {
        for (const auto &c : channels_) {
            totals_.reads += c->model.reads;
            totals_.writes += c->model.writes;
            totals_.row_hits += c->model.row_hits;
        }
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
    Totals &totals_;
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
    Totals totals;
    uint64_t fills, writebacks;
    {
        mp::Machine gpu;
        gpu.hooks.add<mp::ForeignHook>("gpu.*.dram", [&](const mp::Site &site, const std::string &name) {
            return std::make_unique<Dram>(site, name.c_str(), timing, totals);
        });
        if (!gpu.open({argv[1], "", {}, argv[2]}) || !gpu.build("gpu") || !gpu.run())
            return fail(gpu.error());
        fills = gpu.counter("gpu.*.l2d", "fills").value_or(0);
        writebacks = gpu.counter("gpu.*.l2d", "writebacks").value_or(0);
        std::printf("run %" PRId64 ", digest %s, %" PRIu64 " cycles: the L2 cache has %" PRIu64
                    " lines fetched and %" PRIu64 " written back\n",
                    gpu.run_id(), gpu.digest().c_str(), gpu.cycles(), fills, writebacks);
    }
    std::printf("the model has %" PRIu64 " lines read and %" PRIu64 " written, %" PRIu64
                " of them from open rows\n",
                totals.reads, totals.writes, totals.row_hits);
    return totals.reads == fills && totals.writes == writebacks ? 0
                                                                : fail("the model has served other lines");
}
