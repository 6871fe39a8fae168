// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_dws_scheduler, to be bound.
+incdir+..
../mp_dws_pkg.sv
mp_dws_scheduler_checks.sv
