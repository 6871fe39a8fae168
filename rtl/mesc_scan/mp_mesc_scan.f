// SPDX-License-Identifier: Apache-2.0
// MESC's scan of a frame.
+incdir+.
mp_mesc_pkg.sv
mp_mesc_scan.sv
