/* SPDX-License-Identifier: Apache-2.0 */
#include "ce.h"

#include "clint.h"
#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "recovery.h"
#include "soc/regs.h"

#define CE(reg)       (MP_CE_BASE + MP_CE_##reg)
#define CE_AT(reg, e) (CE(reg) + (e) * (uint64_t)MP_CE_##reg##_STRIDE)

#define EVENTS ((uint32_t)(MP_CE_INT_STATUS_COPIED | MP_CE_INT_STATUS_STOPPED))

/* Fences are the numbers of copies, from 1 on. */
static struct {
    struct engine {
        struct mp_ce_descriptor ring[MP_CE_MOST] __attribute__((aligned(32)));
        uint64_t queued, ended;
        bool *lost[MP_CE_MOST]; /* as the descriptors */
        uint64_t tried;         /* fence of the copy that was tried again last */
        bool hung;
    } engine[MP_CE_ENGINES];
    volatile bool rang;
} ce;

static void interrupt(void)
{
    const uint32_t events = io_read32(CE(INT_STATUS));
    io_write32(CE(INT_STATUS), events);
    ce.rang = true;
    if (!events)
        recovery_note(RECOVERY_SPURIOUS_INTERRUPT);
}

enum fw_error ce_init(void)
{
    enum { PRIORITY = 2 };
    for (unsigned e = 0; e < MP_CE_ENGINES; e++) {
        const uint32_t refused = UINT32_C(1) << (MP_CE_INT_STATUS_REFUSED_LOW + e);
        io_write32(CE(INT_STATUS), refused);
        io_write64(CE_AT(RING_BASE, e), io_address(ce.engine[e].ring));
        io_write32(CE_AT(RING_ENTRIES, e), MP_CE_MOST);
        if (io_read32(CE(INT_STATUS)) & refused) /* PUT does not say so: it may be 0 again */
            return FW_EBUSY;
        ce.engine[e].queued = ce.engine[e].ended = ce.engine[e].tried = 0;
        ce.engine[e].hung = false;
    }
    io_write32(CE(INT_STATUS), UINT32_MAX);
    io_write32(CE(INT_ENABLE), 0);
    const enum fw_error e = plic_attach(MP_CE_IRQ, PRIORITY, interrupt);
    return e == FW_EEXIST ? FW_OK : e; /* initialised before */
}

/* A copy that has stopped its engine is tried once more, and then left out. Is rarely called, so that look
 * should not save registers for it. */
static __attribute__((noinline)) void resume(unsigned e)
{
    struct engine *engine = &ce.engine[e];
    const uint64_t fence = engine->ended + 1;
    const bool again = engine->tried != fence;
    recovery_note(RECOVERY_BUS_ERROR);
    if (!again)
        *engine->lost[engine->ended % MP_CE_MOST] = true;
    engine->tried = fence;
    engine->ended += !again;
    io_write32(CE_AT(RESUME, e), !again);
}

/* Finds out what has ended. ERROR is read first: GET stays only while the engine has stopped. */
static void look(unsigned e)
{
    struct engine *engine = &ce.engine[e];
    const bool stopped = io_read32(CE_AT(ERROR, e)) != 0;
    engine->ended += (uint32_t)(io_read32(CE_AT(GET, e)) - (uint32_t)engine->ended);
    if (stopped)
        resume(e);
}

/* Sleeps until the engine has ended this copy. The engines interrupt only meanwhile: copies that end while
 * the core works need not. */
static void wait(unsigned e, uint64_t fence)
{
    enum { PERIOD = 10 * CLINT_TICKS_PER_MS, PERIODS = 20 };
    struct engine *engine = &ce.engine[e];
    bool before = cpu_lock();
    io_write32(CE(INT_STATUS), EVENTS);
    io_write32(CE(INT_ENABLE), EVENTS);
    look(e);
    for (unsigned idle = 0; engine->ended < fence && !engine->hung;) {
        struct clint_timer patience;
        const uint64_t ended = engine->ended;
        ce.rang = false;
        clint_set(&patience, clint_now() + PERIOD);
        while (!ce.rang && !patience.rang)
            cpu_sleep();
        clint_clear(&patience);
        look(e);
        idle = engine->ended == ended && !ce.rang ? idle + 1 : 0;
        if (engine->ended != ended && !ce.rang)
            recovery_note(RECOVERY_LOST_INTERRUPT);
        engine->hung = idle == PERIODS;
    }
    io_write32(CE(INT_ENABLE), 0);
    cpu_unlock(before);
}

static uint64_t queue(unsigned e, const struct mp_ce_descriptor *d, bool *lost)
{
    struct engine *engine = &ce.engine[e];
    if (engine->queued - engine->ended >= MP_CE_MOST)
        wait(e, engine->queued - MP_CE_MOST + 1);
    if (engine->hung)
        return 0;
    engine->lost[engine->queued % MP_CE_MOST] = lost;
    struct mp_ce_descriptor *slot = &engine->ring[engine->queued++ % MP_CE_MOST];
    *slot = *d;
    slot->fence = engine->queued;
    cpu_fence();
    io_write32(CE_AT(PUT, e), (uint32_t)engine->queued);
    return engine->queued;
}

uint64_t ce_copy(enum mp_ce_engine engine, uint64_t source, uint64_t target, uint32_t bytes, bool *lost)
{
    return queue(engine, &(struct mp_ce_descriptor){.source = source, .target = target, .bytes = bytes},
                 lost);
}

uint64_t ce_zero(uint64_t target, uint32_t bytes, bool *lost)
{
    return queue(MP_CE_IN, &(struct mp_ce_descriptor){.target = target, .bytes = bytes, .flags = MP_CE_ZERO},
                 lost);
}

enum fw_error ce_wait(enum mp_ce_engine e, uint64_t fence)
{
    struct engine *engine = &ce.engine[e];
    if (engine->ended < fence)
        wait(e, fence);
    return engine->hung ? FW_ETIMEOUT : FW_OK;
}

enum fw_error ce_drain(void)
{
    for (unsigned e = 0; e < MP_CE_ENGINES; e++) {
        if (ce.engine[e].ended < ce.engine[e].queued)
            wait(e, ce.engine[e].queued);
        if (ce.engine[e].ended < ce.engine[e].queued)
            return FW_EBUSY;
    }
    return FW_OK;
}

uint64_t ce_copies(void)
{
    return ce.engine[MP_CE_IN].ended + ce.engine[MP_CE_OUT].ended;
}
