/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/lockstep/lockstep.h"

#include <stdarg.h>
#include <stdio.h>

#include "rtl/lockstep/random.h"

void rtl_lockstep_session(struct rtl_lockstep *l, uint64_t before, const struct mp_rtl_waves *waves,
                          volatile uint64_t *pulse)
{
    l->session = before;
    l->window.waves = *waves;
    l->pulse = pulse;
}

void rtl_lockstep_waves(struct rtl_lockstep *l, const char *file, uint64_t number)
{
    l->rtl->waves(l->block, file, number);
}

int rtl_lockstep_aim(const struct rtl_lockstep *l, rtl_lockstep_points *point, const void *lockstep,
                     uint64_t random)
{
    char name[MP_RTL_POINT_NAME];
    struct mp_rtl_point p;
    uint32_t open = 0;
    int drawn = -1;
    for (unsigned i = 0; point(lockstep, i, name, &p); i++)
        if (!p.taken && !(l->met && l->met[i]) && !below(&random, ++open))
            drawn = (int)i;
    return drawn;
}

uint64_t rtl_lockstep_clocks(const struct rtl_lockstep *l)
{
    return l->rtl->clocks(l->block);
}

const char *rtl_lockstep_difference(const struct rtl_lockstep *l)
{
    return *l->difference ? l->difference : NULL;
}

bool rtl_lockstep_differs(struct rtl_lockstep *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->difference, sizeof l->difference, format, args);
    va_end(args);
    return false;
}

bool rtl_lockstep_breaks(struct rtl_lockstep *l, const char *what)
{
    l->broken = true;
    return rtl_lockstep_differs(l, "%s", what);
}

static const struct rtl_lockstep *of(const void *object)
{
    return *(const struct rtl_lockstep *const *)object;
}

uint64_t rtl_view_transactions(const void *object)
{
    return of(object)->transactions;
}

uint64_t rtl_view_resets(const void *object)
{
    return of(object)->resets;
}

uint64_t rtl_view_clocks(const void *object)
{
    return rtl_lockstep_clocks(of(object));
}

const char *rtl_view_difference(const void *object)
{
    return rtl_lockstep_difference(of(object));
}

bool rtl_view_broken(const void *object)
{
    return of(object)->broken;
}
