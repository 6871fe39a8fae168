// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_neidty_directory, to be bound.
+incdir+..
../mp_neidty_pkg.sv
mp_neidty_directory_checks.sv
