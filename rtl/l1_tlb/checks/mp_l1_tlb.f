// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_l1_tlb, to be bound.
+incdir+..
../../neidty/mp_neidty_pkg.sv
mp_l1_tlb_checks.sv
