/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles of latencies, compared with those of the sorted values. The values are of two components, as
 * those of the page walk systems of two instances. */
#include <stdlib.h>
#include <string.h>

#include "engine/metric.h"
#include "fakes.h"
#include "synthetic.h"

#define FILE_NAME "test_percentiles.db"
#define VALUES    2000u
#define ROUNDS    40u

static struct mp_error err;

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of any number of bits, so that bins of all widths have values. */
static uint64_t draw(struct rng *rng)
{
    return rng_next(rng) >> (32 + rng_below(rng, 32));
}

static void record(struct mp_db *db, const uint64_t *value, unsigned count)
{
    static struct mp_latencies part[2];
    struct mp_db_run_info info = db_info(0, NULL);
    memset(part, 0, sizeof part);
    for (unsigned i = 0; i < count; i++)
        mp_latencies_add(&part[i % 2], value[i]);
    CHECK(mp_db_run_begin(db, &info, &err));
    int m = mp_db_metric(db, "walk", "walk_latency", "cycles", "taken", MP_DB_HISTOGRAM_LOG_LINEAR, &err);
    for (unsigned i = 0; i < 2; i++) {
        int c = mp_db_component(db, i ? "gpu.b.walk" : "gpu.a.walk", "walk", &err);
        CHECK(mp_db_histogram(db, c, MP_DB_NO_TENANT, m, MP_LATENCY_BINS, &part[i].most, &err));
    }
    CHECK(mp_db_run_end(db, MP_DB_INTERRUPTED, NULL, &err));
}

/* value: sorted */
static void check(struct mp_db *db, const uint64_t *value, unsigned count)
{
    static const unsigned percent[] = {50, 90, 95, 99};
    char *text = db_text(db, "SELECT p50, p90, p95, p99, maximum FROM percentiles ORDER BY run DESC LIMIT 1",
                         MP_DB_CSV);
    char *at = strchr(text, '\n') + 1;
    for (size_t i = 0; i < sizeof percent / sizeof *percent; i++, at++) {
        double exact = (double)value[(count * percent[i] + 99) / 100 - 1], shown = strtod(at, &at);
        if (shown > 1.016 * exact || shown < 0.984 * exact || shown > (double)value[count - 1])
            fail_msg("p%u is %g; %g in %u values up to %g", percent[i], shown, exact, count,
                     (double)value[count - 1]);
    }
    assert_true(strtoull(at, NULL, 10) == value[count - 1]);
    free(text);
}

static void test_percentiles_of_random_values(void **state)
{
    (void)state;
    static uint64_t value[VALUES];
    struct rng rng = rng_start("percentiles", 1);
    struct mp_db *db;
    db_remove(FILE_NAME);
    CHECK(mp_db_open(&db, FILE_NAME, MP_DB_WRITE, &err));
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned count = 1 + rng_below(&rng, round < 10 ? 10 : VALUES);
        for (unsigned i = 0; i < count; i++)
            value[i] = draw(&rng);
        record(db, value, count);
        qsort(value, count, sizeof *value, by_value);
        check(db, value, count);
    }
    mp_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_percentiles_of_random_values)};
    return cmocka_run_group_tests_name("db percentiles", tests, NULL, NULL);
}
