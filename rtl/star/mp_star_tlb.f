// SPDX-License-Identifier: Apache-2.0
// STAR's TLB: the top is mp_star_tlb, or mp_star_tlb_set for one set.
+incdir+.
mp_star_pkg.sv
../common/mp_lru_order.sv
../common/mp_least.sv
mp_star_reform.sv
mp_star_entry.sv
../common/mp_sram.sv
../common/mp_tlb_sets.sv
mp_star_tlb_set.sv
mp_star_tlb.sv
