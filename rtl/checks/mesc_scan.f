// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mesc_scan, to be bound.
+incdir+..
../mesc_pkg.sv
mesc_scan_checks.sv
