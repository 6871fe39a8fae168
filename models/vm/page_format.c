/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/page_format.h"

#include <stddef.h>

static const struct mp_page_format formats[] = {
    {.page_shift = 12, .levels = 4, .low_bit = {39, 30, 21, 12}, .bits = {9, 9, 9, 9}},
    {.page_shift = 16, .levels = 4, .low_bit = {39, 30, 21, 16}, .bits = {9, 9, 9, 5}},
    {.page_shift = 21, .levels = 3, .low_bit = {39, 30, 21}, .bits = {9, 9, 9}},
};

const struct mp_page_format *mp_page_format(uint64_t page_bytes)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (1ull << formats[i].page_shift == page_bytes)
            return &formats[i];
    return NULL;
}
