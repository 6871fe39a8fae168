/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: its designs, its beginning and its end. */
#include "uvm.h"

#include <stdlib.h>
#include <string.h>

#include "ce.h"
#include "gpu.h"
#include "mig.h"
#include "uvm_carry.h"
#include "uvm_pins.h"
#include "uvm_trace.h"

enum { NOTICES = 256 }; /* of their ring */

void uvm_init(void)
{
    for (struct uvm_pool_state *s = uvm_states; s < uvm_states + MP_MGMT_INSTANCES; s++) {
        if (s->on)
            free(s->memory);
        s->on = false;
        s->deadline = 0;
        s->alarm = (struct clint_timer){0};
    }
    uvm_space_init();
}

/* KIND(n): the design of this number in the LIST of the library, which ends with NULL; NULL: it has fewer. */
#define DESIGNS(KIND, LIST)                                                                                  \
    static const struct mp_uvm_##KIND *KIND(unsigned n)                                                      \
    {                                                                                                        \
        unsigned i = 0;                                                                                      \
        while (i < n && LIST[i])                                                                             \
            i++;                                                                                             \
        return LIST[i];                                                                                      \
    }                                                                                                        \
    const char *uvm_##KIND##_name(unsigned n)                                                                \
    {                                                                                                        \
        return KIND(n) ? KIND(n)->design.name : NULL;                                                        \
    }
DESIGNS(prefetch, mp_uvm_prefetches)
DESIGNS(evict, mp_uvm_evicts)
DESIGNS(migrate, mp_uvm_migrates)

const char *uvm_replay_name(unsigned n)
{
    static const char *const names[] = {[MP_UVM_REPLAY_BATCH_FLUSH] = "batch_flush",
                                        [MP_UVM_REPLAY_BATCH] = "batch",
                                        [MP_UVM_REPLAY_BLOCK] = "block",
                                        [MP_UVM_REPLAY_ONCE] = "once"};
    return n < sizeof names / sizeof *names ? names[n] : NULL;
}

/* --- beginning and end ------------------------------------------------------------------------------ */

static uint32_t pages_per_unit(const struct mp_uvm_params *p)
{
    return p->evict->unit > p->page_bytes ? p->evict->unit / p->page_bytes : 1;
}

/* Pages may stay on the host, where the GPU accesses them. */
static bool maps_host(const struct uvm_setup *s)
{
    return migrate(s->migrate) != &mp_uvm_migrate_first_touch || s->thrashing.events;
}

static void end_ring(struct ring *r)
{
    const uint64_t bytes = (uint64_t)r->entries * MP_GPU_RING_ENTRY_BYTES;
    if (!bytes)
        return;
    ring_begin(r, r->of, uvm_state.instance, r->base, 0);
    mig_give(uvm_state.instance, bytes, r->base);
}

static bool has_other_pool(unsigned instance)
{
    unsigned i = 0;
    while (i < MP_MGMT_INSTANCES && (i == instance || !uvm_states[i].on))
        i++;
    return i < MP_MGMT_INSTANCES;
}

static enum fw_error end_pool(void)
{
    const enum fw_error e = ce_drain();
    if (e)
        return e;
    clint_clear(&uvm_state.alarm);
    uvm_state.deadline = 0;
    gpu_count_remote(uvm_state.instance, uvm_state.p.granule_bytes, 0);
    end_ring(&uvm_state.ring);
    end_ring(&uvm_state.notices);
    uvm_space_end(uvm_state.instance);
    free(uvm_state.memory);
    uvm_state.memory = NULL;
    uvm_state.on = false;
    gpu_take_host_accesses(has_other_pool(uvm_state.instance));
    return FW_OK;
}

static enum fw_error begin_library(void)
{
    enum { ALIGNED = 64 };
    const size_t bytes = (mp_uvm_bytes(&uvm_state.p) + ALIGNED - 1) / ALIGNED * ALIGNED;
    uvm_state.memory = aligned_alloc(ALIGNED, bytes);
    if (!uvm_state.memory)
        return FW_ENOMEM;
    memset(uvm_state.memory, 0, bytes);
    uvm_state.library = mp_uvm_init(uvm_state.memory, &uvm_state.p);
    return FW_OK;
}

static enum fw_error begin_ring(struct ring *r, enum gpu_ring of, uint32_t entries)
{
    const uint64_t bytes = (uint64_t)entries * MP_GPU_RING_ENTRY_BYTES;
    uint64_t base;
    enum fw_error e = mig_take(uvm_state.instance, bytes, &base);
    if (e)
        return e;
    e = ring_begin(r, of, uvm_state.instance, base, entries);
    if (e) {
        mig_give(uvm_state.instance, bytes, base);
        r->entries = 0;
    }
    return e;
}

