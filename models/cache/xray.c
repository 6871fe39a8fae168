/* SPDX-License-Identifier: Apache-2.0 */
/* A data cache's part of an X-ray: the lines that are being fetched, and the requests that wait for them or
 * for room. A load that missed first goes down as the same request, so the cache knows only its line. */
#include "cache/sets.h"
#include "cache/virtual.h"

static struct mp_xray_wait wait_for_line(void)
{
    return (struct mp_xray_wait){.where = "MSHR",
                                 .number = MP_XRAY_NONE,
                                 .since = MP_XRAY_UNKNOWN,
                                 .asks = MP_XRAY_UNKNOWN,
                                 .va = MP_XRAY_UNKNOWN,
                                 .pa = MP_XRAY_UNKNOWN};
}

static void show_misses(const struct mp_mshr_file *mshr, const struct mp_xray *x,
                        struct mp_xray_wait (*line)(const void *cache, const struct mp_mshr *m),
                        const void *cache)
{
    for (uint32_t b = 0; b <= mshr->mask; b++) {
        for (uint16_t i = mshr->bucket[b]; i; i = mshr->entry[i - 1].chain) {
            const struct mp_mshr *m = &mshr->entry[i - 1];
            struct mp_xray_wait wait = line(cache, m);
            x->wait(x->self, &wait);
            mp_xray_ring(x, &wait, m->last, m->length);
        }
    }
}

static struct mp_xray_wait physical_line(const void *cache, const struct mp_mshr *m)
{
    const struct mp_cache *c = cache;
    struct mp_xray_wait wait = wait_for_line();
    wait.pa = wait.asks = (uint64_t)((uint32_t)m->key - 1) << c->p.line_shift;
    wait.out = mp_map_channel(&c->p.below, wait.pa, c->p.links);
    return wait;
}

static uint64_t unsent(const struct mp_out *below, uint32_t links)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < links; i++)
        n += below[i].waiting.length;
    return n;
}

void mp_cache_xray(const void *model, const struct mp_xray *x)
{
    const struct mp_cache *c = model;
    uint64_t held = 0, writing_back = 0;
    for (uint32_t b = 0; b < c->p.banks; b++) {
        held += c->bank[b].held.length;
        writing_back += c->bank[b].writing_back;
    }
    mp_xray_room(x, "MSHRs", c->mshr.used, c->mshr.capacity);
    mp_xray_room(x, "held at ports", held, c->p.ports);
    mp_xray_room(x, "lines being written back", writing_back, (uint64_t)c->p.banks * c->p.mshrs);
    mp_xray_room(x, "waiting for the links below", unsent(c->below, c->p.links), 0);
    show_misses(&c->mshr, x, physical_line, c);
    for (uint32_t b = 0; b < c->p.banks; b++)
        mp_xray_queue(x, "held at bank", b, &c->bank[b].held);
}

/* The line's page is being translated, or the line is being fetched. */
static struct mp_xray_wait virtual_line(const void *cache, const struct mp_mshr *m)
{
    const struct mp_virtual_cache *c = cache;
    struct mp_xray_wait wait = wait_for_line();
    wait.va = wait.asks = mp_virtual_cache_line(c, m->key);
    wait.out = MP_XRAY_ANY;
    return wait;
}

void mp_virtual_cache_xray(const void *model, const struct mp_xray *x)
{
    const struct mp_virtual_cache *c = model;
    mp_xray_room(x, "MSHRs", c->mshr.used, c->mshr.capacity);
    mp_xray_room(x, "held at ports", c->held.length, c->p.ports);
    mp_xray_room(x, "waiting for the TLB", c->translate.waiting.length, 0);
    mp_xray_room(x, "waiting for the links below", unsent(c->below, c->p.links), 0);
    show_misses(&c->mshr, x, virtual_line, c);
    mp_xray_queue(x, "held, no MSHR", MP_XRAY_NONE, &c->held);
}
