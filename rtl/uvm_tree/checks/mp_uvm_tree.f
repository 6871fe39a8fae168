// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_uvm_tree, to be bound.
+incdir+..
../mp_uvm_tree_pkg.sv
mp_uvm_tree_checks.sv
