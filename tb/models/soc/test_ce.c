/* SPDX-License-Identifier: Apache-2.0 */
/* The copy engines' registers: queues in their order, refused values, errors that name their descriptor,
 * time. */
#include "../engine/fakes.h"

#include <math.h>

#include "soc/ce.h"

#define PCIE3                                                                                                \
    {                                                                                                        \
        12, 7292, 700, 400                                                                                   \
    }

static struct mp_ce c;
static bool level;
static unsigned starts;

static void set_line(void *self, unsigned number, bool on)
{
    (void)self, (void)number;
    level = on;
}

static void started(void *self, unsigned engine)
{
    (void)self, (void)engine;
    starts++;
}

static int setup(void **state)
{
    (void)state;
    c = (struct mp_ce){.irq = {NULL, set_line, 0, false}, .link = PCIE3, .started = started};
    level = false;
    starts = 0;
    mp_ce_init(&c);
    return 0;
}

static void put(uint64_t offset, unsigned width, uint64_t value)
{
    assert_true(mp_regs_access(&c.regs, offset, width, true, &value));
}

static uint64_t get(uint64_t offset, unsigned width)
{
    uint64_t value;
    assert_true(mp_regs_access(&c.regs, offset, width, false, &value));
    return value;
}

#define AT(reg, e)                ((uint64_t)MP_CE_##reg + (e) * (uint64_t)MP_CE_##reg##_STRIDE)
#define PUT32(reg, e, value)      put(AT(reg, e), 4, value)
#define GET32(reg, e)             get(AT(reg, e), 4)
#define assert_refused(e, wanted) assert_int_equal(refused(e), wanted)

/* Returns whether an access was refused since the last call. */
static bool refused(unsigned e)
{
    const bool was = get(MP_CE_INT_STATUS, 4) >> MP_CE_INT_STATUS_REFUSED_LOW >> e & 1;
    put(MP_CE_INT_STATUS, 4, MP_CE_INT_STATUS_REFUSED);
    return was;
}

static void begin(unsigned e, uint64_t base, unsigned entries)
{
    put(AT(RING_BASE, e), 8, base);
    PUT32(RING_ENTRIES, e, entries);
}

static const struct mp_ce_descriptor in = {MP_CE_HOST, 0x1000, 4096, 0, 7};

static void rings(void **state)
{
    (void)state;
    static const unsigned bad[] = {1, 3, 65, 96, 128, 1u << 31};
    uint64_t at;
    PUT32(PUT, MP_CE_IN, 1); /* there is no ring */
    assert_refused(MP_CE_IN, true);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(MP_CE_IN, 0x1000, bad[i]);
        assert_refused(MP_CE_IN, true);
        assert_int_equal(GET32(RING_ENTRIES, MP_CE_IN), 0);
    }
    begin(MP_CE_IN, 0x1000, 4);
    assert_refused(MP_CE_IN, false);
    PUT32(PUT, MP_CE_IN, 5);
    assert_refused(MP_CE_IN, true);
    assert_int_equal(GET32(PUT, MP_CE_IN), 0);
    PUT32(PUT, MP_CE_IN, 4);
    assert_refused(MP_CE_IN, false);
    PUT32(PUT, MP_CE_IN, 3);
    assert_refused(MP_CE_IN, true);
    begin(MP_CE_IN, 0x2000, 8); /* while descriptors are queued */
    assert_refused(MP_CE_IN, true);
    assert_int_equal(GET32(RING_ENTRIES, MP_CE_IN), 4);
    assert_int_equal(starts, 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(mp_ce_next(&c, MP_CE_IN, &at));
        assert_int_equal(at, 0x1000 + i * sizeof in);
        assert_false(mp_ce_next(&c, MP_CE_IN, &at)); /* one after the other */
        mp_ce_ended(&c, MP_CE_IN, &in, MP_CE_ERROR_NONE);
    }
    assert_false(mp_ce_next(&c, MP_CE_IN, &at));
    PUT32(PUT, MP_CE_IN, 5);
    assert_true(mp_ce_next(&c, MP_CE_IN, &at));
    assert_int_equal(at, 0x1000); /* the fifth is the first entry again */
}

