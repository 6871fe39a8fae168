/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bandwidth of a loaded machine: every SM has as many warps as it can hold, and each warp loads a line
 * with each instruction, either the next ones of a stream or random ones. Bandwidth is what the DRAM sends
 * while the middle half of the loads is answered, as at the start TLBs are empty, and at the end few warps
 * are left.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/chase/chase.h"
#include "cli/out.h"
#include "dram/dram.h"
#include "gpu/configure.h"
#include "gpu/probe.h"

#define LOADS    32u                 /* of each warp */
#define BLOCK    (UINT64_C(1) << 30) /* bytes at which random loads go */
#define ELEMENT  4u                  /* bytes of a lane */
#define MOST_SMS 1024u

struct pattern {
    const char *name;
    bool random;
    double lines; /* of the DRAM in a cycle of the machine */
};

struct load {
    const struct pattern *pattern;
    struct mp_probe *probe;
    uint64_t warps; /* of all SMs */
    uint64_t answered, faults;
    uint64_t from[2], lines[2]; /* when the middle half begins and ends, and what the DRAM has sent */
    struct sm_load {
        struct load *all;
        struct mp_sm_owner owner;
        uint64_t first; /* number of its first warp */
        uint32_t done[64];
    } sm[MOST_SMS];
};

/* ---- traffic ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t next(void *self, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    struct sm_load *s = self;
    const struct load *l = s->all;
    const uint32_t line_bytes = l->probe->machine.line_bytes, lanes = line_bytes / ELEMENT;
    (void)work, (void)room;
    if (s->done[warp] == LOADS) {
        *step = (struct gwt_step){.kind = GWT_EXIT};
        return 1;
    }
    const uint64_t number = s->done[warp]++ * l->warps + s->first + warp,
                   lines = l->probe->bytes / line_bytes;
    const uint64_t line = l->pattern->random ? mix(number + 1) % lines : number % lines;
    *step = (struct gwt_step){.kind = GWT_ACCESS,
                              .op = GWT_LOAD,
                              .gap = 1,
                              .mode = GWT_UNIT,
                              .active = (uint8_t)(lanes < GWT_WARP_LANES ? lanes : GWT_WARP_LANES),
                              .bytes = ELEMENT,
                              .stride = ELEMENT,
                              .base = l->probe->first + line * line_bytes};
    return 1;
}

/* Lines that the DRAM has sent. */
static uint64_t sent(const struct mp_probe *p)
{
    uint64_t lines = 0;
    for (uint32_t i = 0; i < p->plan.blocks; i++)
        if (p->plan.block[i].kind == &mp_dram_kind)
            lines += ((const struct mp_dram *)p->direct.model[i])->stats->reads;
    return lines;
}

static void answered(void *self, void *work, uint32_t warp, uint64_t issued)
{
    struct load *l = ((struct sm_load *)self)->all;
    const uint64_t quarter = l->warps * LOADS / 4;
    (void)work, (void)warp, (void)issued;
    l->answered++;
    for (unsigned i = 0; i < 2; i++)
        if (l->answered == (i ? 3 : 1) * quarter) {
            l->from[i] = l->probe->wheel.now;
            l->lines[i] = sent(l->probe);
        }
}

static void ended(void *self, struct mp_sm *sm, void *work)
{
    (void)self, (void)sm, (void)work;
}

static bool fault(void *self, struct mp_sm *sm, struct mp_req *page)
{
    (void)sm, (void)page;
    ((struct sm_load *)self)->all->faults++;
    return false;
}

static struct mp_sm *sm_of(const struct load *l, uint32_t i)
{
    return l->probe->direct.model[mp_plan_find_level(&l->probe->plan, "sm", i, 0)];
}

/* Gives each SM as many warps as it holds; all of them are counted before the first one begins. */
static void start(struct load *l, uint32_t sms)
{
    uint32_t warps = sizeof l->sm[0].done / sizeof *l->sm[0].done;
    while (!mp_sm_has_room(sm_of(l, 0), warps, 0))
        warps--;
    l->warps = (uint64_t)sms * warps;
    for (uint32_t i = 0; i < sms; i++) {
        struct sm_load *s = &l->sm[i];
        *s = (struct sm_load){.all = l, .first = (uint64_t)i * warps};
        s->owner = (struct mp_sm_owner){
            .self = s, .next = next, .access_done = answered, .cta_done = ended, .fault = fault};
        mp_sm_start_cta(sm_of(l, i), &s->owner, NULL, warps, 0);
    }
}

