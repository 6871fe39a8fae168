// SPDX-License-Identifier: Apache-2.0
// MESC's scan of a frame.
+incdir+.
mesc_pkg.sv
mesc_scan.sv
