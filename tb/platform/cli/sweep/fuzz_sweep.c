/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a sweep: it is refused with one line, or every run has a value of every dimension. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/plan.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sweep s;
    struct mp_error err = {""};
    if (sweep_load_text(&s, "fuzz", (const char *)data, size, &err)) {
        require(*err.text && !strpbrk(err.text, "\n\r"));
        require(s.nruns == 0 && !s.where);
        return 0;
    }
    require(s.nruns > 0 && s.nruns <= SWEEP_MOST_RUNS && s.ndimensions > 0);
    for (unsigned run = 0; run < s.nruns; run += 1 + s.nruns / 16)
        for (unsigned d = 0; d < s.ndimensions; d++)
            for (unsigned p = 0; p < s.dimension[d].npaths; p++)
                require(sweep_value(&s, run, d, p) != NULL);
    struct mp_config config;
    if (sweep_config(&s, 0, &config, &err) == 0)
        mp_config_free(&config);
    else
        require(*err.text && !strpbrk(err.text, "\n\r"));
    sweep_free(&s);
    return 0;
}
