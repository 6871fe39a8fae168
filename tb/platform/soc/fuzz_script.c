/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a script: it is refused with one line, or it is played to its end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soc/script.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mp_script s;
    struct mp_error err = {""};
    if (mp_script_parse(&s, "fuzz", (const char *)data, size, &err)) {
        require(*err.text && !strpbrk(err.text, "\n\r") && !s.step);
        return 0;
    }
    for (uint64_t now = 0; !mp_script_done(&s); now += UINT64_C(1000000000000000)) {
        while (mp_script_next(&s, now) >= 0)
            continue;
        const struct mp_script_step *step = &s.step[s.now];
        if (!mp_script_done(&s) && step->kind == MP_SCRIPT_WAIT) {
            size_t before = s.now, n = step->bytes;
            char text[MP_SCRIPT_TEXT];
            memcpy(text, step->text, n);
            for (size_t i = 0; i < n; i++)
                mp_script_printed(&s, text[i]);
            require(s.now > before); /* what it waits for has come */
        }
    }
    mp_script_free(&s);
    return 0;
}
