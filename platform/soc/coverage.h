/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of source lines and functions, from the instructions that an image executes and its debug
 * information; the image has no instrumentation. */
#ifndef MP_SOC_COVERAGE_H
#define MP_SOC_COVERAGE_H

#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_coverage;

struct mp_coverage_sum {
    uint64_t lines, lines_executed, functions, functions_executed;
};

/* Coverage of an ELF executable's code at addresses from begin to end, without end. Returns NULL with err
 * if the file has no line information, or on failure. */
struct mp_coverage *mp_coverage_open(const char *file, uint64_t begin, uint64_t end, struct mp_error *err);
void mp_coverage_close(struct mp_coverage *c); /* NULL is allowed */

/* Counts an execution of the instruction at pc. Addresses outside the code are ignored. */
void mp_coverage_see(struct mp_coverage *c, uint64_t pc);

/* Writes the counts in lcov's format (geninfo(1)), by file and line. A line is counted as often as the most
 * executed of the addresses where one of its statements starts; a function as the sum over its copies'
 * entries, and not at all where it is inlined. Returns 0 with the sums, or -1 with err. */
int mp_coverage_write(const struct mp_coverage *c, FILE *f, struct mp_coverage_sum *sum,
                      struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
