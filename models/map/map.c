/* SPDX-License-Identifier: Apache-2.0 */
#include "map/map.h"

#include <stdlib.h>

int mp_map_init(struct mp_map *m, const struct mp_address_map *kind, const struct mp_design_values *own)
{
    *m = (struct mp_map){.kind = kind, .state = kind->bytes ? calloc(1, kind->bytes) : NULL};
    if (kind->bytes && !m->state)
        return -1;
    if (kind->init)
        kind->init(m->state, own);
    return 0;
}

void mp_map_free(struct mp_map *m)
{
    free(m->state);
    *m = (struct mp_map){0};
}

struct mp_map mp_map_or_default(struct mp_map map)
{
    return map.kind ? map : (struct mp_map){.kind = &mp_map_spread};
}
