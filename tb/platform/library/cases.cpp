// SPDX-License-Identifier: Apache-2.0
// A program with libmempath and its own sc_main: cases CASE FILE.yaml DB. A case prints what the script
// compares, and returns 1 with a line on stderr if something is wrong. SystemC has one simulation per
// process, so a case is a process.
#include <cstdio>
#include <cstring>
#include <mempath/mempath.h>
#include <stdexcept>

#include "../gpu/tlm/foreign.h"
#include "gpu/tlm/tap.h"

namespace
{

struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void check(bool right, const std::string &what)
{
    if (!right)
        throw Failed(what);
}

// The call has failed, and the machine says why.
void refused(const mp::Machine &gpu, bool done, const char *why)
{
    check(!done, std::string("not refused: ") + why);
    check(gpu.error().find(why) != std::string::npos, "'" + gpu.error() + "' does not say: " + why);
    check(gpu.error().find('\n') == std::string::npos, "more than a line: " + gpu.error());
}

void done(const mp::Machine &gpu, bool right)
{
    check(right, gpu.error());
}

void print(const mp::Machine &gpu)
{
    std::printf("%s %llu\n", gpu.digest().c_str(), static_cast<unsigned long long>(gpu.cycles()));
}

// In the place of an SM.
class Sm : public mp::Foreign
{
  public:
    Sm(const mp::Site &site, const std::string &name, std::vector<foreign::Source::Job> &jobs)
        : site_(site), source_(name.c_str(), site.fabric.kernel.time(1), 128, &jobs)
    {
    }
    tlm::tlm_target_socket<> &in(uint32_t) override { throw std::logic_error("no targets"); }
    tlm::tlm_initiator_socket<> &out(uint32_t i) override
    {
        return site_.out(i).kind == MP_LINK_TRANSLATION ? source_.translate.socket : source_.data.socket;
    }

  private:
    mp::Site site_;
    foreign::Source source_;
};

// In the place of any block: takes everything and answers nothing.
class Sink : public mp::Foreign
{
  public:
    Sink(const mp::Site &site, const std::string &name, uint32_t links)
    {
        for (uint32_t i = 0; i < site.block().ins; i++)
            in_.push_back(std::make_unique<foreign::In>(
                (name + "_in" + std::to_string(i)).c_str(),
                [](foreign::In *, foreign::Payload *, const sc_core::sc_time &) {}));
        for (uint32_t i = 0; i < links; i++)
            out_.push_back(
                std::make_unique<foreign::Out>((name + "_out" + std::to_string(i)).c_str(), nullptr));
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return in_[port]->socket; }
    tlm::tlm_initiator_socket<> &out(uint32_t link) override { return out_[link]->socket; }

  private:
    std::vector<std::unique_ptr<foreign::In>> in_;
    std::vector<std::unique_ptr<foreign::Out>> out_;
};

class Calls : public sc_core::sc_module // a function once, at a time
{
  public:
    Calls(const char *name, const sc_core::sc_time &at, std::function<void()> call)
        : sc_module(sc_core::sc_module_name(name)), at_(at), call_(std::move(call))
    {
        SC_HAS_PROCESS(Calls);
        SC_METHOD(run);
    }

  private:
    void run()
    {
        if (sc_core::sc_time_stamp() >= at_)
            call_();
        else
            next_trigger(at_);
    }
    sc_core::sc_time at_;
    std::function<void()> call_;
};

// In the place of an L1 TLB whose SMs send nothing: asks the level below for pages, each twice.
class Asking : public Sink, public tlm::tlm_mm_interface
{
  public:
    Asking(const mp::Site &site, const std::string &name, unsigned pages, unsigned &right)
        : Sink(site, name, 0), right_(right),
          out_((name + "_ask").c_str(),
               [this](foreign::Payload *p, const sc_core::sc_time &) { answered(p); }),
          calls_((name + "_begin").c_str(), sc_core::SC_ZERO_TIME, [this, pages] {
              for (unsigned i = 0; i < 2 * pages; i++)
                  ask(i / 2 * 0x10000ull);
          })
    {
    }
    tlm::tlm_initiator_socket<> &out(uint32_t) override { return out_.socket; }
    void free(foreign::Payload *p) override { delete p; }

