// SPDX-License-Identifier: Apache-2.0
// Walk scheduler of DWS and DWS++: the top is dws_scheduler, or dws_arbiter without the queues.
+incdir+.
dws_pkg.sv
star_choice.sv
sram.sv
walk_queues.sv
dws_arbiter.sv
dws_scheduler.sv