static void interrupts(void **state)
{
    (void)state;
    uint64_t at;
    begin(MP_CE_IN, 0, 2);
    begin(MP_CE_OUT, 0, 2);
    put(MP_CE_INT_ENABLE, 4, 2u << MP_CE_INT_STATUS_COPIED_LOW);
    PUT32(PUT, MP_CE_IN, 1);
    PUT32(PUT, MP_CE_OUT, 1);
    assert_true(mp_ce_next(&c, MP_CE_IN, &at));
    assert_true(mp_ce_next(&c, MP_CE_OUT, &at)); /* both at once */
    mp_ce_ended(&c, MP_CE_IN, &in, MP_CE_ERROR_NONE);
    assert_false(level);
    assert_int_equal(get(AT(FENCE, MP_CE_IN), 8), 7);
    mp_ce_ended(&c, MP_CE_OUT, &in, MP_CE_ERROR_NONE);
    assert_true(level);
    put(MP_CE_INT_STATUS, 4, MP_CE_INT_STATUS_COPIED);
    assert_false(level);
}

static void errors(void **state)
{
    (void)state;
    uint64_t at;
    begin(MP_CE_OUT, 0, 4);
    PUT32(PUT, MP_CE_OUT, 2);
    PUT32(RESUME, MP_CE_OUT, 1); /* nothing has stopped it */
    assert_int_equal(GET32(GET, MP_CE_OUT), 0);
    assert_true(mp_ce_next(&c, MP_CE_OUT, &at));
    mp_ce_ended(&c, MP_CE_OUT, &in, MP_CE_ERROR_DIRECTION);
    assert_int_equal(GET32(ERROR, MP_CE_OUT), MP_CE_ERROR_DIRECTION);
    assert_int_equal(GET32(GET, MP_CE_OUT), 0); /* names it */
    assert_int_equal(get(AT(FENCE, MP_CE_OUT), 8), 0);
    assert_int_equal(get(MP_CE_INT_STATUS, 4), 2u << MP_CE_INT_STATUS_STOPPED_LOW);
    assert_false(mp_ce_next(&c, MP_CE_OUT, &at));
    PUT32(RESUME, MP_CE_OUT, 0);
    assert_true(mp_ce_next(&c, MP_CE_OUT, &at));
    assert_int_equal(at, 0); /* again */
    mp_ce_ended(&c, MP_CE_OUT, &in, MP_CE_ERROR_BUS);
    PUT32(RESUME, MP_CE_OUT, 1);
    assert_int_equal(GET32(ERROR, MP_CE_OUT), MP_CE_ERROR_NONE);
    assert_true(mp_ce_next(&c, MP_CE_OUT, &at));
    assert_int_equal(at, sizeof in);
}

