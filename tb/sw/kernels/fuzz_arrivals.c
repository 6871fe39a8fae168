/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a file of requests: it is refused in one line, or its requests keep the rules. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "apps/serve/arrivals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    struct arrivals a;
    struct mp_error err = {""};
    if (!f)
        return 0;
    if (arrivals_read(&a, f, "input", 64, &err)) {
        require(strncmp(err.text, "input:", 6) == 0 && strstr(err.text, "; ") && !strchr(err.text, '\n'));
    } else {
        require(a.count > 0);
        for (uint32_t i = 0; i < a.count; i++)
            require(a.list[i].prompt && a.list[i].tokens && a.list[i].prompt + a.list[i].tokens <= 64 &&
                    (!i || a.list[i].ns >= a.list[i - 1].ns));
        arrivals_free(&a);
    }
    fclose(f);
    return 0;
}
