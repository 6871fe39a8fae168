/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of NeiDty's directory inside a run: it decides, or is compared with the model that does. Each
 * change of the platform's has a clock of its own, in the order in which the platform makes them, so that the
 * hop is the platform's. */
#include <inttypes.h>
#include <stdlib.h>

#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "rtl/neidty/lockstep/neidty_lockstep.h"

#define SEED 1u /* for the RTL's state before its reset */

struct loop_neidty {
    struct rtl_loop loop;
    const struct neidty_rtl *rtl;
    struct neidty_lockstep *lockstep; /* NULL if the RTL decides */
    struct neidty_rtl_clock clock;
};

/* ---- begin and end ---- */

extern const struct rtl_built neidty_built[];

static const struct neidty_rtl *find_size(const struct mp_design_values *values)
{
    for (const struct rtl_built *b = neidty_built; b->rtl; b++) {
        const struct neidty_rtl *rtl = b->rtl;
        if (!b->lines && rtl->entries == values->v[MP_NEIGHBOUR_DIRECTORY] &&
            rtl->tag_bits == values->v[MP_NEIGHBOUR_TAG_BITS])
            return rtl;
    }
    return NULL;
}

static int wrong_size(const struct mp_design_values *values, struct mp_error *err)
{
    char sizes[160] = "none";
    for (size_t i = 0, n = 0; neidty_built[i].rtl && n < sizeof sizes; i++) {
        const struct neidty_rtl *rtl = neidty_built[i].rtl;
        if (!neidty_built[i].lines)
            n += (size_t)snprintf(sizes + n, sizeof sizes - n, "%s%" PRIu32 " of %" PRIu32, n ? ", " : "",
                                  rtl->entries, rtl->tag_bits);
    }
    return mp_fail(err,
                   "neighbours: a directory of %" PRIu64 " entries with tags of %" PRIu64
                   " bits is not what the RTL has; neighbours.directory and .tag_bits: %s",
                   values->v[MP_NEIGHBOUR_DIRECTORY], values->v[MP_NEIGHBOUR_TAG_BITS], sizes);
}

/* Whether TLBs have more neighbours than two: the middle one of nine shows it. */
static bool has_upper(const struct mp_topology *topology)
{
    uint32_t at[MP_SIDES];
    topology->neighbours(4, 9, at);
    return at[MP_SIDE_UP] != MP_NO_PLACE;
}

static int check(const struct mp_neighbour_policy *model, const struct mp_design_values *values,
                 struct mp_error *err)
{
    if (!model->has_directory)
        return mp_fail(err, "neighbours.policy: %s has no directory; neidty", model->design.name);
    if (mp_neighbour_updates[values->v[MP_NEIGHBOUR_UPDATE]]->needs_directory)
        return mp_fail(err, "neighbours.update: %s is not in the RTL; default, exclusive or twice",
                       mp_neighbour_updates[values->v[MP_NEIGHBOUR_UPDATE]]->design.name);
    if (has_upper(mp_topologies[values->v[MP_NEIGHBOUR_TOPOLOGY]]))
        return mp_fail(err,
                       "neighbours.topology: %s has more neighbours than the RTL; ring, pairs or two-rings",
                       mp_topologies[values->v[MP_NEIGHBOUR_TOPOLOGY]]->name);
    if (!values->v[MP_NEIGHBOUR_HOP])
        return mp_fail(err, "neighbours.hop: 0 is not in the RTL; 1 or more");
    return find_size(values) ? 0 : wrong_size(values, err);
}

static void close_directory(void *block)
{
    struct loop_neidty *d = block;
    rtl_loop_close(&d->loop);
    neidty_lockstep_free(d->lockstep);
    free(d);
}

