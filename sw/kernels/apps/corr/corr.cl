/* SPDX-License-Identifier: Apache-2.0 */
/* The correlation of all pairs of columns of a matrix of rows x columns. The running sums are volatile because the
 * benchmark's source keeps them in device memory and reads and writes them at every step. */
#define SMALLEST 0.005f /* a standard deviation up to this one counts as 1 */

/* Work-item j adds up column j: neighbouring lanes are neighbours in memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void corr_mean(__global const float *data,
                                                                          __global volatile float *mean, uint rows,
                                                                          uint columns)
{
    const uint j = get_global_id(0);
    if (j >= columns)
        return;
    mean[j] = 0.0f;
    for (uint i = 0; i < rows; i++)
        mean[j] += data[i * columns + j];
    mean[j] /= rows;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void corr_deviation(__global const float *data,
                                                                               __global const float *mean,
                                                                               __global volatile float *deviation,
                                                                               uint rows, uint columns)
{
    const uint j = get_global_id(0);
    if (j >= columns)
        return;
    deviation[j] = 0.0f;
    for (uint i = 0; i < rows; i++) {
        const float away = data[i * columns + j] - mean[j];
        deviation[j] += away * away;
    }
    deviation[j] /= rows;
    deviation[j] = sqrt(deviation[j]);
    if (deviation[j] <= SMALLEST)
        deviation[j] = 1.0f;
}

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void corr_normalise(__global volatile float *data,
                                                                              __global const float *mean,
                                                                              __global const float *deviation,
                                                                              uint rows, uint columns)
{
    const uint j = get_global_id(0), i = get_global_id(1), at = i * columns + j;
    if (j >= columns || i >= rows)
        return;
    data[at] -= mean[j];
    data[at] /= sqrt((float)rows) * deviation[j];
}

/* Work-item j makes row j of the result right of its diagonal, and column j as well: the first `band` elements.
 * Neighbouring lanes are one row and one column apart in the result. The last column's diagonal element is the host's. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void corr_pairs(__global const float *data,
                                                                           __global volatile float *result, uint rows,
                                                                           uint columns, uint band)
{
    const uint j = get_global_id(0);
    if (j >= columns - 1)
        return;
    const uint end = min(columns, j + 1 + band);
    result[j * columns + j] = 1.0f;
    for (uint k = j + 1; k < end; k++) {
        result[j * columns + k] = 0.0f;
        for (uint i = 0; i < rows; i++)
            result[j * columns + k] += data[i * columns + j] * data[i * columns + k];
        result[k * columns + j] = result[j * columns + k];
    }
}
