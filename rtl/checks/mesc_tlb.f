// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mesc_tlb, to be bound.
+incdir+..
../mesc_tlb_pkg.sv
mesc_tlb_checks.sv
