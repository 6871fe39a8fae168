/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/sweep/study.h"

static const char doc[] =
    "Runs experiments under all combinations of values, which a YAML file lists. Prints a row when a run has "
    "ended, and stores each run as a row of the database.\v"
    "A sweep's file:\n"
    "\n"
    "  description: how large the shared TLB must be\n"
    "  experiments: [demo, star/w2, ./mine.yaml]      # names of mempath run --list, or files\n"
    "  parameters:                                    # every combination is run\n"
    "    tenants.size: small                          # one value: the same in all runs\n"
    "    l3_tlb.policy: [subentry, star]\n"
    "    l3_tlb.entries: {from: 256, to: 1024, times: 2}\n"
    "    seed: {from: 1, to: 3}                       # with step: 1\n"
    "  zip:                                           # values at the same positions belong together\n"
    "    - l2_tlb.entries: [64, 128]\n"
    "      l2_tlb.latency: [10, 12]\n"
    "  exclude:                                       # runs in which all of these hold\n"
    "    - {l3_tlb.policy: star, l3_tlb.entries: [256, 512]}\n"
    "    - {experiment: star/w2, seed: 3}\n"
    "\n"
    "Instead of experiments with tenants, name machines, and their workloads:\n"
    "\n"
    "  experiments: [star-a100-mig]\n"
    "  workloads:\n"
    "    pair: [{app: MT, size: small, slices: 3}, {app: ST, size: small, slices: 3}]\n"
    "    alone: [{app: MT, size: small, slices: 3}]\n"
    "\n"
    "Runs that the database has (same configuration, inputs and source revision) are not repeated. So after "
    "Ctrl-C, kill or a reboot, the same command goes on; at most the runs in flight are lost.\n"
    "\n"
    "--slurm submits the missing runs as a job array and returns. The same command later collects the runs "
    "that have ended, and submits what is missing once no job is left; with --wait it stays until then. "
    "The folders of the database, of the file and of the cache (MEMPATH_CACHE) must be visible to all nodes. "
    "Each job writes to its node's TMPDIR. A job of a node that fails runs again on another one. "
    "SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT and others are Slurm's, see sbatch(1).\n"
    "\n"
    "A sweep is a study of the database: mempath query studies lists them, and mempath query points study=N "
    "its points with their runs and results; with an axis `seed`, mempath query seeds has means with 95 % "
    "intervals. Two processes with the same file and database share the runs.\n"
    "\n"
    "--alone compares each tenant with running alone: slowdown, weighted and harmonic speedup, fairness. "
    "What it is compared with is stored with the run.\n"
    "\n"
    "Examples:\n"
    "  mempath sweep l3.yaml --alone              with slowdowns, each relative to the same machine\n"
    "  mempath sweep l3.yaml --alone=l3_tlb.policy=subentry    relative to the baseline's policy\n"
    "  mempath sweep l3.yaml --dry-run            how many runs, and for how long\n"
    "  mempath sweep l3.yaml --jobs 2             two at a time\n"
    "  mempath sweep l3.yaml --only 1,3-4 --json  some of the runs, by their numbers in --dry-run --json\n"
    "  mempath sweep l3.yaml --slurm --wait       on a cluster\n"
    "  mempath query runs                         all runs, with what changed in each";

struct values {
    const char *file, *only, *alone;
    bool dry, slurm, wait;
    uint64_t jobs;
};

enum { KEY_DRY = 0x100, KEY_ONLY, KEY_SLURM, KEY_WAIT, KEY_ALONE };

static const struct argp_option options[] = {
    {"dry-run", KEY_DRY, NULL, 0, "run nothing: print the number of runs, and an estimate of their time", 0},
    {"jobs", 'j', "N", 0, "parallel runs (default: one per processor); with --slurm, tasks at a time", 0},
    {"alone", KEY_ALONE, "SETTINGS", OPTION_ARG_OPTIONAL,
     "also run each tenant alone, and compare: on the run's machine (same, the default), or on one with "
     "these PATH=VALUE,... in place of its own",
     0},
    {"only", KEY_ONLY, "LIST", 0, "only these runs, as in 1,5-7", 0},
    {"slurm", KEY_SLURM, NULL, 0, "submit the runs to Slurm", 0},
    {"wait", KEY_WAIT, NULL, 0, "with --slurm: wait until all runs have ended", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_DRY:
        v->dry = true;
        return 0;
    case 'j':
        return cli_number("--jobs", arg, 1, 64, &v->jobs, err);
    case KEY_ALONE:
        v->alone = arg && strcmp(arg, "same") != 0 ? arg : "";
        return 0;
    case KEY_ONLY:
        v->only = arg;
        return 0;
    case KEY_SLURM:
        v->slurm = true;
        return 0;
    case KEY_WAIT:
        v->wait = true;
        return 0;
    default:
        if (v->file)
            return mp_fail(err, "sweep: '%s' is unexpected; one FILE", arg);
        v->file = arg;
        return 0;
    }
}

