// SPDX-License-Identifier: Apache-2.0
// Runs with managed memory: what a fault takes, and that applications do the same as without.
#include <cmath>
#include <cstring>
#include <set>

#include "gpu/run/session.h"
#include "platform_bench.h"

namespace
{

constexpr uint64_t heap = 1ull << 32, block = 2097152;
enum { mt, atax, bfs };

using Settings = std::vector<const char *>;

// Whether no two pages of a table have the same frame; and their number.
struct Tables : mp::Hook {
    Tables() : Hook("gpu*") {}
    bool wants(const mp_plan_block &b) const override { return b.kind == &mp_walk_kind; }
    std::unique_ptr<mp::Tap> tap(const mp::Site &site, const mp_plan_link &, const std::string &) override
    {
        tables = site.fabric.backdoor.tables;
        return nullptr;
    }
    void look(uint64_t from, uint64_t bytes)
    {
        std::set<uint64_t> frames;
        uint64_t pages = 0, pa;
        for (uint64_t va = from; va < from + bytes; va += 4096)
            if (mp_page_table_find((*tables)[0], va, &pa)) {
                frames.insert(pa);
                pages++;
            }
        shared |= frames.size() != pages;
        most = std::max(most, pages);
        looks++;
    }
    const std::vector<const mp_page_table *> *tables = nullptr;
    bool shared = false;
    uint64_t most = 0, looks = 0;
};

struct Counts {
    uint64_t entries, batches, blocks, faulted, prefetched, zeroed, copied, refetched, evictions, evicted,
        written_back, replays, bytes_in, bytes_out, busy_in, busy_out, fault_cycles, full, repeated, faults;
    uint64_t mapped, remote, notices, counted, host_faults, host_moved, host_cycles, reads, writes;
    uint64_t held, naps, pinned, unpinned, host_lines;
    uint64_t lines_read, lines_written, lines_late;
    uint64_t most_pages;
    bool shared;
};

struct Run {
    Outcome outcome;
    Counts counts;
};

#define COUNT(field) counts.field = gpu.sum("uvm", #field, 0)

Run run(const char *trace, const Settings &settings, bool tlm = false, unsigned threads = 0,
        bool check = false)
{
    Settings all = {"tenants.0.trace=t", "tenants.0.slices=2", "machine.page_bytes=4096"};
    all.insert(all.end(), settings.begin(), settings.end());
    Run r{};
    r.outcome = run_in_child([&](Outcome &o) {
        mp_config config;
        Tables tables;
        mp::GpuOptions options;
        mp_run run{};
        Counts counts{};
        o.status =
            mp_config_load(&config, "star-a100-mig", static_cast<unsigned>(all.size()), all.data(), &o.error);
        if (o.status)
            return;
        run.config = &config;
        run.trace[0] = trace;
        run.threads = threads;
        run.check = check;
        options.force_tlm = tlm;
        options.hooks.push_back(&tables);
        try {
            mp::Session session("gpu", run, options);
            mp::Gpu &gpu = session.gpu();
            gpu.kernel.every(5000, [&] { tables.look(0x10000000, 4 * block); });
            sc_core::sc_start();
            o.status = session.finish(&o.result, &o.error);
            COUNT(entries), COUNT(batches), COUNT(blocks), COUNT(faulted), COUNT(prefetched), COUNT(zeroed);
            COUNT(copied), COUNT(refetched), COUNT(evictions), COUNT(evicted), COUNT(written_back);
            COUNT(replays), COUNT(bytes_in), COUNT(bytes_out), COUNT(busy_in), COUNT(busy_out);
            COUNT(fault_cycles), COUNT(full), COUNT(repeated), COUNT(faults);
            COUNT(mapped), COUNT(remote), COUNT(notices), COUNT(counted);
            COUNT(host_faults), COUNT(host_moved), COUNT(host_cycles);
            COUNT(held), COUNT(naps), COUNT(pinned), COUNT(unpinned), COUNT(host_lines);
            counts.reads = gpu.sum("host", "reads", 0);
            counts.writes = gpu.sum("host", "writes", 0);
            counts.lines_read = gpu.sum("copy", "read", 0);
            counts.lines_written = gpu.sum("copy", "written", 0);
            counts.lines_late = gpu.sum("copy", "late", 0);
        } catch (...) {
            o.status = mp::say_thrown(run, "a test", &o.error);
        }
        counts.most_pages = tables.most;
        counts.shared = tables.shared;
        static_assert(sizeof counts <= sizeof o.foreign + sizeof o.chain, "they come back in an unused part");
        std::memcpy(o.chain, &counts, sizeof counts);
        mp_config_free(&config);
    });
    std::memcpy(&r.counts, r.outcome.chain, sizeof r.counts);
    return r;
}

// A warp that loads from each of these addresses in turn; buffers of 2 MB. Then the host reads this number of
// bytes.
void write_trace(const char *path, unsigned buffers, const std::vector<uint64_t> &loads, uint64_t read = 0)
{
    gwt_writer *w;
    mp_error err;
    char name[] = "reads";
    gwt_pc pc{};
    pc.kind = 'L';
    pc.space = GWT_GLOBAL;
    gwt_kernel k{};
    k.name = name;
    k.grid[0] = k.grid[1] = k.grid[2] = k.block[1] = k.block[2] = 1;
    k.block[0] = 32;
    k.npcs = 1;
    k.pcs = &pc;
    assert_int_equal(gwt_writer_open(&w, path, &err), 0);
    for (unsigned b = 0; b < buffers; b++)
        gwt_write_alloc(w, b, heap + b * block, block);
    gwt_write_kernel(w, &k);
    gwt_write_cta(w, 0, 1);
    gwt_write_warp(w, 0, 32);
    for (uint64_t va : loads) {
        gwt_event load{};
        load.kind = GWT_ACCESS;
        load.op = GWT_LOAD;
        load.gap = 1;
        load.bytes = 4;
        load.active = 1;
        load.mask = 1;
        load.lane[0] = va;
        gwt_write_event(w, &load);
    }
    gwt_event leave{};
    leave.kind = GWT_EXIT;
    leave.gap = 1;
    gwt_write_event(w, &leave);
    gwt_write_kernel_end(w);
    if (read)
        gwt_write_host(w, GWT_HOST_READ, heap, read);
    if (gwt_writer_close(w, &err))
        fail_msg("%s", err.text);
}

// 5 us + 8 + 0.1 + 6 + 2 + 0.7 + 4 KB at 2.17 GB/s + 2, at 1000 MHz; a copy may be seen a cycle late.
void a_lone_fault_takes_25_7_us(void **)
{
    write_trace("lone.gwt", 1, {heap + 8192});
    const Run r = run("lone.gwt", {"tenants.0.managed=true", "uvm.prefetch=none", "uvm.copy_lines=false"});
    const double copy = 4096 / (12 * 2 / M_PI * std::atan(0.07292 * 4));
    const auto expected = static_cast<uint64_t>(23800 + std::ceil(copy));
    assert_int_equal(expected, 25690);
    assert_in_range(r.counts.fault_cycles, expected, expected + 1);
    assert_int_equal(r.counts.entries, 1);
    assert_int_equal(r.counts.batches, 1);
    assert_int_equal(r.counts.replays, 1);
    assert_int_equal(r.counts.faulted, 1);
    assert_int_equal(r.counts.bytes_in, 4096);
    assert_int_equal(r.counts.busy_in, 700 + static_cast<uint64_t>(std::ceil(copy)));
    // The last line is due when 31 of 32 have passed, and then takes the time of a look-up in the L2 data
    // cache.
    const Run lines = run("lone.gwt", {"tenants.0.managed=true", "uvm.prefetch=none"});
    assert_in_range(lines.counts.fault_cycles, expected + 100, expected + 300);
    assert_int_equal(lines.counts.lines_written, 32);
    assert_int_equal(lines.counts.lines_read, 0);
    assert_in_range(lines.counts.lines_late, lines.counts.fault_cycles - expected - 1,
                    lines.counts.fault_cycles - expected);
}

// Each design of prefetching brings 64 KB with the first page of a block.
void a_lone_fault_brings_its_big_page(void **)
{
    write_trace("lone.gwt", 1, {heap + 8192});
    const Run r = run("lone.gwt", {"tenants.0.managed=true"});
    assert_int_equal(r.counts.faulted, 1);
    assert_int_equal(r.counts.prefetched, 15);
    assert_int_equal(r.counts.bytes_in, 65536);
}

void pages_of_nowhere_are_zeroed(void **)
{
    write_trace("lone.gwt", 1, {heap + 8192});
    const Run r = run("lone.gwt", {"tenants.0.managed=true", "uvm.prefetch=none", "uvm.begin=nowhere",
                                   "uvm.copy_lines=false"});
    assert_int_equal(r.counts.zeroed, 1);
    assert_int_equal(r.counts.bytes_in, 0);
    assert_in_range(r.counts.fault_cycles, 23100 + 11, 23100 + 12); /* no link, but 4 KB at 400 GB/s */
}

// Three blocks in turn in memory for two: the first is copied out when the third comes, then the second.
// One load after the other waits for its page: the SM has one access in flight.
void a_victim_is_written_back_before_its_memory_is_used(void **)
{
    write_trace("turns.gwt", 3, {heap, heap + block, heap + 2 * block, heap});
    const Run r = run("turns.gwt", {"tenants.0.managed=true", "uvm.prefetch=none", "uvm.chunks=2",
                                    "sm.outstanding=1", "uvm.copy_lines=false"});
    const uint64_t copy = 1890, fault = 23800 + copy; /* without eviction */
    assert_int_equal(r.counts.faulted, 4);
    assert_int_equal(r.counts.evictions, 2);
    assert_int_equal(r.counts.evicted, 2);
    assert_int_equal(r.counts.written_back, 2);
    assert_int_equal(r.counts.refetched, 1);
    assert_int_equal(r.counts.bytes_out, 8192);
    assert_int_equal(r.counts.busy_out, 2 * (700 + copy));
    /* The server goes on to the block while its victim is copied out; the copy in waits for that. */
    const uint64_t least = 4 * fault + 2 * (10000 + 2000);
    assert_in_range(r.counts.fault_cycles, least, least + 2 * 200);
}

// Where nothing else takes time, the second copy in begins when the copy out of the only unit has ended.
void a_copy_in_waits_for_the_copy_out(void **)
{
    write_trace("turns.gwt", 2, {heap, heap + block});
    const Run r = run("turns.gwt",
                      {"tenants.0.managed=true", "uvm.chunks=1", "sm.outstanding=1", "uvm.cost_interrupt=0",
                       "uvm.cost_batch=0", "uvm.cost_entry=0", "uvm.cost_block=0", "uvm.cost_copy=0",
                       "uvm.cost_evict=0", "uvm.cost_replay=0", "uvm.copy_lines=false"});
    const double rate = 12 * 2 / M_PI * std::atan(0.07292 * 64);
    const uint64_t copy = 700 + static_cast<uint64_t>(std::ceil(65536 / rate));
    assert_int_equal(r.counts.written_back, 16);
    assert_int_equal(r.counts.busy_out, copy);
    assert_int_equal(r.counts.busy_in, 2 * copy);
    assert_in_range(r.counts.fault_cycles, 3 * copy, 3 * copy + 300); /* and an invalidation */
}

// 2 us + 6 + 2 + 0.7 + 4 KB at 2.17 GB/s, and an invalidation, before the run ends; unless such accesses are
// off.
void the_host_reads_a_page_after_the_kernel(void **)
{
    Settings s = {"tenants.0.managed=true", "uvm.prefetch=none"};
    write_trace("lone.gwt", 1, {heap + 8192});
    const Run r = run("lone.gwt", s);
    write_trace("read.gwt", 1, {heap + 8192}, block);
    const Run read = run("read.gwt", s);
    s.push_back("uvm.host_accesses=false");
    const Run off = run("read.gwt", s);
    const uint64_t least = 2000 + 6000 + 2000 + 700 + 1890;
    assert_int_equal(read.counts.host_faults, 1);
    assert_int_equal(read.counts.host_moved, 1);
    assert_int_equal(read.counts.bytes_out, 4096);
    assert_in_range(read.counts.host_cycles, least, least + 200);
    assert_int_equal(read.outcome.result.tenant[0].cycles - r.outcome.result.tenant[0].cycles,
                     read.counts.host_cycles);
    assert_int_equal(off.outcome.result.tenant[0].cycles, r.outcome.result.tenant[0].cycles);
    assert_int_equal(off.counts.host_faults, 0);
}

void with_all_memory_nothing_leaves(void **)
{
    for (int t : {mt, atax, bfs}) {
        const Run without = run(traces[t], {}), with = run(traces[t], {"tenants.0.managed=true"});
        assert_int_equal(with.outcome.result.instructions, without.outcome.result.instructions);
        assert_int_equal(with.outcome.result.tenant[0].accesses, without.outcome.result.tenant[0].accesses);
        assert_true(with.outcome.result.tenant[0].cycles > without.outcome.result.tenant[0].cycles);
        assert_int_equal(with.counts.evictions, 0);
        assert_int_equal(with.counts.refetched, 0);
        assert_int_equal(with.counts.copied, with.counts.faulted + with.counts.prefetched);
    }
}

// More than the memory: each page is in one place, and each byte that moves is accounted.
void with_less_memory_pages_move(void **)
{
    for (const char *evict : {"uvm.evict=driver", "uvm.evict=lru64k", "uvm.evict=tbne", "uvm.evict=lru4k"})
        for (const char *memory : {"uvm.oversubscription=125", "uvm.oversubscription=200", "uvm.chunks=1"}) {
            const Run r = run(traces[mt], {"tenants.0.managed=true", evict, memory});
            const Counts &c = r.counts;
            assert_int_equal(r.outcome.result.tenant[0].completions, 1);
            assert_int_equal(c.copied + c.zeroed, c.faulted + c.prefetched);
            assert_int_equal(c.bytes_in, c.copied * 4096);
            assert_int_equal(c.bytes_out, (c.written_back + c.host_moved) * 4096);
            assert_int_equal(c.written_back, c.evicted);
            assert_true(c.evicted <= c.copied && c.copied - c.evicted <= 512);
            assert_int_equal(c.refetched + 512, c.copied); /* two buffers of 1 MB */
            assert_false(c.shared);
            assert_in_range(c.most_pages, 1, 512);
        }
}

// More faults than places: SMs begin no translation until there is room, and nothing is lost.
void a_full_buffer_stops_sms(void **)
{
    const Run usual = run(traces[mt], {"tenants.0.managed=true"}),
              r = run(traces[mt], {"tenants.0.managed=true", "uvm.entries=8", "uvm.batch=4"});
    assert_true(r.counts.full > 0);
    assert_int_equal(usual.counts.full, 0);
    assert_int_equal(r.outcome.result.instructions, usual.outcome.result.instructions);
    assert_int_equal(r.outcome.result.tenant[0].accesses, usual.outcome.result.tenant[0].accesses);
    assert_int_equal(r.counts.copied, usual.counts.copied);
}

void every_replay_policy_ends(void **)
{
    for (const char *policy : {"uvm.replay=batch", "uvm.replay=block", "uvm.replay=once"}) {
        const Run r = run(traces[bfs], {"tenants.0.managed=true", "uvm.oversubscription=200", policy});
        assert_int_equal(r.outcome.result.tenant[0].completions, 1);
        assert_true(r.counts.replays > 0);
    }
}

// Interrupt, batch, entry, block and replay, and then the line: the link's latency counts twice.
void a_page_that_stays_on_the_host_is_accessed_there(void **)
{
    write_trace("lone.gwt", 1, {heap + 8192});
    const Run r = run("lone.gwt", {"tenants.0.managed=true", "uvm.migrate=host"}),
              far = run("lone.gwt", {"tenants.0.managed=true", "uvm.migrate=host", "uvm.link_latency=1700"}),
              slow = run("lone.gwt", {"tenants.0.managed=true", "uvm.migrate=host", "uvm.link_gbps=1"});
    assert_in_range(r.counts.fault_cycles, 21100, 21101);
    assert_int_equal(r.counts.mapped, 1);
    assert_int_equal(r.counts.remote, 1);
    assert_int_equal(r.counts.reads, 1);
    assert_int_equal(r.counts.faulted + r.counts.prefetched + r.counts.bytes_in, 0);
    assert_int_equal(far.outcome.result.tenant[0].cycles - r.outcome.result.tenant[0].cycles, 2000);
    /* 128 B take 128 cycles and not 10.7, which are rounded up */
    assert_int_equal(slow.outcome.result.tenant[0].cycles - r.outcome.result.tenant[0].cycles, 117);
}

// Four loads of a block, at most one in flight: the third gives the notice, and the fourth comes long after
// it.
void pages_move_when_enough_was_counted(void **)
{
    write_trace("four.gwt", 1, {heap, heap + 128, heap + 65536, heap + 2 * 65536});
    const Settings s = {"tenants.0.managed=true", "uvm.migrate=counter", "sm.outstanding=1",
                        "uvm.prefetch=none"};
    Settings three = s, four = s;
    three.push_back("uvm.counter=3");
    four.push_back("uvm.counter=5");
    const Run r = run("four.gwt", three), none = run("four.gwt", four);
    assert_int_equal(r.counts.notices, 1);
    assert_int_equal(r.counts.counted, 32); /* two big pages were met */
    assert_int_equal(r.counts.copied, 32);
    assert_int_equal(r.counts.remote, 4); /* the third big page stays */
    assert_int_equal(none.counts.notices, 0);
    assert_int_equal(none.counts.copied, 0);
    assert_int_equal(none.counts.mapped, 3);
}

// Stores move pages under policies with counters; evicted pages are remote at once.
void each_page_is_in_one_place_with_counters(void **)
{
    uint64_t evictions = 0, remote = 0;
    for (const char *migrate : {"uvm.migrate=counter", "uvm.migrate=oversub", "uvm.migrate=adaptive"})
        for (const char *evict : {"uvm.evict=driver", "uvm.evict=tbne", "uvm.evict=lru4k"}) {
            const Run r = run(traces[mt], {"tenants.0.managed=true", "uvm.oversubscription=200",
                                           "uvm.counter=16", migrate, evict});
            const Counts &c = r.counts;
            assert_int_equal(r.outcome.result.tenant[0].completions, 1);
            /* the application may end before what its last notices move has come */
            assert_true(c.copied + c.zeroed <= c.faulted + c.prefetched + c.counted);
            assert_int_equal(c.bytes_in, c.copied * 4096);
            assert_int_equal(c.bytes_out, (c.written_back + c.host_moved) * 4096);
            assert_int_equal(c.written_back, c.evicted);
            assert_int_equal(c.writes, 0);
            assert_true(c.remote <= c.reads);
            evictions += c.evictions;
            remote += c.remote;
            assert_false(c.shared);
        }
    assert_true(evictions > 0 && remote > 0);
}

// Clean pages are not written back. The first buffer of MT is only read.
void clean_pages_are_dropped(void **)
{
    const Settings s = {"tenants.0.managed=true", "uvm.oversubscription=200"};
    Settings dirty = s;
    dirty.push_back("uvm.writeback=dirty");
    const Run all = run(traces[mt], s), r = run(traces[mt], dirty);
    assert_int_equal(r.outcome.result.tenant[0].completions, 1);
    assert_true(r.counts.written_back < r.counts.evicted);
    assert_int_equal(r.counts.bytes_out, (r.counts.written_back + r.counts.host_moved) * 4096);
    assert_true(r.counts.bytes_out < all.counts.bytes_out);
    assert_true(r.counts.faults > all.counts.faults); /* those of stores to clean pages */
}

void results_with_remote_pages_do_not_depend_on_the_way(void **)
{
    for (const char *migrate : {"uvm.migrate=host", "uvm.migrate=counter"}) {
        const Settings s = {"tenants.0.managed=true", "uvm.oversubscription=200", "uvm.counter=32",
                            "uvm.writeback=dirty", migrate};
        const Run r = run(traces[bfs], s), tlm = run(traces[bfs], s, true),
                  threads = run(traces[bfs], s, false, 2), checked = run(traces[bfs], s, false, 0, true);
        for (const Run *other : {&tlm, &threads, &checked})
            assert_memory_equal(other->outcome.result.digest, r.outcome.result.digest,
                                sizeof r.outcome.result.digest);
        assert_true(r.counts.remote > 0);
    }
}

// Holds, pins and their ends, and what the host accesses on the GPU.
void results_with_thrashing_pages_do_not_depend_on_the_way(void **)
{
    Counts sum{};
    for (const char *link : {"uvm.c2c=false", "uvm.c2c=true"})
        for (const char *lapse :
             {"uvm.thrash_lapse=40000", "uvm.thrash_lapse=50000", "uvm.thrash_lapse=60000"}) {
            const Settings s = {"tenants.0.managed=true",
                                "uvm.thrashing=true",
                                "uvm.thrash_events=1",
                                "uvm.thrash_throttles=1",
                                "uvm.thrash_pin=1",
                                "uvm.prefetch=none",
                                lapse,
                                link};
            const Run r = run(traces[bfs], s), tlm = run(traces[bfs], s, true),
                      threads = run(traces[bfs], s, false, 4), checked = run(traces[bfs], s, false, 0, true);
            for (const Run *other : {&tlm, &threads, &checked})
                assert_memory_equal(other->outcome.result.digest, r.outcome.result.digest,
                                    sizeof r.outcome.result.digest);
            assert_int_equal(r.outcome.result.tenant[0].completions, 1);
            assert_false(r.counts.shared);
            sum.held += r.counts.held;
            sum.naps += r.counts.naps;
            sum.pinned += r.counts.pinned;
            sum.unpinned += r.counts.unpinned;
            sum.host_lines += r.counts.host_lines;
        }
    assert_true(sum.held && sum.naps && sum.pinned && sum.unpinned && sum.host_lines);
}

void results_do_not_depend_on_the_way(void **)
{
    const Settings s = {"tenants.0.managed=true", "uvm.oversubscription=200"};
    const Run r = run(traces[bfs], s), again = run(traces[bfs], s), tlm = run(traces[bfs], s, true),
              threads = run(traces[bfs], s, false, 2), checked = run(traces[bfs], s, false, 0, true);
    for (const Run *other : {&again, &tlm, &threads, &checked})
        assert_memory_equal(other->outcome.result.digest, r.outcome.result.digest,
                            sizeof r.outcome.result.digest);
    assert_true(r.counts.evictions > 0);
}

} // namespace

