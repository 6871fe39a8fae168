/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps of blocks, one per space, for eviction designs that choose a block: the first to leave is on top. */
#ifndef MP_UVM_HEAP_H
#define MP_UVM_HEAP_H

#include "uvm/pool.h"

struct mp_uvm_heap {
    uint32_t blocks; /* that there are */
    uint32_t size[MP_UVM_SPACES];
    uint64_t *key;  /* of a block: the least leaves first; ties by `then` */
    uint64_t *then; /* no two are equal */
    uint32_t *at;   /* of a block: position in its heap and 1; 0: it has none */
    uint32_t *heap; /* of each space */
};

/* Of a design whose state is a heap. */
size_t mp_uvm_heap_bytes(uint32_t blocks);
void mp_uvm_heap_init(void *own, uint32_t blocks);
/* Adds the block, or moves it because its keys have changed. */
void mp_uvm_heap_put(struct mp_uvm_heap *h, uint32_t space, uint32_t block, uint64_t key, uint64_t then);
void mp_uvm_heap_remove(struct mp_uvm_heap *h, uint32_t space, uint32_t block);
/* The first of these spaces' blocks that may leave; MP_UVM_NONE: there is none. */
uint32_t mp_uvm_heap_first(const struct mp_uvm_heap *h, const struct mp_uvm_wanted *wanted);

#endif
