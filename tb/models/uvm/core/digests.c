/* SPDX-License-Identifier: Apache-2.0 */
/* A digest of what unified memory decides for random stimuli, for each combination of designs. Compiled for
 * the host and for the management core, whose lines must be the same (uvm_core.sh). */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uvm/uvm.h"

#define BASE   UINT64_C(0x40000000)
#define BLOCKS 6u

static uint64_t digest, rolls;
static bool costs; /* in place of the digest: what a service costs */
static uint64_t evictions;
static struct cost {
    uint64_t batches, instructions;
} cost[2]; /* of batches without evictions, and with */

/* The core's, and 0 on the host. */
static uint64_t executed(void)
{
    uint64_t n = 0;
#ifdef __riscv
    __asm__ volatile("csrr %0, instret" : "=r"(n));
#endif
    return n;
}

static uint32_t roll(uint32_t n)
{
    return mp_uvm_draw(&rolls, n);
}

/* FNV-1a of eight bytes. */
static void add(uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        digest = (digest ^ (value & 0xff)) * UINT64_C(0x100000001b3);
}

static void add_pages(const struct mp_uvm_mask *m)
{
    MP_UVM_EACH (i)
        add(m->w[i]);
}

static void evicted(void *context, const struct mp_uvm_victim *v)
{
    (void)context;
    evictions++;
    if (costs)
        return;
    add(v->block << 3 | v->asid);
    add_pages(&v->back);
    add_pages(&v->drop);
}

static void served(void *context, const struct mp_uvm_service *s)
{
    (void)context;
    if (costs)
        return;
    add(s->block << 3 | s->asid);
    add_pages(&s->fault);
    add_pages(&s->prefetch);
    add_pages(&s->copy);
    add_pages(&s->remote);
    add_pages(&s->held);
}

static void step(struct mp_uvm *u, uint64_t now)
{
    const struct mp_uvm_report report = {evicted, served, NULL};
    const uint8_t asid = (uint8_t)roll(2);
    const uint64_t va = BASE + roll(BLOCKS) * MP_UVM_BLOCK_BYTES;
    mp_uvm_at(u, now);
    for (unsigned n = costs ? 1 : roll(6); n; n--) { /* arguments have no order */
        const uint32_t sm = roll(8), offset = roll(MP_UVM_BLOCK_BYTES), access = roll(4);
        add(mp_uvm_fault(u, sm, asid, va + offset, (enum mp_uvm_access)access));
    }
    const uint64_t before = executed(), evicted_before = evictions;
    const uint32_t duplicates = mp_uvm_serve(u, &report).duplicates;
    struct cost *c = &cost[evictions > evicted_before];
    c->instructions += executed() - before;
    c->batches++;
    add(duplicates);
    for (unsigned n = roll(6); n; n--)
        add(mp_uvm_gpu(u, asid, va + roll(MP_UVM_BLOCK_BYTES), MP_UVM_READ).count);
    for (unsigned n = roll(4); n; n--) {
        const struct mp_uvm_moved m = mp_uvm_host(u, asid, va + roll(MP_UVM_BLOCK_BYTES), MP_UVM_READ);
        add(m.what);
        add_pages(&m.pages);
    }
    add(mp_uvm_notices(u, &report).notices);
}

static void run(const struct mp_uvm_params *p)
{
    void *memory = calloc(1, mp_uvm_bytes(p));
    if (!memory) {
        puts("no memory");
        exit(1);
    }
    struct mp_uvm *u = mp_uvm_init(memory, p);
    for (uint8_t s = 0; s < 2; s++)
        mp_uvm_open(u, s, BASE, BLOCKS * MP_UVM_BLOCK_BYTES, false, NULL);
    for (uint64_t now = 1; now < 80; now++)
        step(u, now);
    free(memory);
}

/* Of each prefetcher with the usual eviction: the instructions of a batch of one fault. */
static void print_costs(struct mp_uvm_params p)
{
    costs = true;
    p.evict = mp_uvm_evicts[0];
    p.migrate = mp_uvm_migrates[0];
    for (unsigned i = 0; mp_uvm_prefetches[i]; i++) {
        p.prefetch = mp_uvm_prefetches[i];
        memset(cost, 0, sizeof cost);
        rolls = 1;
        run(&p);
        for (unsigned e = 0; e < 2; e++)
            printf("cost %s, %s evictions: %" PRIu32 " faults, %" PRIu32 " instructions each\n",
                   p.prefetch->design.name, e ? "with" : "without", (uint32_t)cost[e].batches,
                   (uint32_t)(cost[e].instructions / cost[e].batches));
    }
}

int main(void)
{
    struct mp_uvm_params p = MP_UVM_USUAL;
    p.blocks = p.ranges = 2 * BLOCKS;
    p.chunks = 4;
    p.lapse = 5;
    p.counter = 2;
    p.entries = 64;
    p.thrash = 64;
    for (unsigned i = 0; mp_uvm_prefetches[i]; i++)
        for (unsigned k = 0; mp_uvm_evicts[k]; k++) {
            const unsigned m = (i + k) % 5;
            p.prefetch = mp_uvm_prefetches[i];
            p.evict = mp_uvm_evicts[k];
            p.migrate = mp_uvm_migrates[m];
            digest = UINT64_C(0xcbf29ce484222325);
            rolls = 1 + i * 100 + k;
            run(&p);
            printf("uvm %s %s %s %08" PRIx32 "%08" PRIx32 "\n", p.prefetch->design.name, p.evict->design.name,
                   p.migrate->design.name, (uint32_t)(digest >> 32), (uint32_t)digest);
        }
    print_costs(p);
    return 0;
}
