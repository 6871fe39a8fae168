// SPDX-License-Identifier: Apache-2.0
#include "mempath/mempath.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fnmatch.h>
#include <new>

#include "cli/hash.h"
#include "cli/revision.h"
#include "config/config.h"
#include "db/db.h"
#include "db/text.h"
#include "gpu/run/session.h"

namespace mp
{

namespace
{

constexpr uint64_t watchdog = 1000000; // cycles, as that of the command

struct Free {
    void operator()(void *p) const { std::free(p); }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

std::string command_line()
{
    std::string line = sc_core::sc_argc() ? "" : program_invocation_name;
    for (int i = 0; i < sc_core::sc_argc(); i++)
        line += (i ? " " : "") + std::string(sc_core::sc_argv()[i]);
    return line;
}

bool is_counted(const Component &c, int tenant)
{
    return tenant < 0 || c.tenant == Component::shared || c.tenant == tenant;
}

// One structure per tenant, unless the component has a single one.
uint64_t count(const Component &c, const mp_metric &metric, int tenant, unsigned tenants)
{
    uint64_t sum = 0;
    bool one = c.single || c.tenant == Component::unused;
    unsigned first = one || tenant < 0 ? 0 : static_cast<unsigned>(tenant);
    unsigned last = one ? 1 : tenant < 0 ? tenants : first + 1;
    for (unsigned t = first; t < last; t++) {
        if (c.block && c.block->refresh && !one)
            c.block->refresh(c.model, t);
        sum += *reinterpret_cast<const uint64_t *>(static_cast<const char *>(c.stats) + t * c.table->bytes +
                                                   metric.offset);
    }
    return sum;
}

} // namespace

struct Machine::State {
    State() = default;
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    ~State()
    {
        session.reset();
        mp_db_close(db);
        mp_config_free(&config);
    }

