// SPDX-License-Identifier: Apache-2.0
// The prefetch tree of a 2 MB block.
+incdir+.
mp_uvm_tree_pkg.sv
../common/mp_sram.sv
mp_uvm_tree_unit.sv
mp_uvm_tree.sv
