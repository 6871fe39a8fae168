/* SPDX-License-Identifier: Apache-2.0 */
/* An instance with two address spaces of managed memory, on a GPU that accesses pages at any time. */
#ifndef MANAGED_BENCH_H
#define MANAGED_BENCH_H

#include "gpu_stub.h"

#include "error.h"
#include "soc/access_counters.h"
#include "uvm.h"

enum { PAGE = 65536, ACCESSES = 600, SPACES = 2, BYTES = STUB_SPAN * PAGE };

extern struct managed {
    unsigned lost_each; /* each entry whose number is a multiple of this never becomes valid; 0: none */
    struct mp_access_counters counters;
    uint64_t expected[SPACES][STUB_SPAN], writes, all_memory;
} managed;

/* The teardown finds out whether all memory has come back. */
int managed_setup(void **state);
int managed_teardown(void **state);

uint64_t managed_page_of(unsigned asid, unsigned page);
/* A pool, and a range in each space whose pages the host has written. */
void managed_begin_setup(const struct uvm_setup *pool);
void managed_begin(unsigned chunks, unsigned prefetch, unsigned evict);
/* Launches in both spaces, to their ends. */
enum fw_error managed_run_all(void);
/* As stores of the GPU, which has no data here. */
void managed_write_what_is_there(void);
/* The host has what was written last. */
void managed_check_data(void);

#define TEST(name) cmocka_unit_test_setup_teardown(name, managed_setup, managed_teardown)

#endif
