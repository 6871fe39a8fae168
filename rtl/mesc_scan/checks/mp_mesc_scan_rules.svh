// SPDX-License-Identifier: Apache-2.0
//
// The rules of mp_mesc_scan's ports. mp_mesc_scan.sv and mp_mesc_scan_checks.sv include them.

  // What the ports showed, in separate registers of the checks, because the logic's registers may be wrong.
  localparam int unsigned SEEN_FIRST = mp_mesc_pkg::FirstBit;
  localparam int unsigned SEEN_ABOVE = SEEN_FIRST + mp_mesc_pkg::Bits;
  logic seen_reset_q = 1'b0;   // registers may hold anything before the first reset
  logic seen_busy_q;           // a scan has started, and its end was not taken
  logic seen_read_q;           // it has read the entry of the table
  logic seen_wrote_q;          // and has written it
  logic seen_flight_q;         // a read was accepted and not answered
  logic seen_waits_q;          // an access was not accepted
  logic seen_held_q;           // the end was not taken
  logic [47:3] seen_start_q, seen_at_q;
  logic [63:0] seen_entry_q, seen_data_q;  // the entry of the table as it is now; the access's data
  logic seen_write_q;
  logic [9:0] seen_end_q;
  logic [8:0] seen_bits;
  assign seen_bits = seen_entry_q[0] ? seen_entry_q[SEEN_FIRST+:mp_mesc_pkg::Bits] : '0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      seen_reset_q  <= 1'b1;
      seen_busy_q   <= 1'b0;
      seen_flight_q <= 1'b0;
      seen_waits_q  <= 1'b0;
      seen_held_q   <= 1'b0;
    end else begin
      if (start_valid_i & start_ready_o) seen_busy_q <= 1'b1;
      else if (done_valid_o & done_ready_i) seen_busy_q <= 1'b0;
      if (mem_valid_o & mem_ready_i & ~mem_write_o) seen_flight_q <= 1'b1;
      else if (rsp_valid_i) seen_flight_q <= 1'b0;
      seen_waits_q <= mem_valid_o & ~mem_ready_i;
      seen_held_q  <= done_valid_o & ~done_ready_i;
    end

  always_ff @(posedge clk_i) begin
    if (start_valid_i & start_ready_o) begin
      seen_start_q <= start_at_i;
      seen_read_q  <= 1'b0;
      seen_wrote_q <= 1'b0;
    end else if (seen_flight_q & rsp_valid_i & ~seen_read_q) begin
      seen_read_q  <= 1'b1;
      seen_entry_q <= rsp_data_i;
    end else if (mem_valid_o & mem_ready_i & mem_write_o) begin
      seen_wrote_q <= 1'b1;
      seen_entry_q <= mem_data_o;
    end
    seen_at_q    <= mem_at_o;
    seen_data_q  <= mem_data_o;
    seen_write_q <= mem_write_o;
    seen_end_q   <= {done_changed_o, done_bits_o};
  end

  always_ff @(posedge clk_i)
    if (rst_ni && seen_reset_q) begin
      // A scan starts, accesses memory and ends before the next one starts.
      assert (!(seen_busy_q & start_ready_o));
      assert (seen_busy_q || !(mem_valid_o | done_valid_o));
      // An access stays until it is accepted.
      if (seen_waits_q)
        assert (mem_valid_o && mem_write_o == seen_write_q && mem_at_o == seen_at_q &&
                (!mem_write_o || mem_data_o == seen_data_q));
      // One access is in flight.
      assert (!seen_flight_q || !mem_valid_o);
      if (mem_valid_o) begin
        // The first access reads the entry of the table, and the other reads those of the table.
        if (!seen_read_q) assert (!mem_write_o && mem_at_o == seen_start_q);
        if (seen_read_q && !mem_write_o) assert (seen_entry_q[0] && mem_at_o[47:12] == seen_entry_q[47:12]);
        // Only the entry of the table is written, and only its contiguity bits change.
        if (seen_read_q && mem_write_o)
          assert (mem_at_o == seen_start_q && mem_data_o[63:SEEN_ABOVE] == seen_entry_q[63:SEEN_ABOVE] &&
                  mem_data_o[SEEN_FIRST-1:0] == seen_entry_q[SEEN_FIRST-1:0]);
        // It is the last access.
        assert (!seen_wrote_q);
      end
      if (done_valid_o) begin
        // The scan ends after its accesses,
        assert (seen_read_q && !seen_flight_q && !mem_valid_o);
        // with the bits that the entry has now, and says whether it was written.
        assert (done_bits_o == seen_bits && done_changed_o == seen_wrote_q);
      end
      // The end is stable until it is taken.
      if (seen_held_q) assert (done_valid_o && {done_changed_o, done_bits_o} == seen_end_q);
    end
