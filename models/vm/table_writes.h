/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words of memory have been written, and since when invalidations have concerned which pages. Software
 * that changes a page table while it is walked first writes the entry and then invalidates; in between,
 * answers may be those of before. This decides which older answers software may still expect.
 */
#ifndef MP_VM_TABLE_WRITES_H
#define MP_VM_TABLE_WRITES_H

#include <stddef.h>

#include "engine/scope.h"
#include "vm/page_table.h"
#include "vm/translation_check.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_TABLE_WRITES_SPACES 16u

struct mp_times { /* of what has a number: a hash table with linear probing */
    struct mp_time {
        uint64_t key, when; /* when: 0 if the place is vacant */
    } * place;
    size_t places, used;
};

struct mp_table_writes { /* all zero: nothing has happened */
    uint64_t now;
    struct mp_times written, invalidated; /* words; pages */
    uint64_t space[MP_TABLE_WRITES_SPACES], all;
};

void mp_table_writes_free(struct mp_table_writes *w);

/* Before these bytes are written to the memory: notes the words that they change. -1: out of memory. */
int mp_table_writes_note(struct mp_table_writes *w, const struct mp_physmem *memory, uint64_t at,
                         const void *from, size_t bytes);
/* An invalidation begins. -1: out of memory. */
int mp_table_writes_invalidate(struct mp_table_writes *w, const struct mp_scope *scope);

/*
 * Whether an answer for this page, which the table contradicts, may be that of before. The entry at which the
 * page's walk ends was written after the last invalidation of the page began, and
 * - it is not valid now, so the page goes; or it maps the same frame, whose permission changes; or
 * - the answer is that the page is not mapped, and the page comes.
 * An entry that maps another frame is no excuse: it had to be invalid until the invalidation ended.
 */
bool mp_table_writes_excuse(const struct mp_table_writes *w, const struct mp_page_table *t, uint64_t va,
                            const struct mp_translation_answer *page);

#ifdef __cplusplus
}
#endif
#endif
