/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_pins.h"

#include "clint.h"
#include "runner.h"
#include "uvm_carry.h"

enum { NS_PER_TICK = 1000000 / CLINT_TICKS_PER_MS };

/* The timer interrupts at the first tick that is not before a time. */
static uint64_t tick_of(uint64_t ns)
{
    return (ns - 1 + NS_PER_TICK - 1) / NS_PER_TICK;
}

/* The pages that the library does not let the GPU access on the host any more. */
static void end_pins_of(struct uvm_range *r)
{
    for (uint64_t at = r->va; at < r->va + r->bytes;
         at = (at & -(uint64_t)UVM_BLOCK_BYTES) + UVM_BLOCK_BYTES) {
        const struct uvm_block *b = uvm_block_of(r, at);
        struct mp_uvm_mask ended;
        if (!mp_uvm_any(&b->remote))
            continue;
        const struct mp_uvm_mapped mapped = mp_uvm_mapped(uvm_state.library, (uint8_t)r->asid, at);
        MP_UVM_EACH (i)
            ended.w[i] = b->remote.w[i] & ~mapped.remote.w[i];
        uvm_state.counts.unpinned += mp_uvm_count(&ended);
        uvm_leave_host(r, at & -(uint64_t)UVM_BLOCK_BYTES, &ended);
    }
}

/* Is rarely called, so that uvm_advance should not save registers for it. */
static __attribute__((noinline)) void end_pins(void)
{
    struct uvm_range *r;
    for (unsigned i = 0; (r = uvm_range(i)); i++)
        if (r->instance == uvm_state.instance)
            end_pins_of(r);
}

uint64_t uvm_advance(void)
{
    const uint64_t at = clint_now() * NS_PER_TICK + 1, deadline = mp_uvm_deadline(uvm_state.library);
    mp_uvm_at(uvm_state.library, at);
    if (deadline && deadline <= at)
        end_pins();
    return at;
}

void uvm_await_pins(void)
{
    const uint64_t deadline = mp_uvm_deadline(uvm_state.library);
    if (deadline == uvm_state.deadline)
        return;
    uvm_state.deadline = deadline;
    if (deadline)
        clint_set(&uvm_state.alarm, tick_of(deadline));
    else
        clint_clear(&uvm_state.alarm);
}

static bool rang(const struct uvm_pool_state *s)
{
    return s->deadline && s->alarm.rang;
}

bool uvm_alarm_rang(void)
{
    return rang(uvm_current);
}

bool uvm_due(void)
{
    unsigned i = 0;
    while (i < MP_MGMT_INSTANCES && !rang(&uvm_states[i]))
        i++;
    return i < MP_MGMT_INSTANCES;
}

void uvm_nap(uint64_t end)
{
    struct clint_timer t;
    clint_set(&t, tick_of(end));
    while (!t.rang)
        runner_serve_until(&t);
    clint_clear(&t);
}
