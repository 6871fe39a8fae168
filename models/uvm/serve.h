/* SPDX-License-Identifier: Apache-2.0 */
/* What a batch does with its pages. */
#ifndef MP_UVM_SERVE_H
#define MP_UVM_SERVE_H

#include "uvm/state.h"

/* The n pages of the batch that this block has, ascending. */
void mp_uvm_serve_block(struct mp_uvm *u, uint32_t block, const struct mp_uvm_faulted *f, uint32_t n,
                        const struct mp_uvm_report *report);
/* Of n pages, the first ones in the 2 MB of the first: those that no range has. */
void mp_uvm_refuse(struct mp_uvm *u, const struct mp_uvm_faulted *f, uint32_t n,
                   const struct mp_uvm_report *report);

#endif
