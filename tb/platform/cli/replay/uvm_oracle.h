/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory once more, page by page and with lists that are searched from end to end: what `replay uvm`
 * must answer. Spaces have ORACLE_AREAS times 2 MB of addresses, from ORACLE_BASE on. */
#ifndef UVM_ORACLE_H
#define UVM_ORACLE_H

#include <stdint.h>
#include <stdio.h>

#include "cli/replay/uvm.h"

#define ORACLE_AREAS 12u
#define ORACLE_BASE  UINT64_C(0x40000000)

struct oracle;

struct oracle *oracle_new(const struct mp_uvm_params *p);
void oracle_free(struct oracle *o);
/* Writes the response to a stimulus. Returns 0 if it is refused, without a response. */
int oracle_respond(struct oracle *o, const struct replay_uvm_stimulus *s, FILE *out);

#endif
