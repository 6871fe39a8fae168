// SPDX-License-Identifier: Apache-2.0
// The rows that the recorder writes for components of this test, and the numbers that enter the digest.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "db/db.h"
#include "gpu/run/recorder.h"

extern "C" {
#include <cmocka.h> // last: it defines a macro fail
}

// libsystemc refers to it.
extern "C" int sc_main(int, char **)
{
    return 0;
}

namespace
{

using mp::Component;
using mp::Recorder;

struct Counts {
    uint64_t moved, waited;
};

const mp_metric metrics[] = {MP_COUNTER_OF(Counts, moved, "pages", "moved"),
                             MP_COUNTER_OF(Counts, waited, "cycles", "waited")};
const mp_metric_table block_table = {"tlb", sizeof(Counts), 2, metrics};
const mp_metric_table design_table = {"mover", sizeof(Counts), 2, metrics};

Component block(Counts *counts)
{
    return {"gpu.l2_tlb", "l2_tlb", &block_table, counts, Component::shared, nullptr, nullptr};
}

Component design(Counts *counts)
{
    Component c{"gpu.l2_tlb.mover", "mover", &design_table, counts, Component::shared, nullptr, nullptr};
    c.design = true;
    return c;
}

std::string digest(const std::vector<Component> &components)
{
    Recorder recorder(components, 2, nullptr);
    uint64_t d[2];
    char text[40];
    recorder.freeze(0);
    recorder.freeze(1);
    recorder.digest(d);
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(d[1]),
                  static_cast<unsigned long long>(d[0]));
    return text;
}

void designs_enter_the_digest_when_they_count(void **)
{
    Counts tlb[2] = {{1, 2}, {3, 4}}, idle[2] = {}, zero[2] = {}, one[2] = {{0, 0}, {0, 7}};
    const std::string alone = digest({block(tlb)});
    assert_string_equal(digest({block(tlb), design(idle)}).c_str(), alone.c_str());
    assert_string_equal(digest({design(idle), block(tlb)}).c_str(), alone.c_str());
    assert_string_not_equal(digest({block(tlb), design(one)}).c_str(), alone.c_str());
    one[1].waited = 8;
    const std::string eight = digest({block(tlb), design(one)});
    one[1].waited = 9;
    assert_string_not_equal(digest({block(tlb), design(one)}).c_str(), eight.c_str());
    Component other = block(zero); // a block counts even if it did nothing
    other.path = "gpu.l4_tlb";
    assert_string_not_equal(digest({block(tlb), other}).c_str(), alone.c_str());
}

int64_t number(mp_db *db, const char *sql)
{
    char *text = nullptr;
    size_t size;
    mp_error err;
    std::FILE *f = open_memstream(&text, &size);
    assert_int_equal(mp_db_query(db, sql, 0, nullptr, MP_DB_CSV, f, &err), 0);
    std::fclose(f);
    const char *row = std::strchr(text, '\n');
    int64_t value = std::strtoll(row + 1, nullptr, 10);
    std::free(text);
    return value;
}

void kinds_and_levels_are_recorded(void **)
{
    Counts tlb[2] = {{1, 2}, {3, 4}}, mover[2] = {{5, 0}, {0, 6}};
    const std::vector<Component> components = {block(tlb), design(mover)};
    mp_error err;
    mp_db *db;
    const mp_db_tenant tenants[2] = {};
    mp_db_run_info info{};
    info.ntenants = 2;
    info.tenant = tenants;
    std::remove("test_recorder.db");
    assert_int_equal(mp_db_open(&db, "test_recorder.db", MP_DB_WRITE, &err), 0);
    assert_true(mp_db_run_begin(db, &info, &err) > 0);
    Recorder recorder(components, 2, db);
    recorder.freeze(0);
    recorder.freeze(1);
    assert_int_equal(recorder.sum("l2_tlb", "waited", 1), 4);
    assert_int_equal(recorder.write(&err), 0);
    mp_db_totals totals{};
    assert_int_equal(mp_db_run_end(db, MP_DB_DONE, &totals, &err), 0);
    assert_int_equal(
        number(db, "SELECT sum(value) FROM counters WHERE kind = 'tlb' AND level = 2 AND metric = 'moved'"),
        4);
    assert_int_equal(
        number(
            db,
            "SELECT sum(value) FROM counters WHERE kind = 'mover' AND level IS NULL AND metric = 'waited'"),
        6);
    mp_db_close(db);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(designs_enter_the_digest_when_they_count),
        cmocka_unit_test(kinds_and_levels_are_recorded),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
