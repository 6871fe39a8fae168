/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a script of the host: it is refused with one line, or each step has values that its
 * player relies on. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soc/host_script.h"
#include "soc/mgmt.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_host_script s;
    struct mp_error err = {""};
    if (mp_host_script_parse(&s, "fuzz", (const char *)data, size, &err)) {
        require(*err.text && !strpbrk(err.text, "\n\r") && !s.step);
        return 0;
    }
    require(s.steps > 0);
    for (size_t i = 0; i < s.steps; i++) {
        const struct mp_host_step *step = &s.step[i];
        require(step->line > 0 && step->within > 0 && mp_host_step_word(step));
        require(step->kind != MP_HOST_STEP_COMMAND || ((uint32_t)step->opcode - 1 < MP_HOST_OPCODES - 1u));
        require(step->counter < MP_MGMT_COUNTERS);
    }
    mp_host_script_free(&s);
    return 0;
}
