/* SPDX-License-Identifier: Apache-2.0 */
/* The console with a user's input, and the job, with a GPU that caches entries (gpu_stub.h). */
#include "gpu_stub.h"

#include "console.h"
#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "job.h"
#include "mig.h"
#include "plic.h"
#include "uart.h"

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){9}, 500);
    uart_init();
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

static void clear(void)
{
    board.length = 0;
    board.text[0] = '\0';
}

/* Checks the answer to a line, without its echo and the next prompt. */
static const char *answer(const char *line)
{
    clear();
    for (const char *c = line; *c; c++)
        assert_true(console_type(*c));
    assert_memory_equal(board.text, line, strlen(line));
    clear();
    assert_true(console_type('\r'));
    assert_true(board.length >= 3 && !strcmp(board.text + board.length - 2, "> "));
    board.text[board.length - 2] = '\0';
    return board.text + 1;
}

#define SAYS(line, expected) assert_string_equal(answer(line), expected)

/* A size that the machine does not have is refused with those that it has. */
static void sizes_of_pages(void **state)
{
    (void)state;
    SAYS("make 0 2", "");
    SAYS("make 1 2", "");
    SAYS("open 0 0 2M", "");
    SAYS("open 1 1 4K", "");
    gpu_stub.operations.page_sizes = 65536 | 2097152;
    mp_mgmt_init(&gpu_stub.mgmt);
    SAYS("make 2 2", "");
    SAYS("open 2 2 4K", "pages of 65536\npages of 2097152\nopen: the machine cannot do that\n");
    SAYS("open 2 2", "");
}

/* Where walks use contiguity bits. */
static void contiguity(void **state)
{
    (void)state;
    gpu_stub.operations.contiguity = true;
    mp_mgmt_init(&gpu_stub.mgmt);
    plic_init();
    assert_int_equal(dma_init(), FW_OK);
    assert_int_equal(gpu_init(), FW_OK);
    SAYS("make 1 2", "");
    SAYS("open 1 3 4K", "");
    SAYS("map 3 0x200000 4M", "");
    assert_non_null(
        strstr(answer("contiguity"), "    3      1024          0     0.0 %         2         0 "));
    assert_non_null(strstr(answer("scan 3"), "2 frames of 2 MB, 2 contiguous, 16 contiguous subregions; "
                                             "2 frames changed, 1024 entries read in "));
    SAYS("remap 3 0x201000 4K", "");
    assert_non_null(
        strstr(answer("contiguity"), "    3      1024        960    93.7 %         2         1 "));
    SAYS("scan 4", "scan: not there\n");
    SAYS("drop 1", "");
}

static void editing(void **state)
{
    (void)state;
    for (const char *c = "pexx\b\x7f"; *c; c++)
        console_type(*c);
    assert_string_equal(board.text, "pexx\b \b\b \b");
    for (const char *c = "ek 0x02000000\x01\x1b"; *c; c++)
        console_type(*c);
    clear();
    console_type('\n');
    assert_string_equal(board.text, "\n0x0\n> ");
    for (unsigned i = 0; i < 200; i++) /* no longer than the line */
        console_type('x');
    clear();
    console_type('\r');
    assert_int_equal(strspn(board.text + 1, "x"), 80);
    for (unsigned i = 0; i < 3; i++)
        console_type('\b');
    assert_string_equal(board.text + board.length - 2, "> ");
    SAYS("", "");
}

static void refusals(void **state)
{
    (void)state;
    SAYS("walk", "usage: walk SPACE VA\n");
    SAYS("walk 1 2 3", "usage: walk SPACE VA\n");
    SAYS("fly 1", "fly: no such command; help lists all\n");
    SAYS("1 2 3 4 5 6 7 8 9 10 11 12 13", "too many words: no such command; help lists all\n");
    SAYS("map 0 1x 4", "map: not a number: 1x; decimal or 0x, with K, M or G\n");
    SAYS("walk 0 0", "walk: not there\n");
    SAYS("make 4294967296 1", "make: an argument is out of range\n"); /* not instance 0 */
    SAYS("policy 5 0", "policy: an argument is out of range\n");
    SAYS("peek 0x40000000", "peek: bus error\n");
    SAYS("peek 3", "peek: an argument is out of range\n");
    SAYS("peek 0 3", "peek: an argument is out of range\n");
    SAYS("poke 0x0c001000 1", "poke: bus error\n");
    SAYS("counters 9", "counters: an argument is out of range\n");
    SAYS("close 4", "close: not there\n");
}

