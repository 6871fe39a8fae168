/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of faults: what a file may say, what is drawn, and at which event a fault happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/wheel.h"
#include "soc/inject.h"
#include "soc/regs.h"

static struct mp_error err;
static struct mp_inject plan;

static int parse(const char *text)
{
    return mp_inject_parse(&plan, "plan.yaml", text, strlen(text), 1000, &err);
}

static void test_entries(void **state)
{
    (void)state;
    assert_int_equal(parse("faults:\n"
                           "  - {fault: interrupt-lost, source: gpu-queue, event: 2}\n"
                           "  - {fault: invalidation-late, cycle: 70, by: 100us}\n"
                           "  - {fault: bus-error, device: gpu-memory, event: 3}\n"
                           "  - {fault: interrupt-spurious, source: uart, event: 1}\n"
                           "  - {fault: invalidation-late, event: 1, by: ever}\n"
                           "  - {fault: valid-bit-late, event: 4, by: 10us}\n"),
                     0);
    assert_int_equal(plan.faults, 6);
    assert_int_equal(plan.fault[0].place, MP_GPU_QUEUE_IRQ);
    assert_int_equal(plan.fault[0].event, 2);
    assert_int_equal(plan.fault[1].cycle, 70);
    assert_int_equal(plan.fault[1].event, 0);
    assert_int_equal(plan.fault[1].lasts, 100000); /* 1 GHz */
    assert_int_equal(plan.fault[2].place, MP_WINDOW_GPU_MEMORY);
    assert_int_equal(plan.fault[3].lasts, 1000); /* unless the entry says it */
    assert_true(plan.fault[4].lasts == MP_NEVER);
    assert_int_equal(plan.fault[4].line, 6);
    assert_int_equal(plan.fault[5].lasts, 10000);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "plan.yaml:1: no plan of faults; faults: [...], random: {...}, or both"},
        {"faults: []\n", "plan.yaml:1: no faults; at least one"},
        {"faults: 3\n", "plan.yaml:1: faults: not a list"},
        {"fault: []\n", "plan.yaml:1: 'fault' in a plan of faults; faults, random"},
        {"faults:\n  - {event: 1}\n", "plan.yaml:2: an entry without 'fault'"},
        {"faults:\n  - {fault: fire, event: 1}\n", "plan.yaml:2: no kind of fault 'fire'; interrupt-lost, "},
        {"faults:\n  - {fault: bus-error, event: 1}\n", "plan.yaml:2: bus-error needs more; device"},
        {"faults:\n  - {fault: bus-error, device: disk, event: 1}\n",
         "plan.yaml:2: device: 'disk' is not there; rom, finisher, clint, "},
        {"faults:\n  - {fault: interrupt-lost, source: disk, event: 1}\n",
         "plan.yaml:2: source: 'disk' is not there; gpu-invalidate, "},
        {"faults:\n  - {fault: bus-error, device: gpu}\n",
         "plan.yaml:2: bus-error needs a time; event or cycle, one of both"},
        {"faults:\n  - {fault: bus-error, device: gpu, event: 1, cycle: 2}\n", "event or cycle, one of both"},
        {"faults:\n  - fault: bus-error\n    device: gpu\n    event: 1\n    by: 3us\n",
         "plan.yaml:5: 'by' is no key of bus-error; fault, event, cycle, device"},
        {"faults:\n  - {fault: bus-error, device: gpu, event: 0}\n", "plan.yaml:2: event: '0' is too small"},
        {"faults:\n  - {fault: invalidation-late, event: 1, by: 3}\n",
         "plan.yaml:2: by: '3' is no time; such as 500ns"},
        {"faults:\n  - {fault: valid-bit-late, event: 1}\n", "plan.yaml:2: valid-bit-late needs more; by"},
        {"faults:\n  - {fault: ecc-page, event: 1}\n", "plan.yaml:2: ecc-page needs more; kind"},
        {"faults:\n  - {fault: ecc-page, event: 1, kind: bad}\n",
         "plan.yaml:2: kind: 'bad'; corrected or poisoned"},
        {"faults:\n  - {fault: launch-hangs, event: 1, for: 3us}\n",
         "plan.yaml:2: 'for' is no key of launch-hangs; fault, event, cycle"},
        {"random: {faults: 65}\n", "plan.yaml:1: faults: '65' is too large"},
        {"random: {kinds: []}\n", "plan.yaml:1: kinds: not a list"},
        {"random: {kinds: [fire]}\n", "plan.yaml:1: no kind of fault 'fire'"},
        {"random: {kinds: [fire]}\n", ", valid-bit-late, copy-late, copy-fails"}, /* all are listed */
        {"random: {often: 1}\n", "plan.yaml:1: 'often' in random; seed, faults, kinds"},
        {"random: 7\n", "plan.yaml:1: random: not a mapping"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse(bad[i].text), -1);
        if (!strstr(err.text, bad[i].error))
            fail_msg("'%s' is refused by '%s', not by '%s'", bad[i].text, err.text, bad[i].error);
    }
}

