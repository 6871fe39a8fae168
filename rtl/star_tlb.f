// SPDX-License-Identifier: Apache-2.0
// STAR's TLB: the top is star_tlb, or star_tlb_set for one set.
+incdir+.
star_pkg.sv
lru_order.sv
star_choice.sv
star_reform.sv
star_entry.sv
sram.sv
star_tlb_set.sv
star_tlb.sv
