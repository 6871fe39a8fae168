/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/block.h"

#include <stdlib.h>
#include <string.h>

unsigned mp_block_nparams(const struct mp_block_kind *kind)
{
    unsigned n = 0;
    while (kind->params && kind->params[n].row.name)
        n++;
    return n;
}

void mp_block_set(const struct mp_block_param *p, void *params, uint64_t value)
{
    char *at = (char *)params + p->offset;
    if (p->width == sizeof(uint64_t))
        *(uint64_t *)(void *)at = value;
    else if (p->width == sizeof(uint32_t))
        *(uint32_t *)(void *)at = (uint32_t)value;
    else if (p->width)
        *at = (char)value;
}

uint64_t mp_block_get(const struct mp_block_param *p, const void *params)
{
    const char *at = (const char *)params + p->offset;
    if (p->width == sizeof(uint64_t))
        return *(const uint64_t *)(const void *)at;
    return p->width == sizeof(uint32_t) ? *(const uint32_t *)(const void *)at : *(const uint8_t *)at;
}

void mp_block_set_design(const struct mp_block_param *p, void *params, const struct mp_design *design,
                         const struct mp_design_values *values)
{
    memcpy((char *)params + p->offset, &design, sizeof design);
    if (p->values)
        memcpy((char *)params + p->values, values, sizeof *values);
}

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
