/* SPDX-License-Identifier: Apache-2.0 */
/* Compares translations with the page table, for tests and runs that look for entries which lie: contiguity
 * bits of pages that are not contiguous, and translations that a shootdown should have removed. */
#ifndef MP_VM_TRANSLATION_CHECK_H
#define MP_VM_TRANSLATION_CHECK_H

#include "engine/link.h"
#include "vm/page_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An answer to a request for va, which may hold for pages around it. */
struct mp_translation_answer {
    uint64_t va, pa;
    struct mp_span span;
    uint32_t page; /* log2 of the bytes of the page in which it was found, whose number the span counts; 0: of
                    * the format's smallest */
    uint16_t asid; /* only of use with `writes` */
    bool faults;   /* it says that the page is not mapped; only va counts then */
    bool stores;   /* to a request that stores */
};

struct mp_table_writes;

/* Whether the table maps all pages of the answer as it says, whatever the sizes of its own pages there. -1
 * with a message: the first page that differs, its frame of 2 MB with the contiguity bits, and each entry of
 * the page's walk. writes: excuses older answers while software changes the table (table_writes.h); NULL: the
 * table changes together with what keeps it. */
int mp_translation_check(const struct mp_page_table *t, const struct mp_translation_answer *a,
                         const struct mp_table_writes *writes, struct mp_error *err);
/* "0x6002001 at 0x6001000, ...": the entries of the page's walk, from the root to the first that is not
 * valid. */
void mp_translation_walk(char *text, size_t size, const struct mp_page_table *t, uint64_t va);

#ifdef __cplusplus
}
#endif
#endif
