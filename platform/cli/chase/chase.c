/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/chase/chase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/configure.h"
#include "gpu/probe.h"

#define STEPS 4u /* footprints in an octave */

/* ---- the machine ---- */

int chase_config(const struct chase *c, uint64_t page_bytes, struct mp_config *config, struct mp_error *err)
{
    char page[64], fit[CHASE_FITS][160];
    const char *set[CHASE_SETS + CHASE_FITS + 1];
    unsigned n = 0;
    for (; n < c->sets; n++)
        set[n] = c->set[n];
    if (page_bytes) {
        snprintf(page, sizeof page, "machine.page_bytes=%ju", (uintmax_t)page_bytes);
        set[n++] = page;
    }
    for (unsigned i = 0; i < c->fits; i++) {
        snprintf(fit[i], sizeof fit[i], "%s=%ju", c->fit[i].path, (uintmax_t)c->fit[i].value);
        set[n++] = fit[i];
    }
    return mp_config_load(config, c->machine, n, set, err);
}

static void add_level(struct chase *c, const char *name, bool tlb, uint64_t holds)
{
    struct chase_level *l = &c->level[c->levels++];
    *l = (struct chase_level){.tlb = tlb, .pages_or_lines = holds};
    snprintf(l->name, sizeof l->name, "%s", name);
}

static void find_levels(struct chase *c, const struct mp_config *config, struct mp_machine *m)
{
    const char *tlb[MP_TLB_LEVELS];
    const unsigned tlbs = mp_config_tlbs(config, tlb);
    c->levels = 0;
    for (unsigned i = 0; i < tlbs; i++) {
        struct mp_tlb_params p;
        mp_config_level(config, tlb[i], &p);
        if (mp_config_has_level(config, tlb[i]))
            add_level(c, tlb[i], true, (uint64_t)p.geometry.sets * p.geometry.ways * p.geometry.sub_entries);
    }
    const uint64_t l2 = (uint64_t)m->l2d.banks * m->l2d.sets * m->l2d.ways;
    if (!m->l1d.loads_go_past)
        add_level(c, "l1d", false, (uint64_t)m->l1d.sets * m->l1d.ways);
    add_level(c, "l2d", false, l2 * mp_machine_memory_slices(m, m->slices));
}

int chase_prepare(struct chase *c, struct mp_error *err)
{
    static struct mp_machine m; /* large */
    struct mp_config config;
    if (chase_config(c, 0, &config, err))
        return -1;
    if (config.ntenants) {
        mp_config_free(&config);
        return mp_fail(err, "chase: %s has tenants, and a chase runs alone; a machine (mempath run --list)",
                       c->machine);
    }
    mp_machine_configure(&m, &config);
    c->clock_mhz = (uint32_t)config.machine.clock_mhz;
    c->line_bytes = m.line_bytes;
    c->page_bytes = m.page_bytes;
    c->memory = mp_machine_memory(&m, m.slices) / 10 * 8;
    find_levels(c, &config, &m);
    mp_config_free(&config);
    return 0;
}

uint64_t chase_reach(const struct chase *c, const struct chase_curve *curve, const struct chase_level *level)
{
    const uint64_t unit = level->tlb ? curve->page_bytes : c->line_bytes;
    return level->pages_or_lines * (curve->stride > unit ? curve->stride : unit);
}

/* ---- footprints ---- */

bool chase_shows(const struct chase_curve *curve, const struct chase_level *level)
{
    return level->tlb == (curve->stride >= curve->page_bytes);
}

static uint64_t last_of(const struct chase *c, const struct chase_curve *curve)
{
    uint64_t reach = 0;
    for (unsigned i = 0; i < c->levels; i++)
        if (chase_shows(curve, &c->level[i])) {
            const uint64_t own = chase_reach(c, curve, &c->level[i]);
            reach = own > reach ? own : reach;
        }
    return 2 * reach;
}

int chase_footprints(const struct chase *c, struct chase_curve *curve, struct mp_error *err)
{
    uint64_t first = c->first ? c->first : 4 * curve->stride, last = c->last ? c->last : last_of(c, curve);
    if (!c->first && first < 4096)
        first = 4096;
    if (last > c->memory)
        last = c->memory;
    if (first < curve->stride)
        first = curve->stride;
    if (last < first)
        return mp_fail(err,
                       "chase: no footprint from %ju to %ju B with a stride of %ju B; --footprint up to %ju",
                       (uintmax_t)first, (uintmax_t)last, (uintmax_t)curve->stride, (uintmax_t)c->memory);
    curve->n = 0;
    for (unsigned step = 0; curve->n < CHASE_POINTS; step++) {
        uint64_t footprint = (first * (STEPS + step % STEPS) << step / STEPS) / STEPS;
        footprint -= footprint % curve->stride;
        if (footprint > last)
            break;
        if (!curve->n || footprint != curve->point[curve->n - 1].footprint)
            curve->point[curve->n++] = (struct chase_point){footprint, NAN, NAN};
    }
    return 0;
}

