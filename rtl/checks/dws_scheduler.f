// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of dws_scheduler, to be bound.
+incdir+..
../dws_pkg.sv
dws_scheduler_checks.sv
