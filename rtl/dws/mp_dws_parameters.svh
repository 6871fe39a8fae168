// SPDX-License-Identifier: Apache-2.0
//
// Parameters that mp_dws_arbiter and mp_dws_scheduler have in common.

    /// Walkers, 2 or more.
    parameter int unsigned WALKERS = 16,
    /// Places in each walker's queue, 1 or more; 4095 at most in all of them.
    parameter int unsigned DEPTH = 12,
    /// Tenants, 2 or more.
    parameter int unsigned TENANTS = 2,
    /// Bits of the EPOCH counter, 1 to 12.
    parameter int unsigned EPOCH_W = 8,
    /// Bits of a walker's number; not to be set.
    localparam int unsigned WALKER_W = $clog2(WALKERS),
    /// Bits of a tenant's number; not to be set.
    localparam int unsigned TENANT_W = $clog2(TENANTS),
    /// Bits of a queue's length; not to be set.
    localparam int unsigned FREE_W = $clog2(DEPTH + 1),
    /// Bits of a number of waiting walks; all ones is more than can wait; not to be set.
    localparam int unsigned DIFF_W = $clog2(WALKERS * DEPTH + 1),
    /// Bits of an owner's number; not to be set.
    localparam int unsigned WTM_W = $clog2(TENANTS + 1)
