// SPDX-License-Identifier: Apache-2.0
//
// Definitions that the parts of a DWS walk scheduler share.
/* verilator lint_off UNUSEDPARAM */  // not every user needs all of it
package mp_dws_pkg;

  // ---- outcomes of an event ----
  localparam logic [1:0] RspNoRoom = 2'd0;  // there is no room for the walk that arrived
  localparam logic [1:0] RspQueued = 2'd1;  // the walk waits
  localparam logic [1:0] RspStart = 2'd2;   // the walker starts a walk
  localparam logic [1:0] RspIdle = 2'd3;    // the walker has nothing to do

  // Bits of PEND_WALKS and of ENQ_EPOCH.
  localparam int unsigned CountW = 12;

endpackage
/* verilator lint_on UNUSEDPARAM */
