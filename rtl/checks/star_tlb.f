// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of star_tlb, to be bound.
+incdir+..
../star_pkg.sv
star_tlb_checks.sv
