// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of l1_tlb, to be bound.
+incdir+..
../neidty_pkg.sv
l1_tlb_checks.sv
