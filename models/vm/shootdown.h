/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shootdown: every block that keeps parts of page tables forgets what an invalidation names. A block also
 * remembers which of its misses are in flight, so that no answer from before reaches an initiator.
 */
#ifndef MP_VM_SHOOTDOWN_H
#define MP_VM_SHOOTDOWN_H

#include <stdint.h>

#include "engine/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block that keeps parts of page tables, as mp_block_kind.invalidate has it. */
struct mp_listener {
    void *self;
    uint64_t (*invalidate)(void *self, const struct mp_scope *scope); /* returns how many entries left */
};

struct mp_listeners { /* all zero: none */
    struct mp_listener *listener;
    uint32_t count, room;
};

/* Makes room for `count` listeners in all. Up to this number, adding one does not fail. Returns -1 if memory
 * runs out. */
int mp_listeners_reserve(struct mp_listeners *l, uint32_t count);
int mp_listeners_add(struct mp_listeners *l, struct mp_listener listener); /* returns -1 if memory runs out */
void mp_listeners_free(struct mp_listeners *l);

/* Every listener forgets the scope, in the order in which they were added. Returns the number of entries that
 * left. */
uint64_t mp_shoot_down(const struct mp_listeners *l, const struct mp_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
