/* SPDX-License-Identifier: Apache-2.0 */
#include "clint.h"

#include <stddef.h>

#include "cpu.h"
#include "io.h"
#include "soc/regs.h"
#include "trap.h"

#define CLINT(reg) (MP_CLINT_BASE + MP_CLINT_##reg)

static struct {
    struct clint_timer *set; /* those that are set */
    struct clint_timer alarm;
    volatile uint32_t poked;
} clint;

/* MTIMECMP is the earliest time of all. */
static void program(void)
{
    uint64_t at = UINT64_MAX;
    for (const struct clint_timer *t = clint.set; t; t = t->next)
        at = t->at < at ? t->at : at;
    io_write64(CLINT(MTIMECMP), at);
}

static void timer(void)
{
    const uint64_t now = clint_now();
    for (struct clint_timer **t = &clint.set; *t;)
        if ((*t)->at <= now) {
            (*t)->rang = true;
            *t = (*t)->next;
        } else {
            t = &(*t)->next;
        }
    program();
}

static void software(void)
{
    io_write32(CLINT(MSIP), 0);
    clint.poked++;
}

void clint_init(void)
{
    clint.set = NULL;
    clint.alarm = (struct clint_timer){0};
    clint.poked = 0;
    io_write32(CLINT(MSIP), 0);
    program();
    trap_attach(CPU_TIMER, timer);
    trap_attach(CPU_SOFTWARE, software);
}

uint64_t clint_now(void)
{
    return io_read64(CLINT(MTIME));
}

static void take_out(const struct clint_timer *timer)
{
    struct clint_timer **t = &clint.set;
    while (*t && *t != timer)
        t = &(*t)->next;
    if (*t)
        *t = timer->next;
}

void clint_set(struct clint_timer *t, uint64_t at)
{
    bool before = cpu_lock();
    take_out(t);
    *t = (struct clint_timer){.at = at, .next = clint.set};
    clint.set = t;
    program();
    cpu_unlock(before);
}

void clint_clear(struct clint_timer *t)
{
    bool before = cpu_lock();
    take_out(t);
    program();
    cpu_unlock(before);
}

void clint_alarm(uint64_t at)
{
    clint_set(&clint.alarm, at);
}

void clint_cancel(void)
{
    clint_clear(&clint.alarm);
}

bool clint_rang(void)
{
    return clint.alarm.rang;
}

void clint_poke(void)
{
    io_write32(CLINT(MSIP), MP_CLINT_MSIP_PENDING);
}

uint32_t clint_poked(void)
{
    return clint.poked;
}
