// SPDX-License-Identifier: Apache-2.0
//
// Ports that mp_dws_arbiter and mp_dws_scheduler have in common: the begin of a list that goes on with other ports. The widths
// are in mp_dws_parameters.svh. A block that replaces mp_dws_scheduler can include both files.

    /// Clock.
    input  logic                clk_i,
    /// Reset, active low, asynchronous. It makes tenant w mod TENANTS the owner of walker w.
    input  logic                rst_ni,
    /// DWS++ instead of DWS. Changes only in reset.
    input  logic                plus_i,
    /// Arrivals in an epoch, 1 or more. It and the thresholds may change while the block is ready.
    input  logic [EPOCH_W-1:0]  epoch_i,
    /// DIFF_THRES after an epoch in which the ratio of the tenants' arrivals was at most 1.5 (lowest bits), 2, 3, 4, or
    /// more: a walker may steal if the numbers of waiting walks differ by more than this. All ones: never.
    input  logic [5*DIFF_W-1:0] diff_thres_i,
    /// QUEUE_THRES: a walker with more walks than this in its own queue does not steal by threshold.
    input  logic [FREE_W-1:0]   queue_thres_i,
    /// A walker gets another owner, because tenants start or end.
    input  logic                own_valid_i,
    /// The tables change in this clock.
    output logic                own_ready_o,
    /// The walker.
    input  logic [WALKER_W-1:0] own_walker_i,
    /// Its owner; TENANTS or more: none.
    input  logic [WTM_W-1:0]    own_tenant_i,
    /// A walk arrives.
    input  logic                enq_valid_i,
    /// The arrival is taken.
    output logic                enq_ready_o,
    /// The walk's tenant.
    input  logic [TENANT_W-1:0] enq_tenant_i,
    /// A walker has completed its walk.
    input  logic                done_valid_i,
    /// The completion is taken.
    output logic                done_ready_o,
    /// The walker.
    input  logic [WALKER_W-1:0] done_walker_i,
    /// The event's outcome, for one clock.
    output logic                rsp_valid_o,
    /// The outcome: mp_dws_pkg::Rsp*.
    output logic [1:0]          rsp_action_o,
    /// The walker that starts a walk or is idle, or whose queue holds the walk.
    output logic [WALKER_W-1:0] rsp_walker_o,
    /// There is room for a walk of this tenant now: a bit per tenant.
    output logic [TENANTS-1:0]  room_o,
