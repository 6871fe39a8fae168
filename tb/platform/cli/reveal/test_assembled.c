/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reverse engineering against assembled machines, whose hashes it has to find through their TLBs, L2 and
 * DRAM: published ones, and hidden ones, which the tests' own oracle draws again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../models/map/xor_oracle.h"
#include "cli/reveal/assembled.h"

static const char *const names[] = {"fgpu-gtx1080", "fgpu-v100"};
static const char past[] = "l1d.loads=bypassed";

static void set_up(struct assembled *a, int v100, const char *seed, uint32_t jitter)
{
    const char *override[] = {past, "machine.functions=hidden", seed};
    struct mp_config config;
    struct mp_error err = {""};
    if (mp_config_load(&config, names[v100], seed ? 3 : 1, override, &err) ||
        assembled_init(a, &config, jitter, NULL, &err))
        fail_msg("%s", err.text);
    mp_config_free(&config);
}

/* Equal spans: the same rank, also together. */
static void equals(const struct reverse_span *found, const struct oracle_function *wanted, int n)
{
    struct oracle_function all[32];
    memset(all, 0, sizeof all);
    assert_int_equal(found->n, n);
    for (int i = 0; i < n; i++) {
        for (int bit = 0; bit < 64; bit++)
            all[i].has[bit] = found->function[i] >> bit & 1;
        all[n + i] = wanted[i];
    }
    assert_int_equal(oracle_rank(all, n), n);
    assert_int_equal(oracle_rank(all, 2 * n), n);
}

static void reveals(int v100, const char *seed, uint32_t jitter)
{
    static struct assembled a;
    const struct oracle o =
        seed ? oracle_hidden(v100, strtoull(strchr(seed, '=') + 1, NULL, 10)) : oracle_published(v100);
    struct reverse_found found;
    const char *step = "";
    set_up(&a, v100, seed, jitter);
    if (reverse_run(&a.gpu, &found, &step))
        fail_msg("failed at %s", step);
    print_message("%s %s jitter %u: %llu readings, %llu cycles, limits %u %u\n", names[v100],
                  seed ? seed : "published", jitter, (unsigned long long)found.readings,
                  (unsigned long long)assembled_now(&a), found.pair_limit, found.hit_limit);
    equals(&found.bank, o.bank, o.banks);
    equals(&found.set, o.set, o.sets);
    equals(&found.module, o.module, o.modules);
    assert_int_equal(found.line_bytes, 128);
    assert_int_equal(found.row_bytes, 2048);
    assert_int_equal(found.ways, v100 ? 48 : 16);
    assert_true(assembled_now(&a) < 3600 * UINT64_C(1530000000)); /* an hour */
    uint64_t pairs = 0;
    for (unsigned c = 0; c < ASSEMBLED_PAIR_CYCLES; c++)
        pairs += a.pairs[c];
    assert_in_range(pairs, 1000, found.readings - 1000); /* the others were chases */
    assembled_free(&a);
}

static void published_machines(void **state)
{
    (void)state;
    reveals(0, NULL, 0);
    reveals(0, NULL, 16);
    reveals(1, NULL, 16);
}

static void hidden_machines(void **state)
{
    (void)state;
    reveals(0, "machine.functions_seed=0", 16);
    reveals(1, "machine.functions_seed=1", 0);
    reveals(0, "machine.functions_seed=18446744073709551615", 0);
}

/* Readings are those of the machine, 4 cycles for the clock, and what jitter adds, which a seed repeats. */
static void readings(void **state)
{
    static struct assembled a, b, late;
    (void)state;
    set_up(&a, 0, NULL, 0);
    set_up(&b, 0, NULL, 16);
    set_up(&late, 0, NULL, 16);
    assert_int_equal(a.gpu.base, UINT64_C(16) << 20);
    assert_int_equal(a.gpu.bytes, 3276 * (UINT64_C(2) << 20)); /* 80 % of 8 GiB in whole pages */
    assert_int_equal(a.gpu.l2_bytes, 2 << 20);
    uint32_t cycles[3], jittered[3], again[3], most = 0;
    for (uint64_t i = 0; i < 200; i++) {
        const uint64_t at[] = {a.gpu.base + i * 4096, a.gpu.base + i * 4096, a.gpu.base + i * 4096 + 4};
        uint64_t all = a.gpu.chase(&a, at, 3, cycles);
        assert_int_equal(cycles[1], 217 + 4);
        assert_int_equal(cycles[2], 217 + 4);
        assert_int_equal(all, cycles[0] + cycles[1] + cycles[2] + 3 - 2 * 4 - 1);
        b.gpu.chase(&b, at, 3, jittered);
        late.gpu.chase(&late, at, 3, again);
        for (int k = 0; k < 3; k++) {
            assert_in_range(jittered[k], cycles[k], cycles[k] + 16);
            assert_int_equal(jittered[k], again[k]);
            most = jittered[k] - cycles[k] > most ? jittered[k] - cycles[k] : most;
        }
    }
    assert_int_equal(most, 16);
    assembled_free(&a);
    assembled_free(&b);
    assembled_free(&late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings),
        cmocka_unit_test(published_machines),
        cmocka_unit_test(hidden_machines),
    };
    return cmocka_run_group_tests_name("assembled", tests, NULL, NULL);
}
