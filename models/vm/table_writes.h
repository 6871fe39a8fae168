/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times at which words of memory were written, and at which invalidations concerned pages. Software
 * that changes a page table while it is walked first writes the entry and then invalidates; in between,
 * answers may be those of before. This decides which older answers software may still expect.
 */
#ifndef MP_VM_TABLE_WRITES_H
#define MP_VM_TABLE_WRITES_H

#include <stddef.h>

#include "engine/scope.h"
#include "vm/notes.h"
#include "vm/page_table.h"
#include "vm/translation_check.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_TABLE_WRITES_SPACES 16u

struct mp_table_writes { /* all zero: nothing has happened */
    uint64_t now;
    struct mp_notes written, invalidated;        /* words of entries; pages */
    uint64_t space[MP_TABLE_WRITES_SPACES], all; /* invalidated */
    uint64_t root[MP_TABLE_WRITES_SPACES];       /* changed */
};

void mp_table_writes_free(struct mp_table_writes *w);

/* Before this word of the memory changes: notes it, if it is or will be a valid entry. Returns -1 if memory
 * runs out. */
int mp_table_writes_note(struct mp_table_writes *w, const struct mp_physmem *memory, uint64_t at,
                         uint64_t word, const struct mp_store *by);
/* The address space gets another root. */
void mp_table_writes_set_root(struct mp_table_writes *w, uint16_t asid);
/* The store that has made or removed the entry at this address; NULL if there was none. */
const struct mp_note *mp_table_writes_store(const struct mp_table_writes *w, uint64_t at);
/* An invalidation begins, or nothing uses an older answer any more. Returns -1 if memory runs out. */
int mp_table_writes_invalidate(struct mp_table_writes *w, const struct mp_scope *scope);

/*
 * Whether an answer for this page, which the table contradicts, may be that of before. An entry of the page's
 * walk was written after the last invalidation of the page began, and the one at which the walk ends
 * - is not valid now, so the page goes; or it maps the same frame, whose permission changes; or
 * - the answer is that the page is not mapped, and the page comes.
 * An entry that maps another frame is no excuse: it had to be invalid until the invalidation ended.
 */
bool mp_table_writes_excuse(const struct mp_table_writes *w, const struct mp_page_table *t, uint64_t va,
                            const struct mp_translation_answer *page);

/* When the page's walk was last changed; 0: never. */
uint64_t mp_table_writes_changed(const struct mp_table_writes *w, const struct mp_page_table *t,
                                 uint16_t asid, uint64_t va);

#ifdef __cplusplus
}
#endif
#endif
