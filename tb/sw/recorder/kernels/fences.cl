/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that ask which memory a generic pointer is into: each fourth work-item has one into another memory. */
#define EXPECT(x)                                                                                                    \
    do {                                                                                                             \
        if (!(x))                                                                                                    \
            __builtin_trap();                                                                                        \
    } while (0)

int get(int *p)
{
    global int *g = to_global(p);
    local int *l = to_local(p);
    private int *q = to_private(p);
    EXPECT((g != 0) + (l != 0) + (q != 0) == 1);
    return g ? *g : l ? *l : *q; /* line 15: the first is recorded */
}

kernel void ask(global int *x, local int *tile)
{
    local int own[32];
    const int i = get_global_id(0), way = i % 4;
    int mine[2] = {300 + i, i};
    tile[i % 32] = 100 + i;
    own[i % 32] = 200 + i;
    x[i] = i; /* line 25 */
    int *p = way == 0 ? (int *)(x + i) : way == 1 ? (int *)(tile + i % 32) : way == 2 ? (int *)(own + i % 32) : (int *)mine;
    EXPECT(get(p) == 100 * way + i);
    EXPECT(get_fence(p) == (way == 0 ? CLK_GLOBAL_MEM_FENCE : way < 3 ? CLK_LOCAL_MEM_FENCE : 0));
    EXPECT(get_fence((const int *)p) == get_fence(p));
}