/* Of a policy whose threshold moves, the library adds up what several notices report. */
static enum fw_error begin_notices(void)
{
    if (!uvm_state.p.migrate->threshold)
        return FW_OK;
    const enum fw_error e = begin_ring(&uvm_state.notices, GPU_NOTICES, NOTICES);
    return e ? e : gpu_count_remote(uvm_state.instance, uvm_state.p.granule_bytes, uvm_state.p.counter);
}

static void set_thrashing(struct mp_uvm_params *p, const struct uvm_thrashing *t)
{
    p->thrashing = t->events;
    p->thrash = t->events ? p->thrash : 1; /* room that nothing needs */
    if (!t->events)
        return;
    p->events = t->events;
    p->throttles = t->throttles;
    p->lapse = t->lapse;
    p->nap = t->nap;
    p->epoch = t->epoch;
    p->pin = t->pin;
    p->resets = t->resets;
    p->c2c = t->coherent;
}

static struct mp_uvm_params params_of(const struct uvm_setup *setup)
{
    struct mp_uvm_params p = MP_UVM_USUAL;
    p.prefetch = prefetch(setup->prefetch);
    p.evict = evict(setup->evict);
    p.migrate = migrate(setup->migrate);
    p.counter = setup->counter ? setup->counter : p.counter;
    p.granule_bytes = setup->granule_bytes ? setup->granule_bytes : p.granule_bytes;
    p.replay = (enum mp_uvm_replay)setup->replay;
    p.page_bytes = (uint32_t)setup->page_bytes;
    p.chunks = setup->chunks;
    p.ranges = UVM_RANGES;
    p.blocks = UVM_BLOCKS;
    p.sms = gpu_sms() * gpu_slices();
    set_thrashing(&p, &setup->thrashing);
    return p;
}

static enum fw_error begin_pool(unsigned instance, const struct uvm_setup *setup)
{
    memset(&uvm_state, 0, sizeof uvm_state);
    uvm_state.instance = instance;
    uvm_state.setup = *setup;
    uvm_state.p = params_of(setup);
    uvm_state.maps_host = maps_host(setup);
    uvm_state.unit_pages = pages_per_unit(&uvm_state.p);
    enum fw_error e = has_other_pool(instance) ? FW_OK : ce_init(); /* it may have queued copies */
    if (!e)
        e = uvm_space_begin(instance, setup, uvm_state.p.evict->unit);
    if (e)
        return e;
    e = begin_library();
    if (!e)
        e = begin_ring(&uvm_state.ring, GPU_FAULTS, UVM_RING);
    if (!e)
        e = begin_notices();
    if (e) {
        end_ring(&uvm_state.ring);
        free(uvm_state.memory);
        uvm_space_end(instance);
        return e;
    }
    uvm_advance();
    uvm_state.on = true;
    gpu_take_host_accesses(true);
    uvm_trace_options(&uvm_state.p);
    return FW_OK;
}

/* A nap does not look like a launch without progress (watchdog.h). */
static bool is_valid(const struct uvm_setup *s)
{
    enum { MOST_CHUNKS = 1024, MOST_NAP = 10000000 /* ns */ };
    struct mp_error why;
    if (s->chunks > MOST_CHUNKS || s->ahead >= s->chunks ||
        (s->page_bytes != 4096 && s->page_bytes != 65536) || !prefetch(s->prefetch) || !evict(s->evict) ||
        !migrate(s->migrate) || !uvm_replay_name(s->replay))
        return false;
    const struct mp_uvm_params p = params_of(s);
    return !mp_uvm_check(&p, &why) && (!p.thrashing || p.nap * p.lapse <= MOST_NAP);
}

enum fw_error uvm_pool(unsigned instance, const struct uvm_setup *s)
{
    if (!mig_instance(instance))
        return FW_ENOENT;
    const bool was = uvm_select(instance);
    if (!s->chunks && !was)
        return FW_OK; /* it has none */
    if (was && uvm_has_ranges(instance))
        return FW_EBUSY;
    if (s->chunks && !is_valid(s))
        return FW_EINVAL;
    if (s->chunks && maps_host(s) && !gpu_host_bytes())
        return FW_EUNSUPPORTED;
    const struct uvm_setup before = uvm_state.setup;
    const struct uvm_counts counts = uvm_state.counts;
    enum fw_error e = was ? end_pool() : FW_OK;
    if (e || !s->chunks)
        return e;
    e = begin_pool(instance, s);
    if (e && was && !begin_pool(instance, &before)) /* it has the memory that it had */
        uvm_state.counts = counts;
    return e;
}

const struct uvm_setup *uvm_setup_of(unsigned instance)
{
    return instance < MP_MGMT_INSTANCES && uvm_states[instance].on ? &uvm_states[instance].setup : NULL;
}
