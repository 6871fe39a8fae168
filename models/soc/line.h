/* SPDX-License-Identifier: Apache-2.0 */
/* An interrupt line: a device sets its level, and the listener is called at each change. */
#ifndef MP_SOC_LINE_H
#define MP_SOC_LINE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mp_line {
    void *self;
    void (*set)(void *self, unsigned number, bool level);
    unsigned number; /* number of the listener's input */
    bool level;
};

static inline void mp_line_set(struct mp_line *line, bool level)
{
    if (line->level == level)
        return;
    line->level = level;
    line->set(line->self, line->number, level);
}

#ifdef __cplusplus
}
#endif
#endif
