// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_mesc_tlb, to be bound.
+incdir+..
../mp_mesc_tlb_pkg.sv
mp_mesc_tlb_checks.sv
