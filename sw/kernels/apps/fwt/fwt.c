/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FWT: dyadic convolution by the fast Walsh transform: data and kernel are transformed, multiplied, and
 * transformed back. The reference adds up products. Elements are small integers, and the kernel has 128 of
 * them, then zeros.
 *
 * Results are exact: elements of the transforms are sums of random signs far below 2^24, and so are their
 * products. After a stage of the last transform, each element is a power of two times one of a partial
 * transform of the result.
 */
#include "../buffer.h"
#include "../check.h"

enum { TAPS = 128, LIMIT = 4, LOCAL_LOG2 = 11, GROUP = 256, PRODUCT_GROUPS = 128 };

static const uint32_t log2_sizes[APP_SCALES] = {13, 20, [APP_FGPU] = 23};

static int check(const float *data, const float *kernel, const float *got, uint32_t n)
{
    int32_t taps[TAPS], block[TAPS];
    for (unsigned j = 0; j < TAPS; j++)
        taps[j] = (int32_t)kernel[j];
    for (uint32_t first = 0; first < n; first += TAPS) { /* i ^ j stays in the block of i */
        for (unsigned i = 0; i < TAPS; i++)
            block[i] = (int32_t)data[first + i];
        for (unsigned i = 0; i < TAPS; i++) {
            int32_t sum = 0;
            for (unsigned j = 0; j < TAPS; j++)
                sum += block[i ^ j] * taps[j];
            if (check_float("FWT: convolution", first + i, sum, got[first + i], 0))
                return -1;
        }
    }
    return 0;
}

static void transform(struct device *d, float *data, uint32_t log2)
{
    const size_t n = (size_t)1 << log2;
    uint32_t left = log2; /* stages */
    for (; left > LOCAL_LOG2; left -= 2) {
        const uint32_t stride = UINT32_C(1) << (left - 2);
        DEVICE_RUN(d, "fwt_pass", 1, DEVICE_SIZE(n / 4), DEVICE_SIZE(GROUP), &data, &stride);
    }
    DEVICE_RUN(d, "fwt_local", 1, DEVICE_SIZE(n / 4), DEVICE_SIZE((size_t)1 << (left - 2)), &data, &left);
}

static enum app_result run(struct device *d, enum app_scale scale, uint64_t seed, const char *input)
{
    (void)input;
    const uint32_t log2 = log2_sizes[scale], n = UINT32_C(1) << log2;
    const size_t bytes = n * sizeof(float);
    float *data = buffer_small(d, n, seed, LIMIT), *kernel = device_alloc(d, bytes);
    for (unsigned i = 0; i < TAPS; i++)
        kernel[i] = (float)fill_small(seed + 1, i, LIMIT);
    device_wrote(d, kernel, bytes);
    float *data_before = host_copy(data, n, sizeof *data), *taps = host_copy(kernel, TAPS, sizeof *kernel);

    transform(d, data, log2);
    transform(d, kernel, log2);
    DEVICE_RUN(d, "fwt_product", 1, DEVICE_SIZE(PRODUCT_GROUPS * GROUP), DEVICE_SIZE(GROUP), &data, &kernel,
               &n);
    transform(d, data, log2);
    device_read(d, data, bytes);

    const int result = check(data_before, taps, data, n);
    free(taps);
    free(data_before);
    device_free(d, kernel);
    device_free(d, data);
    return result;
}

const struct app app_fwt = {
    .name = "FWT",
    .title = "Convolution by fast Walsh transforms",
    .suite = "CUDA samples",
    .size = {"8192 floats", "1048576 floats", [APP_FGPU] = "8388608 floats"},
    .run = run,
};
