/* SPDX-License-Identifier: Apache-2.0 */
/* FIR: 16 taps over a stream of samples. Inputs are small integers, so float sums (at most 16 * 8 * 8) are
 * exact. */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 256, TAPS = 16, LIMIT = 8 };

static const uint32_t samples[APP_SCALES] = {16384, 8u << 20, 144u << 20, 15u << 19};

static int check(const float *output, const float *coefficient, const float *input, const float *history,
                 uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        float sum = 0;
        for (uint32_t i = 0; i < TAPS; i++)
            sum += coefficient[i] * (k >= i ? input[k - i] : history[TAPS + k - i]);
        if (check_float("FIR: output", k, sum, output[k], 0))
            return -1;
    }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t n = samples[scale], taps = TAPS;
    const size_t bytes = (size_t)n * sizeof(float);
    float *input = device_alloc(d, bytes);
    float *output = device_alloc(d, bytes);
    float *coefficient = device_alloc(d, TAPS * sizeof *coefficient);
    float *history = device_alloc(d, TAPS * sizeof *history);
    for (uint32_t i = 0; i < n; i++)
        input[i] = (float)fill_small(seed, i, LIMIT);
    for (uint32_t i = 0; i < TAPS; i++) {
        coefficient[i] = (float)fill_small(seed + 1, i, LIMIT);
        history[i] = (float)fill_small(seed + 2, i, LIMIT);
    }
    device_wrote(d, input, bytes);
    device_wrote(d, coefficient, TAPS * sizeof *coefficient);
    device_wrote(d, history, TAPS * sizeof *history);

    DEVICE_RUN(d, "fir", 1, DEVICE_SIZE(n), DEVICE_SIZE(GROUP), &output, &coefficient, &input, &history,
               &taps);
    device_read(d, output, bytes);

    const int result = check(output, coefficient, input, history, n);
    device_free(d, history);
    device_free(d, coefficient);
    device_free(d, output);
    device_free(d, input);
    return result;
}

const struct app app_fir = {
    .name = "FIR",
    .title = "Finite impulse response filter, 16 taps",
    .suite = "Hetero-Mark",
    .size = {"16384 samples", "8 Mi samples", "144 Mi samples", "7.5 Mi samples"},
    .run = run,
    .instructions = 192675840 / 4, /* STAR Table II, four runs */
};