static void commands(void **state)
{
    (void)state;
    SAYS("make 0 3", "");
    SAYS("make 0 3", "make: there already\n");
    SAYS("open 0 2", "");
    SAYS("map 2 0x10000 128K", "");
    SAYS("walk 2 0x1fff8", "level 0: 0x5fff000 holds 0x0000000005ffe001\n"
                           "level 1: 0x5ffe000 holds 0x0000000005ffd001\n"
                           "level 2: 0x5ffd000 holds 0x0000000005ffc001\n"
                           "level 3: 0x5ffc008 holds 0x0000000000000003\n"
                           "0x1fff8 is at 0xfff8\n");
    SAYS("guard 2 0x10000 64K", "");
    assert_non_null(strstr(answer("walk 2 0x1fff8"), "0x1fff8 is at 0xfff8, guarded\n"));
    SAYS("readonly 2 0x10000 64K", "");
    assert_non_null(strstr(answer("walk 2 0x1fff8"), "0x1fff8 is at 0xfff8, read only\n"));
    SAYS("free 2 0x10000 64K", "");
    SAYS("remap 2 0x10000 64K", "");
    assert_non_null(strstr(answer("walk 2 0x1fff8"), "0x1fff8 is at 0x2fff8\n"));
    SAYS("tlb", "1 entries removed\n");
    SAYS("tlb 2", "1 entries removed\n");
    assert_int_equal(gpu_stub.invalidation.scope, MP_MGMT_ASID);
    SAYS("tlb 2 0x10000", "1 entries removed\n");
    assert_int_equal(gpu_stub.invalidation.scope, MP_MGMT_PAGE);
    SAYS("tlb 2 0x10000 128K", "1 entries removed\n");
    assert_int_equal(gpu_stub.invalidation.bytes, 131072);
    SAYS("tlb 2 0x10000 5000", "tlb: an argument is out of range\n");
    SAYS("tlb 2 0x10000 4M", "tlb: an argument is out of range\n");
    SAYS("tlb 2 0xfffffffff000 8K", "tlb: an argument is out of range\n");
    SAYS("tlb 2 0x10000", "1 entries removed\n");
    assert_int_equal(gpu_stub.invalidation.bytes, 0);
    SAYS("policy 3 1", "");
    assert_int_equal(gpu_stub.tlb_level * 10 + gpu_stub.tlb_policy, 31);
    SAYS("walkers 0 2", "");
    assert_int_equal(gpu_stub.walk.owned[2], 0xffffff);
    SAYS("mig", "7 slices with 8 walkers each, 224 MB\n"
                "0: 3g at 0x0, 95 of 96 MB free\n"
                "   space 2: 2 pages of 64 KB, root 0x5fff000\n");
    SAYS("unmap 2 0x10000 128K", "");
    SAYS("unmap 2 0x10000 128K", "unmap: not there\n");
    assert_non_null(strstr(answer("walk 2 0x1fff8"), "0x1fff8 has no page\n"));
    SAYS("poke 0x0c002000 0x6 4", "");
    SAYS("peek 0x0c002000", "0x6\n");
}

