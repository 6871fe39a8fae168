/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/probe.h"

#include <assert.h>
#include <stdlib.h>

enum { TENANT, ASID = 0 };

static int out_of_memory(struct mp_error *err)
{
    return mp_fail(err, "out of memory; a smaller machine is needed");
}

/* Page tables are taken from the end of the memory. */
static int map_block(struct mp_probe *p, uint64_t first, uint64_t bytes, struct mp_error *err)
{
    const struct mp_frames_params frames = {
        .base = first + bytes, .bytes = p->memory.bytes - first - bytes, .page_bytes = p->machine.page_bytes};
    if (mp_frames_init(&p->frames, &mp_frames_ascending, &frames, err) ||
        mp_page_table_init(&p->table, p->machine.walk.format, &p->memory, &p->frames, TENANT, err))
        return -1;
    for (uint64_t at = first; at < first + bytes; at += p->machine.page_bytes)
        if (mp_page_table_map(&p->table, at, at, p->coalescer.page_shift, err))
            return -1;
    return 0;
}

static int build(struct mp_probe *p, uint32_t sms, struct mp_error *err)
{
    struct mp_machine *m = &p->machine;
    m->walk.memory = &p->memory;
    m->sm.coalescer = &p->coalescer;
    mp_machine_divide_sms(m, 1, &sms);
    mp_machine_set_map(m, p->map);
    if (mp_plan_init(&p->plan, m, err))
        return -1;
    if (mp_direct_init(&p->direct, &p->plan, &p->wheel) || mp_direct_build_all(&p->direct))
        return out_of_memory(err);
    for (uint32_t i = 0; i < p->plan.blocks; i++)
        if (p->plan.block[i].kind->set_root)
            p->plan.block[i].kind->set_root(p->direct.model[i], ASID, p->table.format, p->table.root);
    mp_prober_init(&p->prober, p->direct.model[mp_plan_find_level(&p->plan, "sm", 0, 0)], ASID, TENANT);
    return 0;
}

int mp_probe_init(struct mp_probe *p, const struct mp_machine *machine, uint32_t sms, uint64_t first,
                  uint64_t bytes, struct mp_error *err)
{
    const uint64_t memory = mp_machine_memory(machine, machine->slices);
    *p = (struct mp_probe){.machine = *machine,
                           .coalescer = {.page_shift = (uint32_t)__builtin_ctzll(machine->page_bytes),
                                         .line_shift = (uint32_t)__builtin_ctz(machine->line_bytes)}};
    mp_wheel_init(&p->wheel);
    p->first = first;
    p->bytes = bytes;
    if (first % machine->page_bytes || bytes % machine->page_bytes || first > memory ||
        bytes > memory - first) {
        mp_fail(err, "%llu bytes at 0x%llx; whole pages in the %llu bytes of memory",
                (unsigned long long)bytes, (unsigned long long)first, (unsigned long long)memory);
        mp_probe_free(p);
        return -1;
    }
    bool fails =
        mp_physmem_init(&p->memory, memory) || mp_map_init(&p->map, machine->map.kind, &machine->map.own);
    if (fails)
        out_of_memory(err);
    if (fails || map_block(p, first, bytes, err) || build(p, sms, err)) {
        mp_probe_free(p);
        return -1;
    }
    return 0;
}

void mp_probe_free(struct mp_probe *p)
{
    if (p->direct.plan)
        mp_direct_free(&p->direct);
    mp_plan_free(&p->plan);
    mp_frames_free(&p->frames);
    mp_physmem_free(&p->memory);
    mp_map_free(&p->map);
    mp_wheel_free(&p->wheel);
    free(p->noise);
    *p = (struct mp_probe){.ended = false};
}

static void end(void *probe, uint64_t cycles)
{
    struct mp_probe *p = probe;
    p->cycles = cycles;
    p->ended = true;
}

/* --- noise ---------------------------------------------------------------------------------------- */

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void disturb(void *noise, void *unused);

static void disturbed(void *noise, uint64_t cycles)
{
    struct mp_probe_noise *n = noise;
    (void)cycles;
    mp_at(&n->probe->wheel, 1 + splitmix(&n->random) % n->probe->gap, disturb, n, NULL);
}

static void disturb(void *noise, void *unused)
{
    struct mp_probe_noise *n = noise;
    (void)unused;
    n->address = n->probe->first + splitmix(&n->random) % n->probe->bytes / 4 * 4;
    mp_prober_chase(&n->prober, &n->address, 1, NULL, disturbed, n);
}

int mp_probe_disturb(struct mp_probe *p, uint32_t others, uint32_t gap, uint64_t seed)
{
    p->noise = calloc(others, sizeof *p->noise);
    if (!p->noise)
        return -1;
    p->gap = gap;
    for (uint32_t i = 0; i < others; i++) {
        struct mp_probe_noise *n = &p->noise[i];
        *n = (struct mp_probe_noise){.probe = p, .random = seed + i};
        mp_prober_init(&n->prober, p->direct.model[mp_plan_find_level(&p->plan, "sm", i + 1, 0)], ASID,
                       TENANT);
        disturbed(n, 0);
    }
    return 0;
}

/* --- probes --------------------------------------------------------------------------------------- */

/* Without noise, nothing but the probe happens: it has ended when nothing is left to happen. */
static uint64_t run(struct mp_probe *p)
{
    for (uint64_t next; !(p->noise && p->ended) && (next = mp_wheel_next(&p->wheel)) != MP_NEVER;) {
        mp_wheel_advance(&p->wheel, next);
        mp_wheel_run_cycle(&p->wheel);
    }
    assert(p->ended && !p->prober.faults);
    mp_wheel_advance(&p->wheel, p->wheel.now + 1);
    return p->cycles;
}

uint64_t mp_probe_chase(struct mp_probe *p, const uint64_t *address, size_t n, uint64_t *cycles)
{
    p->ended = false;
    mp_prober_chase(&p->prober, address, n, cycles, end, p);
    return run(p);
}

uint64_t mp_probe_pair(struct mp_probe *p, uint64_t a, uint64_t b)
{
    p->ended = false;
    mp_prober_pair(&p->prober, a, b, NULL, end, p);
    return run(p);
}

struct reader {
    struct mp_prober prober;
    struct mp_probe *probe;
    const struct mp_probe_other *of;
};

static void read_on(void *reader, uint64_t cycles)
{
    struct reader *r = reader;
    (void)cycles;
    if (!r->probe->ended)
        mp_prober_chase(&r->prober, r->of->address, r->of->n, NULL, read_on, r);
}

uint64_t mp_probe_chase_among(struct mp_probe *p, const uint64_t *address, size_t n, uint64_t *cycles,
                              const struct mp_probe_other *other, uint32_t others)
{
    struct reader *reader = calloc(others + 1, sizeof *reader);
    if (!reader)
        return 0;
    p->ended = false;
    mp_prober_chase(&p->prober, address, n, cycles, end, p);
    for (uint32_t i = 0; i < others; i++) {
        const uint32_t sm = mp_plan_find_level(&p->plan, "sm", other[i].sm, 0);
        reader[i] = (struct reader){.probe = p, .of = &other[i]};
        mp_prober_init(&reader[i].prober, p->direct.model[sm], ASID, TENANT);
        read_on(&reader[i], 0);
    }
    uint64_t all = run(p);
    for (uint32_t i = 0; i < others; i++)
        assert(!reader[i].prober.faults);
    free(reader);
    return all;
}
