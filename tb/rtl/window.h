/* SPDX-License-Identifier: Apache-2.0 */
/* When waves are written: from one number (of transactions, of cycles) to before another. */
#ifndef MP_TB_WINDOW_H
#define MP_TB_WINDOW_H

#include "rtl_run.h"

struct rtl_window {
    struct mp_rtl_waves waves;
    bool open;
};

/* Before what has this number. waves is that of a Verilated block (star_rtl.h, dws_rtl.h). */
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
