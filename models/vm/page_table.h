/* SPDX-License-Identifier: Apache-2.0 */
/* Radix page tables that stand in simulated memory. */
#ifndef MP_VM_PAGE_TABLE_H
#define MP_VM_PAGE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/frames.h"
#include "vm/page_format.h"
#include "vm/physmem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_page_table {
    const struct mp_page_format *format;
    struct mp_physmem *memory;
    struct mp_frames *frames;
    uint64_t root; /* physical address */
};

/* Each returns 0, or -1 when simulated memory runs out. */
int mp_page_table_init(struct mp_page_table *t, const struct mp_page_format *format,
                       struct mp_physmem *memory, struct mp_frames *frames);
int mp_page_table_map(struct mp_page_table *t, uint64_t va, uint64_t pa);
/* Takes the mapping of va's page away and returns its frame's address; false if there was none. */
bool mp_page_table_unmap(struct mp_page_table *t, uint64_t va, uint64_t *pa);
/* What a walk would find. */
bool mp_page_table_find(const struct mp_page_table *t, uint64_t va, uint64_t *pa);

#ifdef __cplusplus
}
#endif
#endif
