/* SPDX-License-Identifier: Apache-2.0 */
/* Stimuli of unified memory, and their responses. */
#ifndef MP_CLI_REPLAY_UVM_H
#define MP_CLI_REPLAY_UVM_H

#include "cli/replay/block.h"
#include "uvm/uvm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct replay_uvm_stimulus {
    char op; /* 'R', 'Q', 'F', 'B', 'A', 'H', 'N', 'C', 'E', 'U' or 'D'; 0 for a blank line or comment */
    uint8_t asid;
    bool read_only;
    enum mp_uvm_access access;
    uint32_t sm, reserve, limit, bigs, count;
    uint64_t now, va, bytes;
};

int replay_uvm_parse(const char *line, size_t length, struct replay_uvm_stimulus *s, struct mp_error *err);

struct replay_uvm {
    struct mp_uvm *model;
    uint64_t now; /* of the last stimulus with a time */
};

/* Carries out a stimulus and writes the response. -1 with err: it is refused, and nothing has changed. */
int replay_uvm_respond(struct replay_uvm *r, const struct replay_uvm_stimulus *s, const struct replay_to *to,
                       struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
