// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_star_tlb, to be bound.
+incdir+..
../mp_star_pkg.sv
mp_star_tlb_checks.sv
