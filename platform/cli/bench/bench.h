/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `mempath bench` that is about the management core. */
#ifndef MP_CLI_BENCH_H
#define MP_CLI_BENCH_H

#include "cli/cli.h"
#include "cli/out.h"

#define BENCH_CORE_RATES 3u

/* Runs each program `repeat` times and stores the best rates, in the programs' units. Returns a cli_exit. */
int bench_core(const struct cli *cli, unsigned repeat, double rates[BENCH_CORE_RATES]);
void bench_core_print(const double rates[BENCH_CORE_RATES]);
void bench_core_json(struct out_json *j, const double rates[BENCH_CORE_RATES]);

#endif