  private:
    void ask(uint64_t va)
    {
        auto *p = new foreign::Payload(this);
        p->acquire();
        p->set_extension(new mp::Attributes);
        p->get_extension<mp::Attributes>()->op = mp::Op::translate;
        p->set_command(tlm::TLM_READ_COMMAND);
        p->set_address(va);
        p->set_data_ptr(reinterpret_cast<unsigned char *>(new uint64_t(0)));
        p->set_data_length(8);
        p->set_streaming_width(8);
        out_.request(p);
    }
    void answered(foreign::Payload *p)
    {
        auto *word = reinterpret_cast<uint64_t *>(p->get_data_ptr());
        const uint64_t pa = *word;
        right_ += p->is_response_ok() && out_.socket->transport_dbg(*p) == 8 && *word == pa;
        delete word;
        p->release();
    }
    unsigned &right_;
    foreign::Out out_;
    Calls calls_;
};

// In the place of an L1 data cache: answers all requests in a fixed time.
class Cache : public mp::Foreign
{
  public:
    Cache(const mp::Site &site, const std::string &name)
        : fixed_(name.c_str(), site.block().ins, 20, site.fabric.kernel.time(1), &counts_),
          out_((name + "_out").c_str(), nullptr)
    {
    }
    tlm::tlm_target_socket<> &in(uint32_t port) override { return fixed_.in(port); }
    tlm::tlm_initiator_socket<> &out(uint32_t) override { return out_.socket; }

  private:
    foreign::Counts counts_;
    foreign::Fixed fixed_;
    foreign::Out out_;
};

class Clock : public sc_core::sc_module // never ends
{
  public:
    explicit Clock(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_HAS_PROCESS(Clock);
        SC_METHOD(tick);
    }

