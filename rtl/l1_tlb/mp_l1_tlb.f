// SPDX-License-Identifier: Apache-2.0
// Array of an L1 TLB.
+incdir+.
../neidty/mp_neidty_pkg.sv
../common/mp_lru_order.sv
mp_l1_tlb.sv
