/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/shootdown.h"

#include <stdlib.h>

int mp_listeners_reserve(struct mp_listeners *l, uint32_t count)
{
    if (count <= l->room)
        return 0;
    struct mp_listener *all = realloc(l->listener, count * sizeof *all);
    if (!all)
        return -1;
    l->listener = all;
    l->room = count;
    return 0;
}

int mp_listeners_add(struct mp_listeners *l, struct mp_listener listener)
{
    if (l->count == l->room && mp_listeners_reserve(l, l->room ? 2 * l->room : 16))
        return -1;
    l->listener[l->count++] = listener;
    return 0;
}

void mp_listeners_free(struct mp_listeners *l)
{
    free(l->listener);
    *l = (struct mp_listeners){0};
}

uint64_t mp_shoot_down(const struct mp_listeners *l, const struct mp_scope *scope)
{
    uint64_t gone = 0;
    for (uint32_t i = 0; i < l->count; i++)
        gone += l->listener[i].invalidate(l->listener[i].self, scope);
    return gone;
}
