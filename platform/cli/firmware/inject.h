/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath firmware run --inject`: runs with faults on purpose, compared with the run without. */
#ifndef MP_CLI_FIRMWARE_INJECT_H
#define MP_CLI_FIRMWARE_INJECT_H

#include "cli/firmware/firmware.h"
#include "soc/inject.h"

struct out_json;

struct firmware_injection {
    struct mp_inject plan;         /* and what happened of it */
    struct mp_inject_events there; /* in the run without faults */
    struct mp_soc_result without;  /* the run without faults; its console is NULL */
    const char *outcome;           /* of the run: recovered, detected, undetected, wrong result; NULL: it was
                                      interrupted */
};

/* Runs once without faults, then with them: once, or for each seed, in a process each. Returns the exit code.
 */
int firmware_inject(const struct cli *cli, const struct firmware_values *v, struct mp_soc_run *run,
                    const struct mp_tenant_config *program);

/* Sets the outcome of a run. */
void firmware_judge(struct firmware_injection *in, const struct mp_soc_result *result);
/* The same of fault i, which the run may not have reached. */
const char *firmware_outcome(const struct firmware_injection *in, unsigned i);

/* Stores the faults of a run that was judged. -1 with err. */
int firmware_record_injection(struct mp_db *db, const struct firmware_injection *in, struct mp_error *err);
/* Prints a line for each fault on stderr, or an array "injections". */
void firmware_print_injection(const struct firmware_injection *in);
void firmware_json_injection(struct out_json *j, const struct firmware_injection *in);

#endif