/* ---- a measurement ---- */

static int measure(const struct mp_machine *m, struct pattern *pattern, struct mp_error *err)
{
    static struct mp_probe probe; /* large, and models point into it */
    static struct load l;
    const uint64_t page = m->page_bytes, first = page > UINT64_C(1) << 24 ? page : UINT64_C(1) << 24;
    const uint64_t room = (mp_machine_memory(m, m->slices) - first) / 10 * 8;
    const uint64_t bytes = room < BLOCK ? room - room % page : BLOCK;
    const uint32_t sms = mp_machine_sms(m);
    if (bytes < page)
        return mp_fail(
            err, "chase: %llu B of memory are too few for --bandwidth; a larger machine.memory_per_slice",
            (unsigned long long)mp_machine_memory(m, m->slices));
    if (mp_probe_init(&probe, m, sms, first, bytes, err))
        return -1;
    l = (struct load){.pattern = pattern, .probe = &probe};
    start(&l, sms);
    for (uint64_t at; !cli_stop && (at = mp_wheel_next(&probe.wheel)) != MP_NEVER;) {
        mp_wheel_advance(&probe.wheel, at);
        mp_wheel_run_cycle(&probe.wheel);
    }
    pattern->lines = (double)(l.lines[1] - l.lines[0]) / (double)(l.from[1] - l.from[0]);
    mp_probe_free(&probe);
    return cli_stop   ? mp_fail(err, "chase: interrupted")
           : l.faults ? mp_fail(err, "chase: a load faulted")
                      : 0;
}

/* Lines in a cycle of the machine that the channels could send without a pause; NAN of an ideal memory. */
static double peak_of(const struct mp_machine *m)
{
    const struct mp_dram_params *p = &m->dram;
    const uint32_t channels = p->channels * mp_machine_memory_slices(m, m->slices);
    if (p->model == MP_DRAM_IDEAL)
        return NAN;
    return (double)channels / p->burst * (p->model == MP_DRAM_HBM ? (double)p->clock / p->core : 1);
}

/* ---- results ---- */

static void print_json(const struct chase *c, const struct pattern *pattern, unsigned n, double peak,
                       double gb)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "machine", c->machine);
    json_real(&j, "peak_gb_s", peak * gb);
    json_array(&j, "patterns");
    for (unsigned i = 0; i < n; i++) {
        json_object(&j, NULL);
        json_text(&j, "pattern", pattern[i].name);
        json_real(&j, "gb_s", pattern[i].lines * gb);
        json_real(&j, "of_peak", pattern[i].lines / peak);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static void print_table(const struct chase *c, const struct pattern *pattern, unsigned n, double peak,
                        double gb)
{
    static const char *const heads[] = {"loads", "GB/s", "of the peak %"};
    struct out_table *t = out_table_new(3, heads);
    if (isnan(peak))
        printf("%s: an ideal memory, without a peak\n\n", c->machine);
    else
        printf("%s: peak %.0f GB/s\n\n", c->machine, peak * gb);
    for (unsigned i = 0; i < n; i++) {
        out_cell(t, "%s", pattern[i].name);
        out_cell(t, "%.0f", pattern[i].lines * gb);
        if (isnan(peak))
            out_cell(t, "-");
        else
            out_cell(t, "%.1f", 100 * pattern[i].lines / peak);
    }
    out_table_print(t, stdout);
}

int chase_bandwidth(const struct cli *cli, const struct chase *c, struct mp_error *err)
{
    static struct mp_machine m; /* large */
    struct pattern pattern[] = {{.name = "stream"}, {.name = "random", .random = true}};
    const unsigned n = sizeof pattern / sizeof *pattern;
    struct mp_config config;
    if (chase_config(c, 0, &config, err))
        return -1;
    mp_machine_configure(&m, &config);
    mp_config_free(&config);
    if (mp_machine_sms(&m) > MOST_SMS)
        return mp_fail(err, "chase: %u SMs; %u at most", mp_machine_sms(&m), MOST_SMS);
    cli_catch_signals();
    for (unsigned i = 0; i < n; i++)
        if (measure(&m, &pattern[i], err))
            return -1;
    const double gb = (double)m.line_bytes * c->clock_mhz / 1000;
    (cli->json ? print_json : print_table)(c, pattern, n, peak_of(&m), gb);
    return 0;
}
