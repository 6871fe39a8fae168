/* SPDX-License-Identifier: Apache-2.0 */
/* c = a + b */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void vector_add(__global const double2 *a,
                                                                           __global const double2 *b,
                                                                           __global double2 *c, uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