static uint64_t loads_of(const struct chase_curve *curve, uint32_t i)
{
    const uint64_t n = curve->point[i].footprint / curve->stride;
    return n + (n < CHASE_TIMED ? n : CHASE_TIMED);
}

uint64_t chase_loads(const struct chase *c)
{
    uint64_t loads = 0;
    for (unsigned k = 0; k < c->curves; k++)
        for (uint32_t i = 0; i < c->curve[k].n; i++)
            loads += loads_of(&c->curve[k], i);
    return loads;
}

/* ---- measurements ---- */

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Addresses `stride` apart in random order. If a page or more lies between them, each is in another line of
 * its page, so that they do not meet in the sets of a cache. */
static void order(const struct chase *c, const struct chase_curve *curve, uint64_t first, uint64_t n,
                  uint64_t *address)
{
    const bool apart = curve->stride >= curve->page_bytes && curve->page_bytes > c->line_bytes;
    const uint64_t lines = apart ? curve->page_bytes / c->line_bytes : 1;
    uint64_t random = 1;
    for (uint64_t i = 0; i < n; i++)
        address[i] = first + i * curve->stride + i % lines * c->line_bytes;
    for (uint64_t i = n; i > 1; i--) {
        const uint64_t k = splitmix(&random) % i, other = address[k];
        address[k] = address[i - 1];
        address[i - 1] = other;
    }
}

static void measure_point(struct chase *c, const struct chase_curve *curve, struct mp_probe *probe,
                          uint64_t *address, struct chase_point *point)
{
    const uint64_t n = point->footprint / curve->stride, timed = n < CHASE_TIMED ? n : CHASE_TIMED;
    order(c, curve, probe->first, n, address);
    mp_probe_chase(probe, address, n, NULL);
    point->cycles = (double)mp_probe_chase(probe, address, timed, NULL) / (double)timed;
    c->loads += n + timed;
    if (c->progress)
        c->progress(c->context, c->loads);
}

static int build(const struct chase *c, const struct chase_curve *curve, struct mp_probe *probe,
                 struct mp_error *err)
{
    static struct mp_machine m; /* large */
    struct mp_config config;
    const uint64_t page = curve->page_bytes, most = curve->point[curve->n - 1].footprint;
    if (chase_config(c, page, &config, err))
        return -1;
    mp_machine_configure(&m, &config);
    mp_config_free(&config);
    if (curve->sm >= mp_machine_sms(&m))
        return mp_fail(err, "chase: SM %u of %s, which has %u; 0 to %u", curve->sm, c->machine,
                       mp_machine_sms(&m), mp_machine_sms(&m) - 1);
    if (most > c->memory)
        return mp_fail(err, "chase: a footprint of %ju B in memory of which a chase may use %ju B; less",
                       (uintmax_t)most, (uintmax_t)c->memory);
    const uint64_t first = page > UINT64_C(1) << 24 ? page : UINT64_C(1) << 24;
    if (mp_probe_init(probe, &m, curve->sm + 1, first, (most + page - 1) / page * page, err))
        return -1;
    mp_prober_init(&probe->prober, probe->direct.model[mp_plan_find_level(&probe->plan, "sm", curve->sm, 0)],
                   0, 0);
    return 0;
}

int chase_measure(struct chase *c, struct chase_curve *curve, struct mp_error *err)
{
    static struct mp_probe probe; /* large, and models point into it */
    if (build(c, curve, &probe, err))
        return -1;
    uint64_t *address =
        cli_have(malloc(curve->point[curve->n - 1].footprint / curve->stride * sizeof *address));
    for (uint32_t i = 0; i < curve->n && !cli_stop; i++)
        measure_point(c, curve, &probe, address, &curve->point[i]);
    c->simulated += probe.wheel.now;
    free(address);
    mp_probe_free(&probe);
    return cli_stop ? mp_fail(err, "chase: interrupted") : 0;
}

/* A plateau is two points or more of nearly the same latency; a knee is its last point. */
unsigned chase_knees(const struct chase_curve *curve, struct chase_knee knee[CHASE_LEVELS])
{
    const double same = 1.03; /* a few loads of a plateau miss, since hashes do not fill all sets alike */
    unsigned knees = 0;
    for (uint32_t i = 0, end; i < curve->n && knees < CHASE_LEVELS; i = end) {
        for (end = i + 1; end < curve->n && curve->point[end].cycles <= curve->point[i].cycles * same; end++)
            ;
        if (end - i == 1)
            continue;
        if (knees && isnan(knee[knees - 1].after))
            knee[knees - 1].after = curve->point[i].cycles;
        if (end < curve->n)
            knee[knees++] = (struct chase_knee){curve->point[end - 1].footprint, curve->point[i].cycles, NAN};
    }
    if (knees && isnan(knee[knees - 1].after))
        knee[knees - 1].after = curve->point[curve->n - 1].cycles;
    return knees;
}
