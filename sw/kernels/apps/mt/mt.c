/* SPDX-License-Identifier: Apache-2.0 */
/* MT: transpose of a matrix of 32-bit integers; exact. */
#include "../../device.h"
#include "../check.h"
#include "../fill.h"

enum { GROUP = 16, ELEMENTS = 4 };

static const struct {
    uint32_t rows, columns;
} sizes[APP_SCALES] = {{512, 512}, {8192, 8192}, {16384, 16384}, {4096, 4096}, [APP_STAR_S] = {4096, 4096}};

static int check(const uint32_t *input, const uint32_t *output, uint32_t rows, uint32_t columns)
{
    enum { BLOCK = 64 }; /* keeps both matrices' lines in the host's cache */
    for (uint32_t top = 0; top < columns; top += BLOCK)
        for (uint32_t left = 0; left < rows; left += BLOCK)
            for (uint32_t y = top; y < top + BLOCK; y++)
                for (uint32_t x = left; x < left + BLOCK; x++) {
                    const size_t at = (size_t)y * rows + x;
                    if (check_int("MT: output", at, input[(size_t)x * columns + y], output[at]))
                        return -1;
                }
    return 0;
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *file)
{
    (void)file;
    const uint32_t rows = sizes[scale].rows, columns = sizes[scale].columns;
    const uint32_t pitch = columns / ELEMENTS, out_pitch = rows / ELEMENTS;
    const size_t elements = (size_t)rows * columns, bytes = elements * sizeof(uint32_t);
    uint32_t *input = device_alloc(d, bytes);
    uint32_t *output = device_alloc(d, bytes);
    for (size_t i = 0; i < elements; i++)
        input[i] = (uint32_t)fill_random(seed, i);
    device_wrote(d, input, bytes);

    DEVICE_RUN(d, "matrix_transpose", 2, DEVICE_SIZE(out_pitch, pitch), DEVICE_SIZE(GROUP, GROUP), &output,
               &input, &pitch, &out_pitch);
    device_read(d, output, bytes);

    const int result = check(input, output, rows, columns);
    device_free(d, output);
    device_free(d, input);
    return result;
}

const struct app app_mt = {
    .name = "MT",
    .title = "Matrix transpose",
    .suite = "AMDAPPSDK",
    .size = {"512 x 512 uint", "8192 x 8192 uint", "16384 x 16384 uint",
             "4096 x 4096 uint", [APP_STAR_S] = "4096 x 4096 uint"},
    .run = run,
    .instructions = 9568256 / 4, /* of the kernel; STAR Table II has another digit. Four runs */
};
