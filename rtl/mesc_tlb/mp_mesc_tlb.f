// SPDX-License-Identifier: Apache-2.0
// MESC's unified TLB: the top is mp_mesc_tlb, or mp_mesc_tlb_set for one set.
+incdir+.
mp_mesc_tlb_pkg.sv
../common/mp_lru_order.sv
../common/mp_sram.sv
../common/mp_tlb_sets.sv
mp_mesc_tlb_set.sv
mp_mesc_tlb.sv
