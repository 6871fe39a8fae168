/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a plan of faults: it is refused with one line, or its faults happen, at most once each.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wheel.h"
#include "soc/inject.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_inject plan;
    struct mp_error err = {""};
    if (mp_inject_parse(&plan, "fuzz", (const char *)data, size, 1410, &err)) {
        require(*err.text && !strpbrk(err.text, "\n\r"));
        return 0;
    }
    struct mp_inject_events there;
    for (unsigned k = 0; k < MP_INJECT_KINDS; k++)
        for (unsigned p = 0; p < MP_INJECT_PLACES; p++)
            there.number[k][p] = p + 1;
    const unsigned written = plan.faults;
    require(!mp_inject_draw(&plan, &there, &err) && plan.faults == written + plan.random);
    unsigned happened = 0;
    for (uint64_t cycle = 0; cycle < 100; cycle++)
        for (unsigned k = 0; k < MP_INJECT_KINDS; k++)
            for (unsigned p = 0; p < MP_INJECT_PLACES; p++)
                happened += mp_inject_event(&plan, (enum mp_inject_kind)k, p, cycle) != NULL;
    for (unsigned i = 0; i < plan.faults; i++) {
        char where[64], when[40];
        mp_inject_where(&plan, &plan.fault[i], where, sizeof where);
        mp_inject_when(&plan.fault[i], when, sizeof when);
        happened -= plan.fault[i].happened != MP_NEVER;
    }
    require(!happened);
    return 0;
}
