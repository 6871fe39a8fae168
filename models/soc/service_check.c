/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/service_check.h"

#include <inttypes.h>

#include "soc/mgmt_parts.h"

#define found(c, ...)                                                                                        \
    do {                                                                                                     \
        struct mp_error why;                                                                                 \
        mp_fail(&why, __VA_ARGS__);                                                                          \
        (c)->found((c)->self, why.text);                                                                     \
    } while (0)

/* --- valid bits ------------------------------------------------------------------------------------ */

static void find_early(struct mp_service_check *c, const struct mp_mgmt_entry *e, uint64_t after_ns)
{
    found(c,
          "entry 0x%" PRIx32 " of the ring of %s was taken before its valid bit came, which was %" PRIu64
          " ns after the entry",
          e->index, e->of, after_ns);
}

void mp_service_check_valid(struct mp_service_check *c, const struct mp_mgmt_entry *e, uint64_t address,
                            uint64_t after_ns)
{
    if (after_ns > MP_SERVICE_PATIENCE_NS)
        return;
    if (e->taken)
        find_early(c, e, after_ns);
    else {
        c->late.address = address;
        c->late.after_ns = after_ns;
    }
}

/* GET has moved. Software clears the bit of an entry that it takes, so that one that is set came later. */
static void look_at_late(struct mp_service_check *c, const struct mp_mgmt *m)
{
    struct mp_mgmt_entry e;
    const uint64_t at = c->late.address;
    const bool there = at && mp_mgmt_find_entry(m, at, &e);
    if (there && !e.taken)
        return;
    c->late.address = 0;
    if (there && m->gpu->load(m->gpu->self, at) & MP_GPU_RING_VALID)
        find_early(c, &e, c->late.after_ns);
}

/* --- faults --------------------------------------------------------------------------------------- */

void mp_service_check_faulted(struct mp_service_check *c, const struct mp_mgmt *m, unsigned asid)
{
    const struct mp_mgmt_ring *r = &m->fault_ring[m->space[asid].instance];
    if (((r->put - r->get) & (r->entries - 1)) == 1)
        c->ring[m->space[asid].instance].since_ns = mp_mgmt_now(m);
    c->space[asid].faults++;
}

void mp_service_check_taken(struct mp_service_check *c, const struct mp_mgmt *m, unsigned instance)
{
    c->ring[instance].moves++;
    c->ring[instance].since_ns = mp_mgmt_now(m);
    look_at_late(c, m);
}

void mp_service_check_noticed(struct mp_service_check *c, const struct mp_mgmt *m, unsigned instance)
{
    c->ring[instance].moves++;
    look_at_late(c, m);
}

void mp_service_check_replay(struct mp_service_check *c, const struct mp_mgmt *m, unsigned asid, bool give_up)
{
    const unsigned instance = m->space[asid].instance;
    const uint64_t moves = c->ring[instance].moves, faults = c->space[asid].faults;
    if (!m->fault_ring[instance].entries)
        return;
    if (!give_up && c->space[asid].replayed && c->space[asid].replayed_faults == faults &&
        c->space[asid].replayed_moves == moves && c->space[asid].replayed_copies == c->arriving)
        found(c,
              "space %u is replayed again: since its latest replay none of its accesses has faulted, and "
              "nothing was taken from the rings or queued for the copy engine",
              asid);
    c->space[asid].replayed = true;
    c->space[asid].replayed_faults = faults;
    c->space[asid].replayed_moves = moves;
    c->space[asid].replayed_copies = c->arriving;
    c->ring[instance].since_ns = mp_mgmt_now(m);
}

