/* SPDX-License-Identifier: Apache-2.0 */
/* The latencies of the machines of Fractional GPUs, as a program with one thread measures them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/config.h"
#include "gpu/configure.h"
#include "gpu/probe.h"
#include "map/gf2.h"

enum { MB = 1 << 20, SPREAD = 4096 };

static struct mp_probe probe;

/* Loads go past the L1, as the paper's programs ask. */
static void assemble(const char *name)
{
    struct mp_config c;
    struct mp_error err = {""};
    struct mp_machine m;
    if (mp_config_load(&c, name, 1, (const char *[]){"l1d.loads=bypassed"}, &err))
        fail_msg("%s", err.text);
    mp_machine_configure(&m, &c);
    uint64_t memory = m.memory_per_slice;
    if (mp_probe_init(&probe, &m, 1, 16 * MB, memory / 10 * 8 / (2 * MB) * (2 * MB), &err))
        fail_msg("%s", err.text);
    mp_config_free(&c);
}

static uint32_t bank_of(uint64_t pa)
{
    const struct mp_gf2 *hash = mp_probe_hash(&probe);
    return mp_gf2_number(hash->bank, hash->banks, pa);
}

static uint32_t module_of(uint64_t pa)
{
    const struct mp_gf2 *hash = mp_probe_hash(&probe);
    return mp_gf2_number(hash->module, hash->modules, pa);
}

static uint64_t row_of(uint64_t pa)
{
    return pa >> mp_probe_hash(&probe)->row_shift;
}

/* The first line after `from` that was not read and has, with a, the same bank or module or not. */
static uint64_t partner(uint64_t a, uint64_t from, bool same_bank, bool same_module)
{
    uint64_t b = from;
    while ((bank_of(b) == bank_of(a)) != same_bank || (module_of(b) == module_of(a)) != same_module ||
           row_of(b) == row_of(a))
        b += 128;
    return b;
}

static void touch(uint64_t a, uint64_t b) /* translations, by the last lines of the pages */
{
    const uint64_t lines[] = {(a | (2 * MB - 1)) & ~3ull, (b | (2 * MB - 1)) & ~3ull};
    mp_probe_chase(&probe, lines, 2, NULL);
}

static void latencies(const char *name, uint32_t hit, uint32_t miss, uint32_t conflict)
{
    uint64_t at = 32 * MB, cycles[3];
    int cold = 0; /* banks without an open row */
    assemble(name);
    const uint32_t rp = probe.machine.dram.rp;
    for (int i = 0; i < 50; i++, at += 2 * MB + SPREAD) { /* pages that were not used before */
        const uint64_t far = partner(at, at + 64 * MB, false, false);
        const uint64_t other = at + MB, near = partner(other, at + 64 * MB, true, true);
        const uint64_t again[] = {far, far, far};
        touch(at, far);
        uint64_t two = mp_probe_pair(&probe, at, far);
        assert_in_range(two, miss - 44, miss + 1); /* a closed row, or one that is open, is faster */
        mp_probe_chase(&probe, again, 3, cycles);
        assert_int_equal(cycles[1], hit);
        assert_int_equal(cycles[2], hit);
        touch(other, near);
        two = mp_probe_pair(&probe, other, near);
        cold += two == miss + conflict - rp;
        assert_true(two == miss + conflict || two == miss + conflict - rp);
    }
    assert_in_range(cold, 1, 49);
    mp_probe_free(&probe);
}

static void a_gtx_1080(void **state)
{
    (void)state;
    latencies("fgpu-gtx1080", 217, 490, 100);
}

static void a_v100(void **state)
{
    (void)state;
    latencies("fgpu-v100", 194, 377, 71);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_gtx_1080), cmocka_unit_test(a_v100)};
    return cmocka_run_group_tests_name("fgpu_machines", tests, NULL, NULL);
}