  private:
    void tick() { next_trigger(1, sc_core::SC_NS); }
};

// The first SM sends these jobs.
std::vector<foreign::Source::Job> jobs(unsigned n)
{
    std::vector<foreign::Source::Job> list(n);
    for (unsigned i = 0; i < n; i++) {
        list[i].va = i * 0x12340ull;
        list[i].gap = 3;
        list[i].store = i % 5 == 0;
    }
    return list;
}

void replace_first_sm(mp::Machine &gpu, std::vector<foreign::Source::Job> &list)
{
    gpu.hooks.add<mp::ForeignHook>("gpu.gpc0.tpc0.sm0", [&](const mp::Site &site, const std::string &name) {
        return std::make_unique<Sm>(site, name, list);
    });
}

// With a tap on a link, the machine does not run ahead of SystemC's time.
void in_step(mp::Machine &gpu)
{
    gpu.hooks.add<mp::TapHook>("gpu.l3_tlb",
                               [](const mp::Site &, const mp_plan_link &, const std::string &name) {
                                   return std::make_unique<mp::PassingTap>(name.c_str());
                               });
}

const char external[] = "preset: star-a100-mig\ntenants:\n  - {app: external, slices: 1}\n";

// ---- cases ----

void wrong_order(const std::string &file, const std::string &)
{
    mp::Machine gpu;
    refused(gpu, gpu.build("gpu"), "build(): the machine is not open; after open()");
    refused(gpu, gpu.run(), "run(): the machine is not built");
    refused(gpu, gpu.end(), "end(): the machine is not built");
    refused(gpu, gpu.map(0, 0, 1), "after build()");
    check(!gpu.finished() && !gpu.counter("*", "lookups"), "a machine that is not there");
    refused(gpu, gpu.open({""}), "open(): no file and text; one of them");
    refused(gpu, gpu.open({file, "a: b"}), "open(): both file and text");
    refused(gpu, gpu.open({file}, "0"), "built with headers of another mempath");
    refused(gpu, gpu.open({"no.yaml"}), "no.yaml: cannot be read");
    refused(gpu, gpu.open({"", "preset: demo\nl3_tlb:\n  entries: x\n"}), "text:3: l3_tlb.entries");
    refused(gpu, gpu.open({file, "", {"l3_tlb.entrie=1"}}), "l3_tlb.entrie");
    done(gpu, gpu.open({file}));
    refused(gpu, gpu.open({file}), "the machine is open");
    check(gpu.blocks().size() > 30 && gpu.blocks()[0].compare(0, 4, "gpu.") == 0, "no blocks");
    check(!gpu.links().empty() && gpu.links()[0].from.compare(0, 4, "gpu.") == 0, "no links");
}

void wrong_machine(const std::string &file, const std::string &db)
{
    {
        mp::Machine gpu;
        done(gpu, gpu.open({"demo"}));
        refused(gpu, gpu.build("gpu"), "tenants.0.app = MT: the library records no applications; trace");
        refused(gpu, gpu.build("gpu"), "was built");
    }
    {
        mp::Machine gpu;
        done(gpu, gpu.open({"star-a100-mig"}));
        refused(gpu, gpu.build("gpu"), "star-a100-mig: it has no tenants; with a trace, or app: external");
    }
    {
        mp::Machine gpu;
        gpu.hooks.add<mp::ForeignHook>("gpu.l4_tlb", [](const mp::Site &site, const std::string &name) {
            return std::make_unique<Sink>(site, name, site.block().links);
        });
        done(gpu, gpu.open({file, "", {}, db}));
        refused(gpu, gpu.build("gpu"), "gpu.l4_tlb: no block has such a path; gpu.");
        refused(gpu, gpu.run(), "run(): the machine has run");
    }
    {
        mp::Machine gpu;
        std::vector<foreign::Source::Job> none;
        replace_first_sm(gpu, none);
        done(gpu, gpu.open({file}));
        refused(gpu, gpu.build("gpu"), "gpu.gpc0.tpc0.sm0: the application of tenants.0 runs on it");
    }
    {
        mp::Machine gpu;
        gpu.hooks.add<mp::ForeignHook>("gpu.l3_tlb", [](const mp::Site &, const std::string &) {
            throw std::runtime_error("no licence");
            return std::unique_ptr<mp::Foreign>();
        });
        done(gpu, gpu.open({file}));
        refused(gpu, gpu.build("gpu"), "a module of the program: no licence");
    }
    mp::Machine gpu;
    done(gpu, gpu.open({"", external}));
    done(gpu, gpu.build("gpu"));
    refused(gpu, gpu.map(1, 0, 1), "map(): tenant 1; below 1");
    refused(gpu, gpu.map(0, 0, 0), "map(): no addresses");
    refused(gpu, gpu.map(0, UINT64_MAX, 2), "map(): no addresses");
    refused(gpu, gpu.map(0, 0, UINT64_MAX), "ends beyond the 48-bit virtual address space");
}

void ordinary(const std::string &file, const std::string &db)
{
    mp::Machine gpu;
    done(gpu, gpu.open({file, "", {"l3_tlb.latency=20"}, db}));
    done(gpu, gpu.build("gpu"));
    done(gpu, gpu.run());
    check(gpu.finished(), "not finished");
    refused(gpu, gpu.run(), "has run");
    refused(gpu, gpu.end(), "has ended");
    check(gpu.run_id() > 0, "no row");
    print(gpu);
}

void cut(const std::string &file, const std::string &db)
{
    mp::Machine gpu;
    done(gpu, gpu.open({file, "", {}, db}));
    done(gpu, gpu.build("gpu"));
    done(gpu, gpu.run(3000));
    check(gpu.cycles() == 3000, "another cycle");
    print(gpu);
}

// In a module of its own, with a name of its own; the program starts SystemC in steps, and goes on
// afterwards.
void steps(const std::string &file, const std::string &db)
{
    struct Top : sc_core::sc_module {
        explicit Top(const sc_core::sc_module_name &name, const mp::Setup &setup) : sc_module(name)
        {
            in_step(gpu);
            done(gpu, gpu.open(setup));
            done(gpu, gpu.build("own_gpu"));
        }
        mp::Machine gpu;
    } top("top", {file, "", {"l3_tlb.latency=20"}, db});
    check(sc_core::sc_find_object("top.own_gpu.kernel"), "it is no child of the module");
    bool called = false;
    Calls later("later", sc_core::sc_time(1, sc_core::SC_SEC), [&] { called = true; });
    unsigned steps = 0;
    for (; !top.gpu.finished(); steps++)
        sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
    check(steps > 1, "a single step");
    done(top.gpu, top.gpu.end());
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
    check(called, "SystemC does not go on");
    print(top.gpu);
}

void two(const std::string &file, const std::string &db)
{
    mp::Machine a, b;
    done(a, a.open({file, "", {"l3_tlb.latency=20"}, db}));
    done(b, b.open({file, "", {"l3_tlb.latency=80"}, db}));
    done(a, a.build("a"));
    done(b, b.build("b"));
    while (!a.finished() || !b.finished())
        sc_core::sc_start();
    done(a, a.end());
    done(b, b.end());
    print(a);
    print(b);
}

void stopped(const std::string &file, const std::string &db)
{
    mp::Machine gpu;
    in_step(gpu);
    done(gpu, gpu.open({file, "", {}, db}));
    done(gpu, gpu.build("gpu"));
    Calls stop("stop", sc_core::sc_time(1, sc_core::SC_US), sc_core::sc_stop);
    done(gpu, gpu.run());
    check(gpu.cycles() < 2000, "not stopped after a microsecond");
}

// The run ends with its application, although another module has events for ever.
void ticking(const std::string &file, const std::string &db)
{
    mp::Machine gpu;
    gpu.hooks.add<mp::ForeignHook>("gpu.*.l1d", [](const mp::Site &site, const std::string &name) {
        return std::make_unique<Cache>(site, name);
    });
    done(gpu, gpu.open({file, "", {}, db}));
    done(gpu, gpu.build("gpu"));
    Clock clock("clock");
    done(gpu, gpu.run());
    check(gpu.counter("gpu.mig0", "completions") == 1, "the application has not ended");
}

void dropped(const std::string &file, const std::string &db)
{
    mp::Machine gpu;
    done(gpu, gpu.open({file, "", {}, db}));
    done(gpu, gpu.build("gpu"));
}

// Every answer is compared with the page table. Addresses without a page fault.
void sent(const std::string &, const std::string &db)
{
    std::vector<foreign::Source::Job> list = jobs(2000);
    mp::Machine gpu;
    replace_first_sm(gpu, list);
    done(gpu, gpu.open({"", external, {}, db, true}));
    done(gpu, gpu.build("gpu"));
    done(gpu, gpu.map(0, 0, 1000 * 0x12340));
    check(!gpu.finished(), "finished before it starts");
    done(gpu, gpu.run());
    check(gpu.finished(), "not finished");
    const uint64_t end = (1000 * 0x12340 + 0xffff) & ~0xffffull; // of the last page
    for (const auto &job : list)
        check(job.ok == (job.va < end), "wrong answer for " + std::to_string(job.va));
    check(gpu.counter("gpu.gpc0.tpc0.l1_tlb", "lookups", 0) == list.size(), "another number of look-ups");
    check(gpu.counter("gpu.*tlb", "lookups") > list.size(), "no sum over levels");
    check(!gpu.counter("gpu.*tlb", "lookup") && !gpu.counter("gpu.no", "lookups") &&
              !gpu.counter("gpu.*tlb", "lookups", 1),
          "counters that do not exist");
    print(gpu);
}

// At the L2 TLB, without what is above it.
void below(const std::string &, const std::string &db)
{
    unsigned right = 0;
    mp::Machine gpu;
    gpu.hooks.add<mp::ForeignHook>("gpu.gpc0.tpc1.l1_tlb",
                                   [&](const mp::Site &site, const std::string &name) {
                                       return std::make_unique<Asking>(site, name, 300, right);
                                   });
    done(gpu, gpu.open({"", external, {}, db}));
    done(gpu, gpu.build("gpu"));
    done(gpu, gpu.map(0, 0, 300 * 0x10000));
    done(gpu, gpu.run());
    check(right == 600, "wrong or missing answers");
    check(gpu.counter("gpu.gpc0.l2_tlb", "lookups") == 600, "another number of look-ups");
    check(!gpu.counter("gpu.gpc0.tpc1.l1_tlb", "lookups"), "the replaced block counts");
}

void lost(const std::string &, const std::string &db)
{
    std::vector<foreign::Source::Job> list = jobs(3);
    mp::Machine gpu;
    replace_first_sm(gpu, list);
    gpu.hooks.add<mp::ForeignHook>("gpu.l3_tlb", [](const mp::Site &site, const std::string &name) {
        return std::make_unique<Sink>(site, name, site.block().links);
    });
    done(gpu, gpu.open({"", external, {}, db}));
    done(gpu, gpu.build("gpu"));
    refused(gpu, gpu.run(), "nothing is left to happen, but requests have no answer; ");
}

// An application next to a tenant whose requests come from outside. The run ends with the application.
void mixed(const std::string &file, const std::string &db)
{
    std::vector<foreign::Source::Job> list = jobs(20000);
    for (auto &job : list)
        job.asid = 1;
    list[0].gap = 2000; // a machine that ran ahead would have ended before
    mp::Machine gpu;
    gpu.hooks.add<mp::ForeignHook>("gpu.gpc1.tpc0.sm0", [&](const mp::Site &site, const std::string &name) {
        return std::make_unique<Sm>(site, name, list);
    });
    done(gpu, gpu.open({file, "", {"tenants.1.app=external", "tenants.1.slices=1"}, db}));
    done(gpu, gpu.build("gpu"));
    done(gpu, gpu.map(1, 0, 20000 * 0x12340ull));
    done(gpu, gpu.run());
    check(gpu.counter("gpu.gpc1.tpc0.l1_tlb", "lookups", 1) > 200, "too few requests of the other tenant");
    check(!gpu.counter("gpu.gpc1.tpc0.l1_tlb", "lookups", 0).value_or(0), "requests of the wrong tenant");
}

const struct {
    const char *name;
    void (*run)(const std::string &file, const std::string &db);
} cases[] = {{"wrong_order", wrong_order},
             {"wrong_machine", wrong_machine},
             {"ordinary", ordinary},
             {"cut", cut},
             {"steps", steps},
             {"two", two},
             {"stopped", stopped},
             {"ticking", ticking},
             {"dropped", dropped},
             {"sent", sent},
             {"below", below},
             {"lost", lost},
             {"mixed", mixed}};

} // namespace

int sc_main(int argc, char **argv)
{
    for (const auto &c : cases)
        if (argc == 4 && !std::strcmp(c.name, argv[1]))
            try {
                c.run(argv[2], argv[3]);
                return 0;
            } catch (const std::exception &e) {
                std::fprintf(stderr, "%s: %s\n", c.name, e.what());
                return 1;
            }
    std::fprintf(stderr, "no such case\n");
    return 2;
}
