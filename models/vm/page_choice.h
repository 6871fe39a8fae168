/* SPDX-License-Identifier: Apache-2.0 */
/* The size of the pages that a driver gives to a buffer. */
#ifndef MP_VM_PAGE_CHOICE_H
#define MP_VM_PAGE_CHOICE_H

#include "vm/page_table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_PAGE_BUFFERS 16u

/* Sizes in bytes. 0: the largest that is not larger than the buffer, else the least. */
struct mp_page_choice {
    uint64_t sizes; /* or'ed, all that a buffer may get */
    uint64_t usual; /* of buffers that are not in the list */
    uint32_t count;
    struct mp_page_buffer {
        uint64_t number, page_bytes;
    } buffer[MP_PAGE_BUFFERS];
};

/*
 * Log2 of the bytes of the pages for a buffer that is to be mapped, in a radix table if `sizes` has several.
 * Tables may force another size than the
 * one that was asked for: where the format has pages of one size in a region, and its pages are mapped
 * already, the buffer gets their size. If its regions have several, mapping the buffer fails.
 */
uint32_t mp_page_choose(const struct mp_page_choice *choice, const struct mp_page_table *table,
                        uint64_t number, uint64_t va, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
