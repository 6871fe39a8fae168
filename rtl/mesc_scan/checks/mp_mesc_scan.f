// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_mesc_scan, to be bound.
+incdir+..
../mp_mesc_pkg.sv
mp_mesc_scan_checks.sv
