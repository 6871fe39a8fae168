// SPDX-License-Identifier: Apache-2.0
// NeiDty's directory.
+incdir+.
neidty_pkg.sv
neidty_tag.sv
neidty_directory.sv
