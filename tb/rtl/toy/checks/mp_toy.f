// SPDX-License-Identifier: Apache-2.0
// Rules of the ports of mp_toy, to be bound.
+incdir+..
mp_toy_checks.sv
