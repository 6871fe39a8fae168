/* SPDX-License-Identifier: Apache-2.0 */
/* The covariance of all pairs of columns of a matrix of rows x columns. The running sums are volatile because the
 * benchmark's source keeps them in device memory and reads and writes them at every step. */

/* Work-item j adds up column j: neighbouring lanes are neighbours in memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void covar_mean(__global const float *data,
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

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void covar_centre(__global float *data,
                                                                            __global const float *mean, uint rows,
                                                                            uint columns)
{
    const uint j = get_global_id(0), i = get_global_id(1);
    if (j < columns && i < rows)
        data[i * columns + j] -= mean[j];
}

/* Work-item j makes row j of the result from its diagonal on, and column j as well: the first `band` elements.
 * Neighbouring lanes are one row and one column apart in the result. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void covar_pairs(__global const float *data,
                                                                            __global volatile float *result, uint rows,
                                                                            uint columns, uint band)
{
    const uint j = get_global_id(0);
    if (j >= columns)
        return;
    const uint end = min(columns, j + band);
    for (uint k = j; k < end; k++) {
        result[j * columns + k] = 0.0f;
        for (uint i = 0; i < rows; i++)
            result[j * columns + k] += data[i * columns + j] * data[i * columns + k];
        result[k * columns + j] = result[j * columns + k];
    }
}