static void test_events(void **state)
{
    (void)state;
    assert_int_equal(parse("faults:\n"
                           "  - {fault: bus-error, device: gpu, event: 2}\n"
                           "  - {fault: bus-error, device: gpu, cycle: 70}\n"),
                     0);
    assert_null(mp_inject_event(&plan, MP_INJECT_BUS_ERROR, MP_WINDOW_GPU, 10));
    assert_null(mp_inject_event(&plan, MP_INJECT_BUS_ERROR, MP_WINDOW_UART, 20)); /* another device */
    assert_null(mp_inject_event(&plan, MP_INJECT_INVALIDATION_LATE, 0, 25));      /* another kind */
    assert_ptr_equal(mp_inject_event(&plan, MP_INJECT_BUS_ERROR, MP_WINDOW_GPU, 30), &plan.fault[0]);
    assert_null(mp_inject_event(&plan, MP_INJECT_BUS_ERROR, MP_WINDOW_GPU, 69));
    assert_ptr_equal(mp_inject_event(&plan, MP_INJECT_BUS_ERROR, MP_WINDOW_GPU, 75), &plan.fault[1]);
    assert_null(mp_inject_event(&plan, MP_INJECT_BUS_ERROR, MP_WINDOW_GPU, 80)); /* each happens once */
    assert_int_equal(plan.fault[0].happened, 30);
    assert_int_equal(plan.fault[1].happened, 75);
}

static void draw(uint64_t seed, const struct mp_inject_events *there)
{
    assert_int_equal(parse("random: {faults: 64, kinds: [bus-error, interrupt-lost, invalidation-late]}"), 0);
    plan.seed = seed;
    assert_int_equal(mp_inject_draw(&plan, there, &err), 0);
    assert_int_equal(plan.faults, 64);
}

static void test_drawn(void **state)
{
    (void)state;
    struct mp_inject_events there = {{{0}}};
    there.number[MP_INJECT_BUS_ERROR][MP_WINDOW_GPU] = 10;
    there.number[MP_INJECT_BUS_ERROR][MP_WINDOW_UART] = 3;
    there.number[MP_INJECT_INVALIDATION_LATE][0] = 5;
    there.number[MP_INJECT_INTERRUPT_SPURIOUS][1] = 5; /* is not wanted */
    uint64_t most[MP_WINDOW_GPU_MEMORY + 1] = {0};
    draw(1, &there);
    const struct mp_inject first = plan;
    for (unsigned i = 0; i < plan.faults; i++) {
        const struct mp_injected *f = &plan.fault[i];
        assert_in_range(f->event, 1, there.number[f->kind][f->place]);
        assert_true(f->kind == MP_INJECT_BUS_ERROR || f->kind == MP_INJECT_INVALIDATION_LATE);
        if (f->kind == MP_INJECT_BUS_ERROR && f->event > most[f->place])
            most[f->place] = f->event;
    }
    assert_int_equal(most[MP_WINDOW_UART], 3);
    draw(1, &there);
    assert_memory_equal(&first, &plan, sizeof plan);
    draw(2, &there);
    assert_memory_not_equal(&first, &plan, sizeof plan);

    assert_int_equal(parse("random: {kinds: [interrupt-lost]}"), 0);
    assert_int_equal(mp_inject_draw(&plan, &there, &err), -1);
    assert_non_null(strstr(err.text, "has no event of these kinds"));
}

static void test_texts(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(parse("faults:\n"
                           "  - {fault: interrupt-lost, source: gpu-queue, event: 2}\n"
                           "  - {fault: invalidation-late, cycle: 70, by: 100us}\n"
                           "  - {fault: interrupt-spurious, source: dma, event: 1, for: ever}\n"
                           "  - {fault: walker-stuck, event: 4}\n"
                           "  - {fault: ecc-page, kind: poisoned, event: 5}\n"
                           "  - {fault: launch-hangs, event: 6}\n"),
                     0);
    static const struct {
        const char *where, *when;
    } texts[] = {{"gpu-queue", "event 2"}, {"100 us", "cycle 70"},  {"dma for ever", "event 1"},
                 {"for ever", "event 4"},  {"poisoned", "event 5"}, {"", "event 6"}};
    for (unsigned i = 0; i < plan.faults; i++) {
        mp_inject_where(&plan, &plan.fault[i], text, sizeof text);
        assert_string_equal(text, texts[i].where);
        mp_inject_when(&plan.fault[i], text, sizeof text);
        assert_string_equal(text, texts[i].when);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries), cmocka_unit_test(test_refused), cmocka_unit_test(test_events),
        cmocka_unit_test(test_drawn),   cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
