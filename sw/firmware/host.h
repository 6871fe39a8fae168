/* SPDX-License-Identifier: Apache-2.0 */
/* The port of the host, which runs the GPU's driver: takes commands from one ring, and posts completions in
 * the other (soc/regs/host.def). Nothing in the rings or in the host's registers is believed. */
#ifndef FW_HOST_H
#define FW_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "soc/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns FW_EABSENT if the run has no host; no other function here works then. */
enum fw_error host_init(void);

/* Whether the host has done something since the last call of host_next. Call it within cpu_lock before
 * sleeping. */
bool host_rang(void);

/* Carries out a reset, if there was one; true then. The host has forgotten its earlier launches. */
bool host_reset(void);

/* Takes the next command; false if there is none, or no room for its completion. The caller posts one
 * completion for each command, now or later. A command whose sequence is wrong is completed here. */
bool host_next(struct mp_host_command *command);

/* Whether a completion can be posted. */
bool host_room(void);
void host_post(const struct mp_host_completion *completion);

/* The host's commands are not served any more. */
void host_end(void);

#ifdef __cplusplus
}
#endif
#endif
