/* SPDX-License-Identifier: Apache-2.0 */
/* The window of waves, in numbers of transactions or cycles: the first, and the one after the last. */
#ifndef MP_RTL_WINDOW_H
#define MP_RTL_WINDOW_H

#include "rtl_run.h"

struct rtl_window {
    struct mp_rtl_waves waves;
    bool open;
};

/* Call before the transaction or cycle of this number. waves is that of a Verilated block (verilated.h). */
static inline void rtl_window_at(struct rtl_window *w, uint64_t number,
                                 void (*waves)(void *rtl, const char *file, uint64_t number), void *rtl)
{
    if (!w->waves.file)
        return;
    bool inside = number >= w->waves.first && number < w->waves.last;
    if (inside || w->open)
        waves(rtl, inside ? w->waves.file : NULL, number);
    w->open = inside;
}

#endif
