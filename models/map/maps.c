/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "map/map.h"

const struct mp_map_design *const mp_map_designs[] = {&mp_map_spread, NULL};

const struct mp_map_design *mp_map_find(const char *name)
{
    for (unsigned i = 0; mp_map_designs[i]; i++)
        if (!strcmp(mp_map_designs[i]->name, name))
            return mp_map_designs[i];
    return NULL;
}

struct mp_map mp_map_or_default(struct mp_map map)
{
    return map.design ? map : (struct mp_map){.design = &mp_map_spread};
}
