/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops are known to be endless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soc/repeat.h"

enum { BASE = 0x10000, BYTES = 0x4000, DEVICE = 0x40000000, A0 = 10, A1 = 11, QUANTUM = 1000 };

static _Alignas(4096) uint8_t memory[BYTES];

struct fixture {
    struct mp_hart *hart;
    struct mp_repeat repeat;
    uint64_t answer, step; /* of the device: this one, and by how much the next one is larger */
};

static void see(void *self, uint64_t number, uint64_t pc, uint32_t code)
{
    struct fixture *f = self;
    (void)number, (void)pc;
    mp_repeat_look(&f->repeat, code);
}

static bool access(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    struct fixture *f = self;
    (void)width;
    if (!write) {
        *data = f->answer;
        f->answer += f->step;
    }
    if (f->repeat.follows)
        mp_repeat_access(&f->repeat, address, *data, write, false);
    return true;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const struct mp_hart_bus bus = {.self = f, .access = access};
    f->hart = mp_hart_new(&bus, NULL);
    memset(memory, 0, sizeof memory);
    mp_hart_map_memory(f->hart, BASE, BYTES, memory, true, NULL);
    mp_hart_map_devices(f->hart, DEVICE, 0x1000, NULL);
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    mp_hart_write(f->hart, A1, BASE + 0x2000);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mp_hart_free(f->hart);
    free(f);
    return 0;
}

/* Runs the program, and returns the number of quanta after which it is known to be endless, or 0. */
static unsigned endless(struct fixture *f, const uint32_t *code, size_t bytes)
{
    uint64_t done;
    memcpy(memory, code, bytes);
    mp_repeat_init(&f->repeat, f->hart);
    for (unsigned quantum = 1; quantum <= 300; quantum++) {
        uint64_t count = mp_hart_counts(f->hart)->instructions;
        mp_hart_trace(f->hart, f->repeat.follows ? count + 1 : 0, UINT64_MAX, see, f);
        mp_hart_run(f->hart, QUANTUM, &done);
        if (mp_repeat_quantum(&f->repeat))
            return quantum;
    }
    return 0;
}
#define ENDLESS(f, ...) endless(f, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__})

enum {
    STAY = 0x0000006f,
    NOP = 0x00000013,
    LD_A0_A1 = 0x0005b503,
    SD_A0_A1 = 0x00a5b023,
    LI_A0 = 0x00000513,   /* li a0, 0 */
    ADDI_A0 = 0x00150513, /* addi a0, a0, 1 */
    XORI_A0 = 0x00154513, /* xori a0, a0, 1 */
    RDTIME = 0xc0102573 - (1ll << 32),
    BACK_4 = 0xffdff06f - (1ll << 32),
    BACK_8 = 0xff9ff06f - (1ll << 32),
    BACK_16 = 0xff1ff06f - (1ll << 32),
};

static void found(void **state)
{
    struct fixture *f = *state;
    assert_in_range(ENDLESS(f, STAY), 1, 4);
    assert_int_equal(f->repeat.period, QUANTUM);
}

/* The period in quanta is found, and a prefix before the loop does not matter. */
static void longer_periods(void **state)
{
    struct fixture *f = *state;
    assert_in_range(ENDLESS(f, ADDI_A0, ADDI_A0, NOP, NOP, (uint32_t)BACK_8), 3, 30);
    assert_int_equal(f->repeat.period, 3 * QUANTUM);
}

/* Registers come back, but memory counts. */
static void memory_counts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(ENDLESS(f, LD_A0_A1, ADDI_A0, SD_A0_A1, LI_A0, (uint32_t)BACK_16), 0);
}

/* Memory changes and comes back. */
static void memory_comes_back(void **state)
{
    struct fixture *f = *state;
    assert_in_range(ENDLESS(f, LD_A0_A1, XORI_A0, SD_A0_A1, LI_A0, (uint32_t)BACK_16), 3, 30);
}

static void reads_a_device(void **state)
{
    struct fixture *f = *state;
    mp_hart_write(f->hart, A1, DEVICE);
    assert_in_range(ENDLESS(f, LD_A0_A1, (uint32_t)BACK_4), 3, 10);
}

/* The device's answer changes, though no register has it at the end of a quantum. */
static void a_device_changes(void **state)
{
    struct fixture *f = *state;
    f->step = 1;
    mp_hart_write(f->hart, A1, DEVICE);
    assert_int_equal(ENDLESS(f, LD_A0_A1, LI_A0, NOP, NOP, (uint32_t)BACK_16), 0);
}

static void writes_a_device(void **state)
{
    struct fixture *f = *state;
    mp_hart_write(f->hart, A1, DEVICE);
    assert_int_equal(ENDLESS(f, SD_A0_A1, (uint32_t)BACK_4), 0);
}

static void reads_the_time(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(ENDLESS(f, (uint32_t)RDTIME, LI_A0, NOP, NOP, (uint32_t)BACK_16), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(found),          TEST(longer_periods),   TEST(memory_counts),   TEST(memory_comes_back),
        TEST(reads_a_device), TEST(a_device_changes), TEST(writes_a_device), TEST(reads_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
