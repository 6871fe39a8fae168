// SPDX-License-Identifier: Apache-2.0
// The sets of a TLB, for blocks with another logic of a set.
+incdir+.
mp_sram.sv
mp_tlb_sets.sv
