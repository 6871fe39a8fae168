/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about things that have a number, such as words and pages: a hash table with linear probing. */
#ifndef MP_VM_NOTES_H
#define MP_VM_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The origin of a store. */
struct mp_store {
    uint64_t pc; /* of the instruction; 0: the copy engine or a debugger */
    uint64_t ra; /* the return address at that time */
    uint64_t cycle;
};

struct mp_note {
    uint64_t key, when; /* when: 0 if the place is vacant */
    union {
        struct mp_store by; /* of a word */
        uint64_t bytes;     /* that an invalidation has named from the page on */
        struct {            /* of a page that a launch has accessed; when: the latest time it was changed */
            uint64_t frame;
            uint32_t launch; /* the latest launch that has accessed it, counted in its address space */
            bool ended;      /* its entry has become 0 since */
        } home;
    };
};

struct mp_notes { /* all zero: none */
    struct mp_note *place;
    size_t places, used;
};

void mp_notes_free(struct mp_notes *n);
/* Returns NULL if there is none. */
struct mp_note *mp_notes_find(const struct mp_notes *n, uint64_t key);
/* Adds the note, or replaces the one of this key. Returns -1 if memory runs out. */
int mp_notes_set(struct mp_notes *n, const struct mp_note *note);

#ifdef __cplusplus
}
#endif
#endif
