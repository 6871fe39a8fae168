/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/lockstep/loop.h"

#include <stdarg.h>
#include <stdio.h>

static void waves(void *loop, const char *file, uint64_t cycle)
{
    struct rtl_loop *l = loop;
    if (l->lockstep)
        rtl_lockstep_waves(l->lockstep, file, cycle);
    else
        l->rtl->waves(l->block, file, cycle);
}

void rtl_loop_begin(struct rtl_loop *l)
{
    l->transactions++;
    if (l->window.waves.file)
        rtl_window_at(&l->window, l->host->cycle(l->host->context), waves, l);
}

void rtl_loop_end(struct rtl_loop *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->trouble, sizeof l->trouble, format, args);
    va_end(args);
    l->over = true;
    l->host->stop(l->host->context);
}

void rtl_loop_differs(struct rtl_loop *l)
{
    rtl_loop_end(l, l->lockstep->broken ? "%s" : "%s differs between RTL and model",
                 rtl_lockstep_difference(l->lockstep));
}

void rtl_loop_close(struct rtl_loop *l)
{
    if (l->block)
        l->rtl->close(l->block);
}

uint64_t rtl_loop_transactions(const void *loop)
{
    return ((const struct rtl_loop *)loop)->transactions;
}

uint64_t rtl_loop_clocks(const void *loop)
{
    const struct rtl_loop *l = loop;
    return l->lockstep ? rtl_lockstep_clocks(l->lockstep) : l->rtl->clocks(l->block);
}

const char *rtl_loop_difference(const void *loop)
{
    const struct rtl_loop *l = loop;
    return *l->trouble ? l->trouble : NULL;
}
