/* SPDX-License-Identifier: Apache-2.0 */
/* A new prefetcher: the page that is `by` pages ahead. */
#include "tlb/prefetch/prefetcher.h"

enum { BY };
static const struct mp_design_param params[] = {
    [BY] = {"by", "pages", NULL, 1, 1, 16, "mempath", "from a miss to the page that is prefetched", 0},
    {0},
};

static size_t bytes(const struct mp_design_values *own)
{
    (void)own;
    return sizeof(uint64_t);
}

static void init(void *state, const struct mp_design_values *own)
{
    *(uint64_t *)state = own->v[BY];
}

static uint32_t miss(void *state, const struct mp_prefetch_miss *m, uint64_t page[MP_PREFETCH_MOST])
{
    page[0] = m->vpn + *(const uint64_t *)state;
    return 1;
}

static void forget(void *state, uint16_t asid)
{
    (void)state, (void)asid;
}

const struct mp_prefetcher mp_prefetcher_ahead = {
    .design = {.name = "ahead", .title = "the page at a fixed distance", .params = params},
    .bytes = bytes,
    .init = init,
    .miss = miss,
    .forget = forget,
};
