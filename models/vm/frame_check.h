/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check of a GPU's use of frames under its firmware's page tables. It sees every access of software
 * to the memory, every change of a root, every invalidation and launch, and every answer to a translation. An
 * answer ends the run if
 * - its page was cleared and not invalidated, and its frame is by now another page or a page table;
 * - it allows stores to a frame that is writable in another address space, too;
 * - it allows stores to a page table;
 * - a copy that has not ended is to write its frame;
 * - the page's frame is another one than before, and does not have the page's contents.
 *
 * A page has contents from the first access of a launch on. It keeps them while that launch runs, and after
 * that until its entry is 0. Another frame has them if software, since the page was last stored to, has read
 * every word of the old frame and written every word of the new one: the GPU's data has no values here, and a
 * copy may take any way.
 */
#ifndef MP_VM_FRAME_CHECK_H
#define MP_VM_FRAME_CHECK_H

#include "vm/frame_uses.h"
#include "vm/table_writes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_frame_check { /* all zero but self and place before mp_frame_check_init */
    struct mp_table_writes writes;
    struct mp_frame_uses uses;
    struct mp_notes home;             /* frames of pages that launches have accessed */
    struct mp_frame_touches ***chunk; /* when software has accessed the words of frames of 4 KB */
    uint64_t chunks;
    uint32_t launch[MP_FRAME_SPACES]; /* number of launches that have begun */
    /* Names the place of a store in the program, such as ", main (main.c:14)"; NULL: no names. The owner may
     * set it. */
    void *self;
    void (*place)(void *self, const struct mp_store *by, char *text, size_t size);
    /* Whether a copy that has not ended is to write these bytes; NULL: there are none. The owner may set it.
     */
    bool (*arrives)(void *self, uint64_t at, uint64_t bytes);
};

/* Functions that return an int return -1 if memory runs out. */
int mp_frame_check_init(struct mp_frame_check *c, struct mp_physmem *memory,
                        const struct mp_page_format *format);
void mp_frame_check_free(struct mp_frame_check *c);

/* Software writes to the memory or reads it. */
int mp_frame_check_write(struct mp_frame_check *c, uint64_t at, const void *from, size_t bytes,
                         const struct mp_store *by);
int mp_frame_check_read(struct mp_frame_check *c, uint64_t at, size_t bytes);
/* root: MP_FRAME_NOWHERE if the address space ends. */
int mp_frame_check_set_root(struct mp_frame_check *c, uint16_t asid, uint64_t root);
/* The same for a table whose format may be another one than before. */
int mp_frame_check_set_table(struct mp_frame_check *c, uint16_t asid, const struct mp_page_format *format,
                             uint64_t root);
/* Software asks for a launch or a probe in an address space without any: no answer from before may be in use.
 */
void mp_frame_check_wake(struct mp_frame_check *c, uint16_t asid);
/* A launch or a probe begins. It may have waited, so software may be in the middle of a change. */
void mp_frame_check_launch(struct mp_frame_check *c, uint16_t asid);

/* Looks at an answer that mp_translation_check accepts. -1 with a message. */
int mp_frame_check_answer(struct mp_frame_check *c, const struct mp_page_table *t,
                          const struct mp_translation_answer *a, struct mp_error *err);
/* Adds to the message of mp_translation_check which store made the page's last entry, and what the answer's
 * frame is now. */
void mp_frame_check_explain(const struct mp_frame_check *c, const struct mp_page_table *t,
                            const struct mp_translation_answer *a, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