static void *open_directory(const struct mp_neighbour_policy *model, const struct mp_design_values *values,
                            const struct mp_rtl_host *host, struct mp_error *err)
{
    if (check(model, values, err))
        return NULL;
    const struct neidty_rtl *rtl = find_size(values);
    if (!host->shadow && !rtl->state) {
        mp_fail(err, "--rtl: which entry an allocation replaces is read from registers that this block does "
                     "not have as rtl/neidty/mp_neidty_directory.sv does; --rtl-shadow");
        return NULL;
    }
    struct loop_neidty *d = calloc(1, sizeof *d);
    if (d) {
        d->loop = (struct rtl_loop){.host = host, .rtl = &rtl->verilated, .window.waves = host->waves};
        d->rtl = rtl;
        if (host->shadow && (d->lockstep = neidty_lockstep_new(rtl, SEED)))
            d->loop.lockstep = neidty_lockstep_base(d->lockstep);
        else if (!host->shadow)
            d->loop.block = rtl->open(SEED);
        if (d->lockstep || d->loop.block)
            return d;
        close_directory(d);
    }
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- a clock ---- */

static uint64_t page_of(struct loop_neidty *d, const struct mp_neighbour *n, struct mp_neighbour_page page)
{
    const uint64_t base = page.vpn >> n->base_shift;
    if (!d->loop.over && base >> NEIDTY_RTL_VPN_W)
        rtl_loop_end(&d->loop, "page number 0x%" PRIx64 " is too wide for the RTL; larger machine.page_bytes",
                     base);
    return ((uint64_t)page.asid << NEIDTY_RTL_VPN_W | base) & NEIDTY_RTL_PAGE;
}

static struct neidty_rtl_answer tick(struct loop_neidty *d, struct neidty_rtl_clock clock)
{
    struct neidty_rtl_answer answer = {.left = false};
    if (d->loop.over)
        return answer;
    d->clock = clock;
    rtl_loop_begin(&d->loop);
    if (d->lockstep) {
        if (!neidty_lockstep_step(d->lockstep, &clock, rtl_manner_of(d->loop.transactions)))
            rtl_loop_differs(&d->loop);
        return neidty_lockstep_answer(d->lockstep);
    }
    d->rtl->clock(d->loop.block, &clock, &answer, (struct rtl_manner){0});
    if (answer.wrong)
        rtl_loop_end(&d->loop, "%s", answer.wrong);
    return answer;
}

/* ---- what the directory keeps ---- */

static struct loop_neidty *of(const struct mp_neighbour *n)
{
    return n->kept;
}

static uint8_t named(const struct mp_neighbour *n, struct mp_neighbour_page page)
{
    struct loop_neidty *d = of(n);
    const struct neidty_rtl_answer answer = tick(d, (struct neidty_rtl_clock){.lookup = page_of(d, n, page)});
    return answer.left ? MP_DIRECTORY_LEFT : answer.right ? MP_DIRECTORY_RIGHT : 0;
}

static void changed(struct mp_neighbour *n, struct mp_neighbour_page page, bool inserted)
{
    struct loop_neidty *d = of(n);
    struct neidty_rtl_clock clock = {.lookup = 0};
    (inserted ? clock.inserted : clock.evicted)[NEIDTY_OWN] = page_of(d, n, page) | NEIDTY_RTL_VALID;
    tick(d, clock);
}

static uint32_t count(const struct loop_neidty *d, const struct neidty_state *s)
{
    uint32_t valid = 0;
    while (valid < d->rtl->entries && s->bits[valid])
        valid++;
    return valid;
}

/* What an insertion has replaced. Entries are in the order of their allocation, so that a new one is the
 * last, and those behind the victim have moved. */
static enum mp_directory_victim victim(const struct loop_neidty *d, const struct neidty_state *before,
                                       const struct neidty_state *after)
{
    const uint32_t was = count(d, before), is = count(d, after);
    uint32_t i = 0;
    if (is > was)
        return MP_VICTIM_NONE;
    while (i < was && before->tag[i] == after->tag[i])
        i++;
    if (i == was)
        return MP_VICTIMS;
    return before->bits[i] & MP_DIRECTORY_LOCAL ? MP_VICTIM_LOCAL : MP_VICTIM_OLDEST;
}

static void read_state(const struct loop_neidty *d, struct neidty_state *s)
{
    if (d->lockstep)
        *s = *neidty_lockstep_state(d->lockstep);
    else
        d->rtl->state(d->loop.block, s);
}

static enum mp_directory_victim heard(struct mp_neighbour *n, uint8_t side, struct mp_neighbour_page page,
                                      bool inserted)
{
    struct loop_neidty *d = of(n);
    const enum neidty_rtl_side from = side == MP_DIRECTORY_LEFT ? NEIDTY_LEFT : NEIDTY_RIGHT;
    struct neidty_rtl_clock clock = {.lookup = 0};
    const uint64_t of_neighbour = page_of(d, n, page) | NEIDTY_RTL_VALID;
    struct neidty_state before, after;
    if (!inserted) {
        clock.evicted[from] = of_neighbour;
        tick(d, clock);
        return MP_VICTIMS;
    }
    clock.inserted[from] = of_neighbour | (n->holds(n->tlb, page.asid, page.vpn) ? NEIDTY_RTL_LOCAL : 0);
    read_state(d, &before);
    tick(d, clock);
    if (d->loop.over)
        return MP_VICTIMS;
    read_state(d, &after);
    return victim(d, &before, &after);
}

static void drop(struct mp_neighbour *n, struct mp_neighbour_page page)
{
    struct loop_neidty *d = of(n);
    struct neidty_rtl_clock clock = {.drop = true};
    clock.evicted[NEIDTY_LEFT] = page_of(d, n, page) | NEIDTY_RTL_VALID;
    tick(d, clock);
}

static void empty(struct mp_neighbour *n)
{
    tick(of(n), (struct neidty_rtl_clock){.empty = true});
}

static const struct mp_neighbour_keeper keeper = {named, changed, heard, drop, empty};

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    const struct loop_neidty *d = block;
    if (d->lockstep && rtl_lockstep_difference(d->loop.lockstep))
        neidty_lockstep_report(d->lockstep, out, full);
    else
        fprintf(out, "%s after clock %" PRIu64 "\n", d->loop.trouble, d->loop.transactions);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_neidty *d = block;
    return d->lockstep && neidty_lockstep_point(d->lockstep, number, name, p);
}

static const struct mp_rtl_directory directory = {.keeper = &keeper, .open = open_directory};

RTL_LOOP_EXPORT(close_directory, .directory = &directory);
