/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/block.h"

#include <stdlib.h>
#include <string.h>

void *mp_block_new(const struct mp_block_kind *kind, struct mp_wheel *wheel, const void *params)
{
    enum { LINE = 64 }; /* of the host's cache */
    size_t bytes = (kind->model_bytes + LINE - 1) & ~(size_t)(LINE - 1);
    void *model = aligned_alloc(LINE, bytes);
    if (!model)
        return NULL;
    memset(model, 0, bytes);
    if (kind->init(model, wheel, params)) {
        free(model);
        return NULL;
    }
    return model;
}

void mp_block_route(const struct mp_block_kind *kind, void *model, uint32_t tenants, unsigned out)
{
    for (unsigned t = 0; kind->route && tenants >> t; t++)
        if (tenants >> t & 1)
            kind->route(model, t, out);
}

void mp_block_delete(const struct mp_block_kind *kind, void *model)
{
    if (!model)
        return;
    kind->free(model);
    free(model);
}
