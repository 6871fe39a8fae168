/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of program scope in device memory: they have their initial values, and keep what launches store. */
global int counter = 5;
global int table[3][64] = {{7}};
constant int weight[4] = {1, 2, 3, 4};

kernel void count(global int *out)
{
    const int g = get_global_id(0);
    table[1][g % 64] = g;             /* line 10 */
    out[g] = atomic_inc(&counter);    /* line 11 */
}

kernel void check(global const int *out)
{
    const int g = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += weight[i];
    if (counter != 5 + 128 || table[0][0] != 7 || table[1][g] % 64 != g || out[g] < 5 || sum != 10) /* line 20 */
        __builtin_trap();
}
