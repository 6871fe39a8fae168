// SPDX-License-Identifier: Apache-2.0
// NeiDty's directory.
+incdir+.
mp_neidty_pkg.sv
mp_neidty_tag.sv
mp_neidty_directory.sv