int main(int argc, char **argv)
{
    const CMUnitTest tests[] = {cmocka_unit_test(a_lone_fault_takes_25_7_us),
                                cmocka_unit_test(a_lone_fault_brings_its_big_page),
                                cmocka_unit_test(pages_of_nowhere_are_zeroed),
                                cmocka_unit_test(a_victim_is_written_back_before_its_memory_is_used),
                                cmocka_unit_test(a_copy_in_waits_for_the_copy_out),
                                cmocka_unit_test(the_host_reads_a_page_after_the_kernel),
                                cmocka_unit_test(with_all_memory_nothing_leaves),
                                cmocka_unit_test(with_less_memory_pages_move),
                                cmocka_unit_test(a_full_buffer_stops_sms),
                                cmocka_unit_test(every_replay_policy_ends),
                                cmocka_unit_test(a_page_that_stays_on_the_host_is_accessed_there),
                                cmocka_unit_test(pages_move_when_enough_was_counted),
                                cmocka_unit_test(each_page_is_in_one_place_with_counters),
                                cmocka_unit_test(clean_pages_are_dropped),
                                cmocka_unit_test(results_with_remote_pages_do_not_depend_on_the_way),
                                cmocka_unit_test(results_with_thrashing_pages_do_not_depend_on_the_way),
                                cmocka_unit_test(results_do_not_depend_on_the_way)};
    return take_traces(argc, argv) ? cmocka_run_group_tests(tests, nullptr, nullptr) : 2;
}

int sc_main(int, char **)
{
    return 0;
}
