/* SPDX-License-Identifier: Apache-2.0 */
/* The events that count as progress of firmware. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "soc/liveness.h"

static struct mp_liveness p;
static uint64_t now;

static int begin(void **state)
{
    (void)state;
    mp_liveness_init(&p);
    now = 0;
    return 0;
}

/* Returns whether the write is progress. */
static bool writes(uint64_t address, uint64_t value, bool memory)
{
    const struct mp_liveness_write w = {address, value};
    mp_liveness_wrote(&p, ++now, MP_LIVENESS_CORE, memory, &w);
    return p.latest == now;
}

static void repeated_writes(void **state)
{
    (void)state;
    assert_true(writes(16, 1, false));
    assert_false(writes(16, 1, false));
    assert_true(writes(16, 2, false));
    assert_true(writes(24, 1, false));
    for (unsigned i = 0; i < 3; i++) {
        assert_false(writes(16, 1, false));
        assert_false(writes(24, 1, false));
        assert_false(writes(16, 2, false));
    }
    assert_int_equal(p.latest, 4);
}

/* After an event, the same writes may have another effect. */
static void events(void **state)
{
    (void)state;
    assert_true(writes(16, 1, false));
    mp_liveness_event(&p, ++now);
    assert_int_equal(p.latest, now);
    assert_true(writes(16, 1, false));
    assert_false(writes(16, 1, false));
}

/* The number of the event is stored in few bits; a write of long ago is new nevertheless. */
static void many_events(void **state)
{
    (void)state;
    assert_true(writes(16, 1, false));
    for (unsigned i = 0; i < 3 * 65535; i++) {
        mp_liveness_event(&p, ++now);
        if (i % 65535 == 65534)
            assert_true(writes(16, 1, false));
    }
}

static void counting_register(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < MP_LIVENESS_WRITES; i++)
        assert_true(writes(16, i * 0x1000, false));
    assert_false(writes(16, UINT64_MAX, false));
    mp_liveness_event(&p, ++now);
    assert_true(writes(16, UINT64_MAX, false));
}

/* Memory of any size may be filled, once, upward or downward. */
static void filled_memory(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++)
        assert_true(writes(8 * i, 0, true));
    for (uint64_t i = 0; i < 100000; i++)
        assert_false(writes(8 * i, 0, true));
    mp_liveness_event(&p, ++now);
    for (uint64_t i = 100000; i-- > 0;)
        assert_true(writes(8 * i, 0, true));
}

/* The copy engine's addresses do not hide those of the core. */
static void two_writers(void **state)
{
    (void)state;
    const struct mp_liveness_write low = {0, 0}, high = {1ull << 40, 0};
    mp_liveness_wrote(&p, ++now, MP_LIVENESS_DMA, true, &low);
    mp_liveness_wrote(&p, ++now, MP_LIVENESS_DMA, true, &high);
    for (uint64_t i = 1; i < 10000; i++)
        assert_true(writes(8 * i, 0, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(repeated_writes, begin),   cmocka_unit_test_setup(events, begin),
        cmocka_unit_test_setup(counting_register, begin), cmocka_unit_test_setup(filled_memory, begin),
        cmocka_unit_test_setup(two_writers, begin),       cmocka_unit_test_setup(many_events, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
