// SPDX-License-Identifier: Apache-2.0
// Walk scheduler of DWS and DWS++: the top is mp_dws_scheduler, or mp_dws_arbiter without the queues.
+incdir+.
mp_dws_pkg.sv
../common/mp_least.sv
../common/mp_sram.sv
mp_walk_queues.sv
mp_dws_arbiter.sv
mp_dws_scheduler.sv