void mp_service_check_stop(struct mp_service_check *c, const struct mp_mgmt *m, unsigned asid)
{
    const unsigned instance = m->space[asid].instance, waiting = m->repeats[asid].count;
    const struct mp_mgmt_ring *r = &m->fault_ring[instance];
    const uint64_t late = mp_mgmt_now(m) - c->ring[instance].since_ns;
    if (!r->entries || late < MP_SERVICE_LATE_NS)
        return;
    if (r->put != r->get)
        found(c,
              "the launch in space %u is stopped, and its accesses wait: the ring's GET, 0x%" PRIx32
              ", has not moved for %" PRIu64 " us; PUT is 0x%" PRIx32 " of 0x%" PRIx32 "%s",
              asid, r->get, late / 1000, r->put, r->entries,
              m->value.FAULT_HELD[0] ? ", and more faults wait for room" : "");
    else if (waiting)
        found(c,
              "the launch in space %u is stopped, and %" PRIu32
              " of its accesses wait: their entries were taken from the ring, and there was no replay for "
              "%" PRIu64 " us",
              asid, waiting, late / 1000);
}

/* --- copies --------------------------------------------------------------------------------------- */

/* PUT, as far as the check has seen descriptors; GET if the ring has begun again since. */
static uint32_t seen(const struct mp_service_check *c, const struct mp_ce *ce, unsigned e)
{
    const uint32_t get = (uint32_t)ce->value.GET[e];
    return c->copies[e] - get > ce->engine[e].put - get ? get : c->copies[e];
}

bool mp_service_check_unseen(struct mp_service_check *c, const struct mp_ce *ce, unsigned e, uint32_t *index)
{
    c->copies[e] = seen(c, ce, e);
    if (c->copies[e] == ce->engine[e].put)
        return false;
    *index = c->copies[e] & (ce->engine[e].entries - 1);
    return true;
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* The first byte of d's that both use and one of them writes, or UINT64_MAX. An engine's sources and targets
 * are in different memories. */
static uint64_t shared(const struct mp_ce_descriptor *d, const struct mp_ce_descriptor *other)
{
    const bool reads = !(other->flags & MP_CE_ZERO), is_read = !(d->flags & MP_CE_ZERO);
    if (overlap(d->target, d->bytes, other->target, other->bytes) ||
        (reads && overlap(d->target, d->bytes, other->source, other->bytes)))
        return d->target;
    return is_read && overlap(d->source, d->bytes, other->target, other->bytes) ? d->source : UINT64_MAX;
}

void mp_service_check_copy(struct mp_service_check *c, const struct mp_ce *ce, unsigned e,
                           const struct mp_ce_descriptor *d)
{
    static const char *const names[] = {[MP_CE_IN] = "IN", [MP_CE_OUT] = "OUT"};
    const unsigned o = e == MP_CE_IN ? MP_CE_OUT : MP_CE_IN;
    c->copy[e][c->copies[e]++ % MP_CE_MOST] = *d;
    c->arriving += e == MP_CE_IN;
    if (mp_ce_check(e, d))
        return;
    for (uint32_t n = (uint32_t)ce->value.GET[o]; n != seen(c, ce, o); n++) {
        const struct mp_ce_descriptor *other = &c->copy[o][n % MP_CE_MOST];
        const uint64_t at = mp_ce_check(o, other) ? UINT64_MAX : shared(d, other);
        if (at == UINT64_MAX)
            continue;
        found(c,
              "copy %" PRIu64 " of engine %s is queued, which %s 0x%" PRIx32 " bytes at 0x%" PRIx64
              ", and copy %" PRIu64 " of engine %s, which %s them, has not ended",
              d->fence, names[e], at == d->target ? "writes" : "reads", d->bytes, at, other->fence, names[o],
              overlap(at, d->bytes, other->target, other->bytes) ? "writes" : "reads");
        return;
    }
}

bool mp_service_check_arrives(const struct mp_service_check *c, const struct mp_ce *ce, uint64_t at,
                              uint64_t bytes)
{
    for (uint32_t n = (uint32_t)ce->value.GET[MP_CE_IN]; n != seen(c, ce, MP_CE_IN); n++) {
        const struct mp_ce_descriptor *d = &c->copy[MP_CE_IN][n % MP_CE_MOST];
        if (!mp_ce_check(MP_CE_IN, d) && overlap(at, bytes, d->target, d->bytes))
            return true;
    }
    return false;
}
