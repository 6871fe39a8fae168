/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/direct.h"

#include <stdlib.h>

int mp_direct_init(struct mp_direct *d, const struct mp_plan *plan, struct mp_wheel *wheel)
{
    *d = (struct mp_direct){plan, wheel, calloc(plan->blocks + 1, sizeof *d->model)};
    return d->model ? 0 : -1;
}

void mp_direct_free(struct mp_direct *d)
{
    for (uint32_t i = 0; d->model && i < d->plan->blocks; i++)
        mp_block_delete(d->plan->block[i].kind, d->model[i]);
    free(d->model);
    *d = (struct mp_direct){0};
}

int mp_direct_build(struct mp_direct *d, uint32_t block)
{
    const struct mp_plan_block *b = &d->plan->block[block];
    if (d->model[block])
        return 0;
    d->model[block] = mp_block_new(b->kind, d->wheel, b->params);
    if (!d->model[block])
        return -1;
    if (b->kind->serve)
        b->kind->serve(d->model[block], b->tenants);
    return 0;
}

void mp_direct_join(struct mp_direct *d, uint32_t link)
{
    const struct mp_plan_link *l = &d->plan->link[link];
    const struct mp_block_kind *from = d->plan->block[l->from].kind, *to = d->plan->block[l->to].kind;
    from->join(d->model[l->from], l->out, to->target(d->model[l->to], l->port));
    *to->up(d->model[l->to], l->port) = from->initiator(d->model[l->from], l->out);
    mp_block_route(from, d->model[l->from], l->tenants, l->out);
}

int mp_direct_build_all(struct mp_direct *d)
{
    for (uint32_t i = 0; i < d->plan->blocks; i++)
        if (mp_direct_build(d, i))
            return -1;
    for (uint32_t i = 0; i < d->plan->links; i++)
        mp_direct_join(d, i);
    return 0;
}