static void runs(void **state)
{
    (void)state;
    char line[80];
    answer("make 1 4");
    answer("open 1 3");
    SAYS("run 1 3 0", "run: an access was given up\n");
    snprintf(line, sizeof line, "promise 3 0x%llx 4M", (unsigned long long)gpu_stub.base[3]);
    SAYS(line, "");
    SAYS("run 1 3 0", "");
    SAYS("run 1 3 7", "run: not there\n");
    assert_int_equal(gmmu_space(3)->pages, STUB_SPAN);
    const struct fault_counts *f = fault_counts(3);
    assert_non_null(strstr(answer("faults"),
                           "space  reported    mapped  repeated   refused    flawed   replays\n    3 "));
    assert_int_equal(f->mapped, STUB_SPAN);
    assert_non_null(strstr(answer("counters 3"), "  cycles                     1003\n"));
    assert_non_null(strstr(board.text, "  L3 TLB misses                50   25.0 %\n"));
    SAYS("scan 3", "scan: the machine cannot do that\n"); /* its walks use no contiguity bits */
    SAYS("close 3", "");
    SAYS("drop 1", "");
    assert_non_null(strstr(answer("help"), "\nwalk             SPACE VA "));
    clear();
    for (const char *c = "quit"; *c; c++)
        assert_true(console_type(*c));
    assert_false(console_type('\r'));
}

/* Three tenants start, run, and end, twice; the pages of one are mapped on faults. */
static void job(void **state)
{
    (void)state;
    gpu_stub.busy = 1;
    assert_int_equal(job_run(), FW_OK);
    assert_int_equal(gpu_stub.tlb_policy, 1);
    assert_non_null(
        strstr(board.text, "--- L3 TLB: baseline\ntenant 0: 3g, 96 MB at 0x0, 64 pages mapped\n"));
    assert_non_null(
        strstr(board.text, "tenant 2: 2g, 64 MB at 0xa000000, 0 pages mapped, others on demand\n"));
    assert_int_equal(fault_counts(0)->reported, 0);
    assert_int_equal(fault_counts(2)->mapped, 2 * STUB_SPAN);
    for (unsigned i = 0; i < 3; i++)
        assert_null(mig_instance(i));
    gpu_stub.operations.workloads = 2;
    mp_mgmt_init(&gpu_stub.mgmt);
    assert_int_equal(job_run(), FW_ENOENT);
}

/* If an instance exists already, the job removes everything that it made. */
static void job_fails(void **state)
{
    (void)state;
    assert_int_equal(mig_create(5, 1), FW_OK);
    assert_int_equal(job_run(), FW_ENOMEM);
    for (unsigned i = 0; i < 3; i++)
        assert_null(mig_instance(i));
    assert_non_null(mig_instance(5));
}

/* Two jobs by turns: a line for each, and what it costs. */
static void slices(void **state)
{
    unsigned space, workload, number, preempted;
    (void)state;
    SAYS("make 0 2", "");
    for (unsigned a = 0; a < 2; a++) {
        char line[64];
        snprintf(line, sizeof line, "open 0 %u", a);
        SAYS(line, "");
        snprintf(line, sizeof line, "promise %u 0x%llx 4M", a, (unsigned long long)gpu_stub.base[a]);
        SAYS(line, "");
    }
    const char *line = strstr(answer("slice 0 3 0 0 1 1"), "\n    1 ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%u %u %u %u", &space, &workload, &number, &preempted), 4);
    assert_true(space == 1 && workload == 1 && number > 1 && preempted == number - 1);
    assert_non_null(strstr(line, " us, by turns "));
    SAYS("slice 0 0 0 0 1 1", "slice: an argument is out of range\n");
    SAYS("slice 0 3 0 0 1 1 1", "slice: an argument is out of range\n");
    SAYS("slice 0 3 0 0 8 1", "slice: an argument is out of range\n");
    SAYS("slice 0 3 0 0 1 7", "slice: an argument is out of range\n");
    SAYS("slice 8 3 0 0 1 1", "slice: an argument is out of range\n");
    SAYS("slice 1 3 0 0 1 1", "slice: not there\n");
    SAYS("slice 0 3 0 0", "usage: slice INSTANCE US SPACE WORKLOAD...\n");
    SAYS("close 0", ""); /* nothing is saved */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(editing),    TEST(refusals), TEST(commands), TEST(sizes_of_pages),
                                       TEST(contiguity), TEST(runs),     TEST(job),      TEST(job_fails),
                                       TEST(slices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
