// SPDX-License-Identifier: Apache-2.0
// MESC's unified TLB: the top is mesc_tlb, or mesc_tlb_set for one set.
+incdir+.
mesc_tlb_pkg.sv
lru_order.sv
sram.sv
mesc_tlb_set.sv
mesc_tlb.sv
