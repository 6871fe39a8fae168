/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <stddef.h>

#include "clint.h"
#include "cpu.h"
#include "ecc.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "recovery.h"
#include "request.h"
#include "uvm.h"
#include "watchdog.h"

static struct {
    uint32_t tag; /* tag of the next launch */
    unsigned serves;
    enum fw_error failed; /* error of the first launch that failed */
    unsigned under_way;   /* launches of runner_start: */
    struct {
        uint32_t tag;
        unsigned instance;
    } started[MP_MGMT_QUEUE];
    struct runner_launch *followed;
} runner;

#define FAULTS (MP_GPU_INT_STATUS_FAULT | MP_GPU_INT_STATUS_FAULT_HELD | MP_GPU_INT_STATUS_NOTICE)
#define EVENTS (FAULTS | MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_MEMORY | MP_GPU_INT_STATUS_ECC)

void runner_init(void)
{
    runner.under_way = 0;
    runner.failed = FW_OK;
    runner.followed = NULL;
}

static enum fw_error start(unsigned instance, unsigned asid, unsigned workload)
{
    struct mp_mgmt_launch l = {instance, asid, workload, runner.tag};
    const struct gmmu_space *s = gmmu_space(asid);
    struct contiguity found;
    enum fw_error e = s && s->unscanned ? gmmu_scan(asid, &found) : FW_OK;
    gpu_take_requests();
    return e ? e : gpu_launch(&l);
}

enum fw_error runner_start(unsigned instance, unsigned asid, unsigned workload)
{
    enum fw_error e = start(instance, asid, workload);
    if (e)
        return e;
    runner.started[runner.under_way].tag = runner.tag++;
    runner.started[runner.under_way++].instance = instance;
    return FW_OK;
}

/* Returns whether it was one of them; a launch that was given up is none. */
static bool forget_started(uint32_t tag)
{
    unsigned i = 0;
    while (i < runner.under_way && runner.started[i].tag != tag)
        i++;
    if (i == runner.under_way)
        return false;
    runner.started[i] = runner.started[--runner.under_way];
    return true;
}

/* --- launches that are followed ------------------------------------------------------------------- */

static void follow(struct runner_launch *l)
{
    l->under_way = true;
    l->next = runner.followed;
    runner.followed = l;
}

enum fw_error runner_follow(struct runner_launch *l, unsigned instance, unsigned asid, unsigned workload)
{
    *l = (struct runner_launch){.tag = runner.tag, .instance = instance};
    enum fw_error e = start(instance, asid, workload);
    if (e)
        return e;
    runner.tag++;
    follow(l);
    return FW_OK;
}

enum fw_error runner_resume(struct runner_launch *l)
{
    enum fw_error e = gpu_resume(l->tag);
    if (!e)
        follow(l);
    return e;
}

/* Returns whether it was one that is followed. */
static bool note_end(uint32_t tag, enum fw_error end)
{
    struct runner_launch **l = &runner.followed;
    while (*l && (*l)->tag != tag)
        l = &(*l)->next;
    if (!*l)
        return false;
    (*l)->under_way = false;
    (*l)->end = end;
    *l = (*l)->next;
    return true;
}

/* --- events --------------------------------------------------------------------------------------- */

/* The error of a page was reported before the launch that has read it ended. */
static void collect(void)
{
    enum fw_error end = FW_OK;
    for (uint32_t tag = 0; gpu_has_completion();) {
        ecc_service();
        gpu_completion(&tag, &end);
        if (!note_end(tag, end) && forget_started(tag))
            runner.failed = runner.failed ? runner.failed : end;
    }
}

static void serve(uint32_t events)
{
    if (events & MP_GPU_INT_STATUS_ECC) /* before page tables are read */
        ecc_service();
    if (events & FAULTS)
        fault_service();
    if (events & FAULTS || uvm_due())
        uvm_service();
    if (events & MP_GPU_INT_STATUS_MEMORY)
        request_service();
    collect();
}

unsigned runner_serve(void)
{
    serve(gpu_take(EVENTS));
    return runner.under_way;
}

bool runner_rang(void)
{
    return gpu_rang(EVENTS) || uvm_due();
}

/* The launches on these instances, a bit each, are not waited for any more. */
static void give_up(unsigned lost)
{
    for (unsigned i = 0; i < runner.under_way;)
        if (lost >> runner.started[i].instance & 1) {
            runner.started[i] = runner.started[--runner.under_way];
            runner.failed = runner.failed ? runner.failed : FW_ETIMEOUT;
        } else {
            i++;
        }
    for (struct runner_launch **l = &runner.followed; *l;)
        if (lost >> (*l)->instance & 1) {
            (*l)->under_way = false;
            (*l)->end = FW_ETIMEOUT;
            *l = (*l)->next;
        } else {
            l = &(*l)->next;
        }
}

/* events: that came, or 0 if none did in time. */
static void watch(uint32_t events)
{
    enum { OFTEN = 64 };
    if (!events || ++runner.serves % OFTEN == 0)
        give_up(watchdog_look());
    recovery_report();
}

bool runner_busy(void)
{
    return runner.under_way || runner.followed;
}

void runner_look(void)
{
    bool before = cpu_lock();
    gpu_find_lost();
    cpu_unlock(before);
    watch(0);
}

unsigned runner_serve_next(void)
{
    if (!runner_busy())
        return 0;
    return runner_serve_until(&(struct clint_timer){0});
}

unsigned runner_serve_until(const struct clint_timer *t)
{
    uint32_t events;
    struct clint_timer look;
    clint_set(&look, clint_now() + RUNNER_PERIOD);
    bool before = cpu_lock();
    while (!(events = gpu_take(EVENTS)) && !t->rang && !look.rang && !uvm_due())
        cpu_sleep();
    if (!events && look.rang) {
        gpu_find_lost();
        events = gpu_take(EVENTS);
    }
    cpu_unlock(before);
    clint_clear(&look);
    serve(events);
    watch(events);
    return runner.under_way;
}

enum fw_error runner_wait(void)
{
    runner_serve();
    while (runner.under_way)
        runner_serve_next();
    enum fw_error failed = runner.failed;
    runner.failed = FW_OK;
    return failed;
}