int sweep_jobs_load(struct sweep_jobs *j, const bool *selected)
{
    const struct sweep *s = j->sweep;
    struct mp_error err;
    j->job = cli_alloc(s->nruns, sizeof *j->job);
    j->number = cli_alloc(s->nruns, sizeof *j->number);
    for (unsigned run = 0; run < s->nruns; run++) {
        struct run_job *job = &j->job[j->n];
        if (selected && !selected[run])
            continue;
        if (sweep_config(s, run, &job->config, &err))
            return cli_fail(CLI_USAGE, "%s", err.text);
        int used = snprintf(job->label, sizeof job->label, "%u %.20s", run + 1, job->config.name);
        for (unsigned d = 1; d < s->ndimensions && used < (int)sizeof job->label; d++)
            for (unsigned p = 0; s->dimension[d].nvalues > 1 && p < s->dimension[d].npaths; p++)
                if (used < (int)sizeof job->label)
                    used += snprintf(job->label + used, sizeof job->label - (size_t)used, " %.20s",
                                     sweep_value(s, run, d, p));
        j->number[j->n++] = run + 1;
    }
    return CLI_DONE;
}

void sweep_jobs_free(struct sweep_jobs *j)
{
    if (j->job)
        runs_free(j->job, j->n);
    free(j->number);
    free(j->width);
}

static int show(struct sweep_jobs *j, int code)
{
    if (code && code != CLI_FAILED)
        return code;
    if (j->cli->json)
        sweep_print_json(j);
    else
        sweep_table_end(j);
    return code;
}

static int run_here(struct sweep_jobs *j, const char *alone)
{
    struct study_alone a = {0};
    int code = study_begin(j);
    if (!code && alone)
        code = study_alone_load(&a, j, alone);
    if (!code && a.n)
        code = runs_execute(j->cli, a.job, a.n, j->parallel, true);
    j->alone = alone ? &a : NULL;
    if (!code)
        code = runs_execute_each(j->cli, j->job, j->n, j->parallel, sweep_table_row, j);
    if (!code || code == CLI_FAILED) {
        const int referred = runs_refer(j->cli, a.reference, a.nreferences);
        code = code ? code : referred;
    }
    code = show(j, code);
    j->alone = NULL;
    study_alone_free(&a);
    return code;
}

static int sweep(struct cli *cli, const struct values *v, const struct sweep *s)
{
    struct sweep_jobs j = {.cli = cli, .sweep = s, .file = v->file};
    bool *selected = NULL;
    struct mp_error err;
    j.parallel = v->jobs ? (unsigned)v->jobs : runs_default_parallel();
    if (v->only && sweep_select(s, v->only, &selected, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = sweep_jobs_load(&j, selected);
    if (!code)
        code = v->dry     ? sweep_dry_run(&j)
               : v->slurm ? sweep_slurm(&j, (unsigned)v->jobs, v->wait)
                          : run_here(&j, v->alone);
    sweep_jobs_free(&j);
    free(selected);
    return code;
}

int cmd_sweep(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath sweep", .args = "FILE", .doc = doc, .options = options, .option = option};
    struct values v = {0};
    struct sweep s;
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.file)
        return cli_fail(CLI_USAGE, "sweep: no FILE; a sweep in YAML, see mempath sweep --help");
    if (v.wait && !v.slurm)
        return cli_fail(CLI_USAGE, "--wait: nothing is submitted; add --slurm");
    if (v.alone && (v.slurm || v.dry))
        return cli_fail(CLI_USAGE, "--alone: the runs alone are made here; omit --%s, and compare afterwards",
                        v.slurm ? "slurm" : "dry-run");
    if (v.dry && v.slurm)
        return cli_fail(CLI_USAGE, "--dry-run: nothing is submitted; omit --slurm");
    if (sweep_load(&s, v.file, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    code = sweep(cli, &v, &s);
    sweep_free(&s);
    return code;
}
