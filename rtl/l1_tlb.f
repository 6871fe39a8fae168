// SPDX-License-Identifier: Apache-2.0
// Array of an L1 TLB.
+incdir+.
neidty_pkg.sv
lru_order.sv
l1_tlb.sv
