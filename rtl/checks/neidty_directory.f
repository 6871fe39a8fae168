// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of neidty_directory, to be bound.
+incdir+..
../neidty_pkg.sv
neidty_directory_checks.sv
