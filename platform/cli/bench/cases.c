/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads of --counts and --against. */
#include "cli/bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_SETS 10u

/* STAR's W2 on the machine of MESC's paper. */
#define MESC_W2                                                                                              \
    "tenants.0.app=MT", "tenants.0.sms=6", "tenants.1.app=ATAX", "tenants.1.sms=5", "tenants.2.app=ST",      \
        "tenants.2.sms=5"

#define MT(slices) "tenants.0.app=MT", "tenants.0.slices=" slices

static const struct {
    const char *name, *experiment;
    const char *set[MAX_SETS];
    unsigned tenants;
    uint64_t until;
} cases[BENCH_CASES + BENCH_SIZES] = {
    {"w10", "star/w10", {NULL}, 3, 50000},
    {"w2", "star/w2", {NULL}, 3, 200000},
    {"dws",
     "dws-30sm",
     {"tenants.0.app=GUPS", "tenants.0.sms=15", "tenants.1.app=MM", "tenants.1.sms=15", "walk.scheduler=dws"},
     2,
     500000},
    {"mesc-base", "mesc-16cu", {MESC_W2}, 3, 3000000},
    {"mesc", "mesc-16cu", {MESC_W2, "l3_tlb.policy=mesc", "walk.method=mesc"}, 3, 3000000},
    {"2 SMs", "star-a100-mig", {MT("1"), "machine.tpcs_per_slice=1"}, 1, 4000000},
    {"14 SMs", "star-a100-mig", {MT("1")}, 1, 700000},
    {"42 SMs", "star-a100-mig", {MT("3")}, 1, 250000},
    {"98 SMs", "star-a100-mig", {MT("7")}, 1, 100000},
};

const char *bench_case_name(unsigned of)
{
    return cases[of].name;
}

const char *bench_case_experiment(unsigned of)
{
    return cases[of].experiment;
}

uint64_t bench_case_until(unsigned of)
{
    return cases[of].until;
}

int bench_case_named(const char *name, size_t length)
{
    for (unsigned i = 0; i < BENCH_CASES; i++)
        if (!strncmp(cases[i].name, name, length) && !cases[i].name[length])
            return (int)i;
    return -1;
}

int bench_cases_choose(const char *list, bool chosen[BENCH_CASES], struct mp_error *err)
{
    memset(chosen, 0, BENCH_CASES * sizeof *chosen);
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        int i = bench_case_named(at, length);
        if (i < 0)
            return mp_fail(err, "--cases: no case '%.*s'; " BENCH_CASES_ARE, (int)(length < 40 ? length : 40),
                           at);
        chosen[i] = true;
        at += length;
        if (!*at)
            return 0;
    }
}

unsigned bench_case_sets(unsigned of, const char *size, char set[BENCH_SETS][48])
{
    unsigned n = 0;
    for (; cases[of].set[n]; n++)
        snprintf(set[n], sizeof *set, "%s", cases[of].set[n]);
    for (unsigned t = 0; t < cases[of].tenants; t++)
        snprintf(set[n++], sizeof *set, "tenants.%u.size=%s", t, size);
    return n;
}

void bench_case_command(struct bench_command *c, const char *program, unsigned of, uint64_t until,
                        const char *db)
{
    unsigned n = 0, sets = bench_case_sets(of, until ? "medium" : "small", c->set);
    c->argv[n++] = (char *)(uintptr_t)program;
    c->argv[n++] = "run";
    c->argv[n++] = (char *)(uintptr_t)cases[of].experiment;
    for (unsigned i = 0; i < sets; i++) {
        c->argv[n++] = "--set";
        c->argv[n++] = c->set[i];
    }
    snprintf(c->until, sizeof c->until, "%" PRIu64, until);
    if (until) {
        c->argv[n++] = "--until";
        c->argv[n++] = c->until;
    }
    c->argv[n++] = "--json";
    c->argv[n++] = "--quiet";
    c->argv[n++] = "--db";
    c->argv[n++] = (char *)(uintptr_t)db;
    c->argv[n] = NULL;
}

int bench_case_load(struct run_job *job, unsigned of, const char *size)
{
    char set[BENCH_SETS][48];
    const char *override[BENCH_SETS];
    struct mp_error err;
    unsigned n = bench_case_sets(of, size, set);
    for (unsigned i = 0; i < n; i++)
        override[i] = set[i];
    if (mp_config_load(&job->config, cases[of].experiment, n, override, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    snprintf(job->label, sizeof job->label, "%s %s", cases[of].name, size);
    return CLI_DONE;
}
