/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery.h"

#include <inttypes.h>

#include "print.h"

static struct {
    volatile uint32_t count[RECOVERY_KINDS];
    uint32_t reported[RECOVERY_KINDS];
} recovery;

void recovery_init(void)
{
    for (unsigned i = 0; i < RECOVERY_KINDS; i++)
        recovery.count[i] = recovery.reported[i] = 0;
}

void recovery_note(enum recovery what)
{
    recovery.count[what]++;
}

uint32_t recovery_count(enum recovery what)
{
    return recovery.count[what];
}

const char *recovery_text(enum recovery what)
{
    static const char *const texts[] = {
#define RECOVERY_TEXT(name, text) text,
        RECOVERIES(RECOVERY_TEXT)};
    return texts[what];
}

void recovery_report(void)
{
    for (unsigned i = 0; i < RECOVERY_KINDS; i++) {
        const uint32_t count = recovery.count[i];
        if (count != recovery.reported[i])
            print("recovery: %s (%" PRIu32 ")\n", recovery_text((enum recovery)i),
                  count - recovery.reported[i]);
        recovery.reported[i] = count;
    }
}
