// SPDX-License-Identifier: Apache-2.0
// List of free entries.
+incdir+.
mp_toy_pkg.sv
mp_toy.sv
