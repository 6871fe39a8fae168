/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host does without a driver: a list in YAML, played step by step at times of the simulation.
 *
 *   - create: {instance: 0, slices: 3}         a command of the host's port (soc/regs/host.def), with its
 * operands
 *   - map: {space: 9, va: 0, bytes: 64K, status: not_there}      that must end with this status; default: ok
 *   - wait: {tag: 1, within: 20ms}             within so much simulated time; default: 10s
 *   - counters: {space: 0}                     prints them
 *   - expect: {counter: walks, space: 0, least: 1, most: 100}    or is: N
 *   - pause: 1ms
 *   - quit:                                    played at the end of a script without it
 */
#ifndef MP_SOC_HOST_SCRIPT_H
#define MP_SOC_HOST_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"
#include "soc/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mp_host_step_kind { MP_HOST_STEP_COMMAND, MP_HOST_STEP_EXPECT, MP_HOST_STEP_PAUSE };

struct mp_host_step {
    enum mp_host_step_kind kind;
    unsigned line;
    enum mp_host_opcode opcode;
    uint64_t operand[MP_HOST_OPERAND_WORDS];
    uint64_t status;      /* with which the command must end */
    uint64_t within;      /* simulated time, in ns; of a pause, its length */
    uint64_t counter;     /* EXPECT: enum mp_mgmt_counter of the space in operand[0] */
    uint64_t least, most; /* what it must be */
};

struct mp_host_script {
    char *name; /* of its file, for errors */
    struct mp_host_step *step;
    size_t steps;
};

/* Parses a script. Errors are "NAME:LINE: WHAT; WHAT IS ALLOWED". -1 with err; the script is then empty. */
int mp_host_script_parse(struct mp_host_script *s, const char *name, const char *text, size_t bytes,
                         struct mp_error *err);
void mp_host_script_free(struct mp_host_script *s);

/* "create", "expect": the step's word. */
const char *mp_host_step_word(const struct mp_host_step *step);

#ifdef __cplusplus
}
#endif
#endif
