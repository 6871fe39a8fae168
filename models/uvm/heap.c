/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm/heap.h"

size_t mp_uvm_heap_bytes(uint32_t blocks)
{
    return sizeof(struct mp_uvm_heap) +
           (size_t)blocks * (2 * sizeof(uint64_t) + (1 + MP_UVM_SPACES) * sizeof(uint32_t));
}

void mp_uvm_heap_init(void *own, uint32_t blocks)
{
    struct mp_uvm_heap *h = own;
    *h = (struct mp_uvm_heap){.blocks = blocks, .key = (uint64_t *)(h + 1)};
    h->then = h->key + blocks;
    h->at = (uint32_t *)(h->then + blocks);
    h->heap = h->at + blocks;
}

static bool before(const struct mp_uvm_heap *h, uint32_t a, uint32_t b)
{
    return h->key[a] != h->key[b] ? h->key[a] < h->key[b] : h->then[a] < h->then[b];
}

static uint32_t *heap_of(const struct mp_uvm_heap *h, uint32_t space)
{
    return h->heap + (size_t)space * h->blocks;
}

static void set(struct mp_uvm_heap *h, uint32_t *heap, uint32_t i, uint32_t block)
{
    heap[i] = block;
    h->at[block] = i + 1;
}

/* Moves the block at i up or down to its place. */
static void sift(struct mp_uvm_heap *h, uint32_t space, uint32_t i)
{
    uint32_t *heap = heap_of(h, space), block = heap[i];
    for (; i && before(h, block, heap[(i - 1) / 2]); i = (i - 1) / 2)
        set(h, heap, i, heap[(i - 1) / 2]);
    for (uint32_t c; (c = 2 * i + 1) < h->size[space]; i = c) {
        c += c + 1 < h->size[space] && before(h, heap[c + 1], heap[c]);
        if (!before(h, heap[c], block))
            break;
        set(h, heap, i, heap[c]);
    }
    set(h, heap, i, block);
}

void mp_uvm_heap_put(struct mp_uvm_heap *h, uint32_t space, uint32_t block, uint64_t key, uint64_t then)
{
    if (!h->at[block])
        set(h, heap_of(h, space), h->size[space]++, block);
    h->key[block] = key;
    h->then[block] = then;
    sift(h, space, h->at[block] - 1);
}

void mp_uvm_heap_remove(struct mp_uvm_heap *h, uint32_t space, uint32_t block)
{
    uint32_t *heap = heap_of(h, space), i = h->at[block] - 1, last = heap[--h->size[space]];
    h->at[block] = 0;
    if (i == h->size[space])
        return;
    set(h, heap, i, last);
    sift(h, space, i);
}

/* On top is the first. If it may not leave, the first of the others is just below it. */
uint32_t mp_uvm_heap_first(const struct mp_uvm_heap *h, const struct mp_uvm_wanted *wanted)
{
    uint32_t best = MP_UVM_NONE;
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++) {
        const uint32_t *heap = heap_of(h, s);
        for (uint32_t i = 0; (wanted->spaces >> s & 1) && i < 3 && i < h->size[s]; i++)
            if (heap[i] != wanted->block && (best == MP_UVM_NONE || before(h, heap[i], best)))
                best = heap[i];
    }
    return best;
}