static void checks(void **state)
{
    (void)state;
    static const struct {
        struct mp_ce_descriptor d;
        enum mp_ce_error in, out;
    } list[] = {
        {{MP_CE_HOST, 0, 4096, 0, 0}, MP_CE_ERROR_NONE, MP_CE_ERROR_DIRECTION},
        {{0, MP_CE_HOST, 1, 0, 0}, MP_CE_ERROR_DIRECTION, MP_CE_ERROR_NONE},
        {{0, 4096, 4096, 0, 0}, MP_CE_ERROR_DIRECTION, MP_CE_ERROR_DIRECTION},
        {{MP_CE_HOST, MP_CE_HOST, 4096, 0, 0}, MP_CE_ERROR_DIRECTION, MP_CE_ERROR_DIRECTION},
        {{2 * MP_CE_HOST, 0, 4096, 0, 0}, MP_CE_ERROR_DIRECTION, MP_CE_ERROR_DIRECTION},
        {{0, UINT64_MAX - 4095, 4096, 0, 0}, MP_CE_ERROR_DIRECTION, MP_CE_ERROR_DIRECTION},
        {{0, 4096, 4096, MP_CE_ZERO, 0}, MP_CE_ERROR_NONE, MP_CE_ERROR_FLAGS},
        {{MP_CE_HOST, 0, 0, 0, 0}, MP_CE_ERROR_SIZE, MP_CE_ERROR_SIZE},
        {{MP_CE_HOST, 0, MP_CE_MOST_BYTES + 1, 0, 0}, MP_CE_ERROR_SIZE, MP_CE_ERROR_SIZE},
        {{MP_CE_HOST, 0, 4096, 2, 0}, MP_CE_ERROR_FLAGS, MP_CE_ERROR_FLAGS},
    };
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
        assert_int_equal(mp_ce_check(MP_CE_IN, &list[i].d), list[i].in);
        assert_int_equal(mp_ce_check(MP_CE_OUT, &list[i].d), list[i].out);
    }
}

/* UVMSmart's points of the curve: 2.2, 10.4 and 11.9 GB/s at 4 KB, 64 KB and 1 MB. */
static void times(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes;
        double gbps;
    } points[] = {{4096, 2.17}, {65536, 10.4}, {1 << 20, 11.9}};
    const struct mp_ce_link link = PCIE3, c2c = {400, 0, 300, 400};
    struct mp_ce_descriptor d = in;
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++) {
        d.bytes = points[i].bytes;
        const double gbps = d.bytes / (double)(mp_ce_ns(&link, &d) - link.latency);
        assert_true(fabs(gbps / points[i].gbps - 1) < 0.01);
    }
    d.bytes = 40000;
    assert_int_equal(mp_ce_ns(&c2c, &d), 300 + 100);
    d.flags = MP_CE_ZERO;
    assert_int_equal(mp_ce_ns(&link, &d), 100);
}

/* Any writes: never more descriptors than entries, in their order, and an engine never works twice at once.
 */
static void random_writes(void **state)
{
    (void)state;
    struct rng r = rng_start("copy engines", 23);
    static const uint64_t offsets[] = {MP_CE_RING_BASE, MP_CE_RING_ENTRIES, MP_CE_PUT, MP_CE_RESUME};
    for (unsigned i = 0; i < 100000; i++) {
        const unsigned e = rng_below(&r, 2), what = rng_below(&r, 6);
        const uint32_t taken = (uint32_t)GET32(GET, e), entries = (uint32_t)GET32(RING_ENTRIES, e);
        uint64_t at;
        if (what < 4) {
            const unsigned width = what ? 4 : 8;
            const uint32_t value = rng_below(&r, 2) ? rng_below(&r, 130) : taken + rng_below(&r, 66);
            put(offsets[what] + e * (uint64_t)width, width, value);
        } else if (c.engine[e].busy) {
            const bool well = rng_below(&r, 4);
            assert_false(mp_ce_next(&c, e, &at));
            mp_ce_ended(&c, e, &in, well ? MP_CE_ERROR_NONE : MP_CE_ERROR_BUS);
            assert_int_equal((uint32_t)GET32(GET, e), taken + well);
        } else if (mp_ce_next(&c, e, &at)) {
            assert_true(entries && at == c.engine[e].base + taken % entries * sizeof in);
        }
        assert_true((uint32_t)(GET32(PUT, e) - GET32(GET, e)) <= GET32(RING_ENTRIES, e));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rings, setup),  cmocka_unit_test_setup(interrupts, setup),
        cmocka_unit_test_setup(errors, setup), cmocka_unit_test_setup(checks, setup),
        cmocka_unit_test_setup(times, setup),  cmocka_unit_test_setup(random_writes, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
