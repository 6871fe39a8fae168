/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary stride prefetching: the reference prediction table of Chen and Baer, "Effective Hardware-Based
 * Data Prefetching for High-Performance Processors" (IEEE Transactions on Computers, 1995), as it is
 * remembered, for the misses of a TLB. There a row belongs to a load instruction. Requests here have no
 * program counter, so a row belongs to the requester: a warp, or an SM, in an address space.
 *
 * 1. A miss of a requester without a row makes one, in place of the least recently used one of its set: with
 * the page, stride 0, and state initial. It names no page. A row becomes the most recent of its set at each
 * miss.
 * 2. A miss for the page of the row changes nothing else.
 * 3. Any other miss is right if its page is the row's page and stride; otherwise it is wrong. The page
 * becomes that of the row, and the state changes:
 *
 *      state     right      wrong
 *      initial   steady     transient, and the stride becomes the new one
 *      transient steady     none, and the stride becomes the new one
 *      steady    steady     initial
 *      none      transient  none, and the stride becomes the new one
 *
 * 4. If the state is steady then, the next `degree` pages with the stride are named, the nearest first.
 *
 * Chen and Baer prefetch in state initial and transient, too. A stride counts here when it has been seen
 * twice in a row. A use of a page in the prefetch buffer is a miss here.
 */
#include <stdbool.h>

#include "engine/lru.h"
#include "tlb/prefetch/prefetcher.h"

#define MOST_WAYS MP_LRU_WORD_WAYS

enum { BY, ROWS, WAYS, DEGREE };
enum { BY_WARP, BY_SM };
enum state { INITIAL, TRANSIENT, STEADY, NONE };

static const struct mp_design_param params[] = {
    [BY] = {"by", NULL, "warp|sm", BY_WARP, 0, 0, "mempath", "whose misses have a row of the table", 0},
    [ROWS] = {"rows", "rows", NULL, 256, 1, 65536, "mempath", "of the table of requesters, a power of two",
              MP_DESIGN_POWER_OF_TWO},
    [WAYS] = {"ways", "ways", NULL, 4, 1, MOST_WAYS, "mempath",
              "associativity of the table, a power of two; at most its rows", MP_DESIGN_POWER_OF_TWO},
    [DEGREE] = {"degree", "pages", NULL, 1, 1, MP_PREFETCH_MOST, "mempath",
                "prefetched for a miss with a steady stride", 0},
    {0},
};

struct row {
    uint64_t page;
    int64_t stride;
    uint32_t requester; /* asid, SM and warp */
    bool valid;
    uint8_t state;
};

struct stride {
    uint32_t sets, ways, degree;
    bool by_sm;
    uint64_t *order; /* of each set */
    struct row row[];
};

static uint32_t ways_of(const struct mp_design_values *own)
{
    return (uint32_t)(own->v[WAYS] < own->v[ROWS] ? own->v[WAYS] : own->v[ROWS]);
}

static size_t bytes(const struct mp_design_values *own)
{
    size_t rows = own->v[ROWS];
    return sizeof(struct stride) + rows * sizeof(struct row) + rows / ways_of(own) * sizeof(uint64_t);
}

static void init(void *state, const struct mp_design_values *own)
{
    struct stride *s = state;
    s->ways = ways_of(own);
    s->sets = (uint32_t)own->v[ROWS] / s->ways;
    s->degree = (uint32_t)own->v[DEGREE];
    s->by_sm = own->v[BY] == BY_SM;
    s->order = (uint64_t *)(void *)&s->row[own->v[ROWS]];
    for (uint32_t i = 0; i < s->sets; i++)
        mp_lru_init(&s->order[i], s->ways);
}

static uint32_t asid_of(uint32_t requester)
{
    return requester >> 24;
}

/* The requester's row, which becomes the most recent of its set: a new one has *fresh set. Neighbouring
 * requesters are in neighbouring sets. */
static struct row *use(struct stride *s, uint32_t requester, bool *fresh)
{
    uint32_t index = s->by_sm ? requester >> 8 : requester, set = index & (s->sets - 1), way = 0;
    struct row *row = &s->row[set * s->ways];
    do {
        if (row[way].valid && row[way].requester == requester) {
            mp_lru_touch(&s->order[set], s->ways, way);
            *fresh = false;
            return &row[way];
        }
    } while (++way < s->ways);
    *fresh = true;
    return &row[mp_lru_renew(&s->order[set], s->ways)];
}

static void step(struct row *r, int64_t stride)
{
    static const uint8_t right[] = {
        [INITIAL] = STEADY, [TRANSIENT] = STEADY, [STEADY] = STEADY, [NONE] = TRANSIENT};
    static const uint8_t wrong[] = {
        [INITIAL] = TRANSIENT, [TRANSIENT] = NONE, [STEADY] = INITIAL, [NONE] = NONE};
    bool is_right = stride == r->stride;
    if (!is_right && r->state != STEADY)
        r->stride = stride;
    r->state = (is_right ? right : wrong)[r->state];
}

static uint32_t miss(void *state, const struct mp_prefetch_miss *m, uint64_t page[MP_PREFETCH_MOST])
{
    struct stride *s = state;
    uint32_t requester = (uint32_t)m->asid << 24 | (uint32_t)m->sm << 8 | (s->by_sm ? 0 : m->warp), n = 0;
    bool fresh;
    struct row *r = use(s, requester, &fresh);
    if (fresh)
        *r = (struct row){.page = m->vpn, .requester = requester, .valid = true, .state = INITIAL};
    if (r->page == m->vpn)
        return 0;
    step(r, (int64_t)(m->vpn - r->page));
    r->page = m->vpn;
    for (; r->state == STEADY && n < s->degree; n++)
        page[n] = m->vpn + (n + 1) * (uint64_t)r->stride;
    return n;
}

/* Its rows are vacant then: the least recently used ones of their sets. */
static void forget(void *state, uint16_t asid)
{
    struct stride *s = state;
    for (uint32_t i = 0; i < s->sets * s->ways; i++)
        if (s->row[i].valid && asid_of(s->row[i].requester) == asid) {
            s->row[i].valid = false;
            mp_lru_forget(&s->order[i / s->ways], s->ways, i % s->ways);
        }
}

const struct mp_prefetcher mp_prefetcher_stride = {
    .design = {.name = "stride",
               .title = "pages at the steady stride of a requester's misses",
               .params = params},
    .bytes = bytes,
    .init = init,
    .miss = miss,
    .forget = forget,
};