    mp_config config{};
    bool opened = false, built = false, ended = false; // built: or has failed to be
    std::string db_file;
    std::vector<std::string> blocks;
    std::vector<Link> links;
    mp_run run{};
    mp_result result{};
    std::string digest;
    mp_db *db = nullptr; // until the run has ended
    std::unique_ptr<Session> session;
};

Machine::Machine() : state_(std::make_unique<State>()) {}

Machine::~Machine()
{
    State &s = *state_;
    s.result.interrupted = true;
    if (s.run.run_id > 0 && !s.ended)
        mp_result_record(s.db, &s.result, &s.config, 0, nullptr, nullptr);
}

bool Machine::failed(const std::string &why)
{
    error_ = why;
    return false;
}

const std::string &Machine::error() const
{
    return error_;
}

// --- the configuration ------------------------------------------------------------------------------

bool Machine::open(const Setup &setup, const char *interface)
{
    State &s = *state_;
    mp_error err{};
    if (std::strcmp(interface, MP_PLUGIN_INTERFACE) != 0)
        return failed(
            "open(): the program was built with headers of another mempath; rebuild it with those of "
            "revision " MEMPATH_REVISION);
    if (s.opened)
        return failed("open(): the machine is open; one call");
    if (setup.file.empty() == setup.text.empty())
        return failed(std::string("open(): ") + (setup.file.empty() ? "no" : "both") +
                      " file and text; one of them");
    mp_config_free(&s.config); // of a call that failed late
    std::vector<const char *> set;
    for (const std::string &assignment : setup.set)
        set.push_back(assignment.c_str());
    const auto n = static_cast<unsigned>(set.size());
    if (setup.text.empty() ? mp_config_load(&s.config, setup.file.c_str(), n, set.data(), &err)
                           : mp_config_load_text(&s.config, "text", setup.text.data(), setup.text.size(), n,
                                                 set.data(), &err))
        return failed(err.text);
    s.run.config = &s.config;
    s.run.check = setup.check;
    s.db_file = setup.db;
    return s.opened = describe();
}

bool Machine::describe()
{
    State &s = *state_;
    mp_error err{};
    mp_machine machine;
    mp_plan plan{};
    mp_machine_configure(&machine, &s.config);
    if (mp_plan_init(&plan, &machine, &err))
        return failed(err.text);
    for (uint32_t i = 0; i < plan.blocks; i++)
        s.blocks.emplace_back(plan.block[i].path);
    for (uint32_t i = 0; i < plan.links; i++)
        s.links.push_back({plan.block[plan.link[i].from].path, plan.block[plan.link[i].to].path,
                           plan.link[i].kind == MP_LINK_TRANSLATION});
    mp_plan_free(&plan);
    return true;
}

const std::vector<std::string> &Machine::blocks() const
{
    return state_->blocks;
}

const std::vector<Machine::Link> &Machine::links() const
{
    return state_->links;
}

// --- the modules ------------------------------------------------------------------------------------

// The traces of tenants, as rows. attaches: whether a tenant has none, so that modules send its requests.
bool Machine::describe_tenants(mp_db_tenant *rows, bool &attaches)
{
    State &s = *state_;
    mp_error err{};
    for (unsigned t = 0; t < s.config.ntenants; t++) {
        mp_db_file file{};
        const char *trace = s.run.trace[t];
        if (trace && hash_file(trace, "a trace written by mempath record or import", &file, &err))
            return failed(err.text);
        rows[t].app = s.config.tenant[t].app;
        rows[t].slices = s.config.tenant[t].slices;
        rows[t].trace_path = trace;
        std::memcpy(rows[t].trace_hash, file.hash, sizeof file.hash);
        rows[t].trace_bytes = file.bytes;
        attaches |= !trace;
    }
    return true;
}

// The run's row. A program that attaches modules is part of the machine, as a plugin.
bool Machine::begin()
{
    State &s = *state_;
    mp_error err{};
    mp_db_tenant tenant[MP_TENANTS]{};
    mp_db_file program{};
    bool attaches = !hooks.all.empty();
    if (!describe_tenants(tenant, attaches))
        return false;
    const Owned<char> path(realpath("/proc/self/exe", nullptr));
    if (!path || hash_file(path.get(), "the program's file", &program, &err))
        return failed(path ? err.text : std::string("/proc/self/exe: ") + std::strerror(errno));
    const mp_db_plugin plugin = {
        program_invocation_short_name, path.get(), {program.hash[0], program.hash[1]}};
    mp_db_run_info info{};
    info.nplugins = attaches;
    info.plugin = &plugin;
    info.ntenants = s.config.ntenants;
    info.tenant = tenant;
    return begin_run(info);
}

bool Machine::begin_run(mp_db_run_info &info)
{
    State &s = *state_;
    mp_error err{};
    const Owned<char> config(mp_config_text(&s.config)), machine(mp_config_machine_text(&s.config));
    const Owned<mp_setting> setting(mp_config_settings(&s.config, &info.nsettings));
    if (!config || !machine || !setting)
        throw std::bad_alloc();
    const std::string line = command_line();
    info.experiment = s.config.name;
    info.command_line = line.c_str();
    info.config_text = config.get();
    info.machine_text = machine.get();
    info.changes = s.config.changes;
    info.setting = setting.get();
    info.revision = MEMPATH_REVISION;
    info.build_type = MEMPATH_BUILD_TYPE;
    info.compiler = MEMPATH_COMPILER;
    info.seed = s.config.seed;
    if (mp_db_open(&s.db, s.db_file.c_str(), MP_DB_WRITE, &err))
        return failed(err.text);
    s.run.run_id = mp_db_run_begin(s.db, &info, &err);
    s.run.db = s.db;
    return s.run.run_id > 0 || failed(err.text);
}

// A trace of each tenant that is not external.
bool Machine::choose_traces()
{
    State &s = *state_;
    if (!s.config.ntenants)
        return failed(std::string(s.config.name) + ": it has no tenants; with a trace, or app: external");
    for (unsigned t = 0; t < s.config.ntenants; t++) {
        const mp_tenant_config &tenant = s.config.tenant[t];
        if (!tenant.trace && !mp_config_is_external(&tenant))
            return failed(std::string(s.config.name) + ": tenants." + std::to_string(t) +
                          ".app = " + tenant.app +
                          ": the library records no applications; trace, of a file that `mempath record` has "
                          "written, or app: external");
        s.run.trace[t] = tenant.trace;
        s.run.watchdog = tenant.trace ? watchdog : s.run.watchdog;
    }
    return true;
}

bool Machine::build(const char *name)
{
    State &s = *state_;
    mp_error err{};
    if (!s.opened || s.built)
        return failed(std::string("build(): the machine ") + (s.built ? "was built" : "is not open") +
                      "; after open(), once");
    s.built = true;
    if (!choose_traces())
        return false;
    try {
        if (!s.db_file.empty() && !begin())
            return false;
        GpuOptions options;
        for (auto &hook : hooks.all)
            options.hooks.push_back(hook.get());
        s.session = std::make_unique<Session>(name, s.run, options);
        s.session->gpu().kernel.pause_at_end();
        return true;
    } catch (...) {
        say_thrown(s.run, "a module of the program", &err);
        if (s.db)
            mp_result_record(s.db, &s.result, &s.config, 0, err.text, nullptr);
        s.ended = true;
        return failed(err.text);
    }
}

bool Machine::map(unsigned tenant, uint64_t va, uint64_t bytes)
{
    State &s = *state_;
    mp_error err{};
    if (!s.session)
        return failed("map(): the machine has no page tables; after build()");
    if (tenant >= s.config.ntenants)
        return failed("map(): tenant " + std::to_string(tenant) + "; below " +
                      std::to_string(s.config.ntenants));
    if (!bytes || va + bytes < va)
        return failed("map(): no addresses; at least a byte, below 2^64");
    return !s.session->gpu().map_pages(tenant, va, bytes, &err) || failed(err.text);
}

// --- the run ----------------------------------------------------------------------------------------

bool Machine::run(uint64_t until)
{
    State &s = *state_;
    mp_error err{};
    if (!s.session || s.ended)
        return failed(std::string("run(): the machine ") + (s.ended ? "has run" : "is not built") +
                      "; after build(), once");
    if (until)
        s.session->gpu().kernel.until(until);
    try {
        sc_core::sc_start();
    } catch (...) {
        say_thrown(s.run, "a module of the program", &err);
        s.session->gpu().kernel.fail(err.text);
    }
    return end();
}

bool Machine::finished() const
{
    return state_->session && state_->session->finished();
}

bool Machine::end()
{
    State &s = *state_;
    mp_error err{}, unwritten{};
    char text[33];
    if (!s.session || s.ended)
        return failed(std::string("end(): the machine ") + (s.ended ? "has ended" : "is not built") +
                      "; after build(), once");
    s.ended = true;
    bool done = !s.session->finish(&s.result, &err);
    if (s.db && mp_result_record(s.db, &s.result, &s.config, 0, done ? nullptr : err.text, &unwritten))
        return failed(unwritten.text);
    mp_db_hash_text(s.result.digest, text);
    s.digest = text;
    return done || failed(err.text);
}

// --- results ----------------------------------------------------------------------------------------

std::optional<uint64_t> Machine::counter(const std::string &pattern, const std::string &metric,
                                         int tenant) const
{
    const State &s = *state_;
    std::optional<uint64_t> sum;
    if (!s.session || tenant >= static_cast<int>(s.config.ntenants))
        return sum;
    for (const Component &c : s.session->gpu().components)
        for (unsigned m = 0; m < c.table->count; m++)
            if (c.table->metric[m].name == metric && !c.table->metric[m].bins && is_counted(c, tenant) &&
                !fnmatch(pattern.c_str(), c.path.c_str(), 0))
                sum = sum.value_or(0) + count(c, c.table->metric[m], tenant, s.config.ntenants);
    return sum;
}

uint64_t Machine::cycles() const
{
    return state_->result.cycles;
}

const std::string &Machine::digest() const
{
    return state_->digest;
}

int64_t Machine::run_id() const
{
    return state_->run.run_id;
}

} // namespace mp
