/* SPDX-License-Identifier: Apache-2.0 */
/* One setting of a configuration, for code that stores or prints settings without knowing what they mean. */
#ifndef MP_ENGINE_SETTING_H
#define MP_ENGINE_SETTING_H

#include <stdint.h>

struct mp_setting {
    char path[64];    /* "l3_tlb.entries" */
    const char *unit; /* of a number, which is in bytes, cycles, ..., without a prefix; NULL: it has none */
    const char *text; /* NULL: the value is the number */
    uint64_t number;
};

#endif
