/* SPDX-License-Identifier: Apache-2.0 */
/* Units of 64 KB by the last touches of their blocks, for lru64k and tbne. */
#ifndef MP_UVM_EVICT_LRU64K_H
#define MP_UVM_EVICT_LRU64K_H

#include "uvm/heap.h"

void mp_uvm_lru64k_loaded(struct mp_uvm_pool *p, uint32_t unit);
void mp_uvm_lru64k_touched(struct mp_uvm_pool *p, uint32_t unit, bool access);
void mp_uvm_lru64k_emptied(struct mp_uvm_pool *p, uint32_t unit);
uint32_t mp_uvm_lru64k_victim(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted);
/* Its loaded units, a bit each. */
uint32_t mp_uvm_lru64k_units(const struct mp_uvm_pool *p, uint32_t block);

#endif
