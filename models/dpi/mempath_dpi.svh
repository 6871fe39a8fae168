// SPDX-License-Identifier: Apache-2.0
//
// mempath's reference models (libmempath-models.so) for SystemVerilog. mempath_models.h describes the
// functions, which have the same names there. A model is a chandle. After a result of null, Error or "",
// mempath_error() returns the error as one line.
package mempath_dpi;

  localparam int Queued = -1;
  localparam int NoRoom = -2;
  localparam int Error = -3;

  import "DPI-C" function string mempath_error();
  import "DPI-C" function int mempath_destroy(input chandle model);
  import "DPI-C" function string mempath_state(input chandle model);

  // ---- a TLB's array ----

  import "DPI-C" function chandle mempath_tlb_new(input string policy, input string parameters);
  import "DPI-C" function int mempath_tlb_lookup(input chandle tlb, input int unsigned asid, input longint unsigned vpn,
                                                 output longint unsigned pfn, output int unsigned cycles);
  import "DPI-C" function int mempath_tlb_insert(input chandle tlb, input int unsigned asid, input longint unsigned vpn,
                                                 input longint unsigned pfn, output string action,
                                                 output int unsigned way, output int unsigned lost);
  import "DPI-C" function int mempath_tlb_insert_span(input chandle tlb, input int unsigned asid,
                                                      input longint unsigned vpn, input longint unsigned pfn,
                                                      input int unsigned unit, input int unsigned units_before,
                                                      input int unsigned units_after, input int unsigned read_only,
                                                      output string action, output int unsigned way,
                                                      output int unsigned lost);
  import "DPI-C" function int mempath_tlb_span(input chandle tlb, input int unsigned asid, input longint unsigned vpn,
                                               output int unsigned unit, output int unsigned units_before,
                                               output int unsigned units_after, output int unsigned read_only);
  import "DPI-C" function int mempath_tlb_entry(input chandle tlb, input int unsigned set_no, input int unsigned number,
                                                output int unsigned way, output int unsigned slot,
                                                output int unsigned asid, output longint unsigned vpn,
                                                output longint unsigned pfn, output int unsigned pages,
                                                output int unsigned read_only);
  import "DPI-C" function int mempath_tlb_invalidate_page(input chandle tlb, input int unsigned asid,
                                                          input longint unsigned vpn);
  import "DPI-C" function int mempath_tlb_invalidate_asid(input chandle tlb, input int unsigned asid);
  import "DPI-C" function int mempath_tlb_invalidate_all(input chandle tlb);
  import "DPI-C" function int mempath_tlb_occupancy(input chandle tlb, input int unsigned asid);
  import "DPI-C" function int mempath_tlb_asked(input chandle tlb, input int unsigned asid, input int unsigned sm,
                                                input int unsigned warp, input int unsigned hit);
  import "DPI-C" function int mempath_tlb_may_fill(input chandle tlb, input int unsigned asid, input int unsigned sm,
                                                   input int unsigned warp);
  import "DPI-C" function int mempath_tlb_bypass(input chandle tlb, input int unsigned asid, input longint unsigned vpn,
                                                 input longint unsigned pfn, output string action,
                                                 output int unsigned way, output int unsigned lost);
  import "DPI-C" function int mempath_tlb_ways(input chandle tlb, input int unsigned set_no);
  import "DPI-C" function int mempath_tlb_way(input chandle tlb, input int unsigned set_no, input int unsigned way,
                                              output int unsigned layout, output int unsigned bases,
                                              output int unsigned subs, output int unsigned rank);
  import "DPI-C" function int mempath_tlb_base(input chandle tlb, input int unsigned set_no, input int unsigned way,
                                               input int unsigned position, output int unsigned asid,
                                               output longint unsigned base);
  import "DPI-C" function int mempath_tlb_sub(input chandle tlb, input int unsigned set_no, input int unsigned way,
                                              input int unsigned slot, output int unsigned aib,
                                              output longint unsigned pfn);

  // ---- a page-walk scheduler ----

  import "DPI-C" function chandle mempath_walks_new(input string policy, input string parameters);
  import "DPI-C" function int mempath_walks_arrive(input chandle walks, input int unsigned tenant,
                                                   input longint unsigned id);
  import "DPI-C" function int mempath_walks_room(input chandle walks, input int unsigned tenant);
  import "DPI-C" function int mempath_walks_complete(input chandle walks, input int unsigned walker,
                                                     output longint unsigned id);
  import "DPI-C" function int mempath_walks_set_tenants(input chandle walks, input int unsigned tenants);
  import "DPI-C" function int mempath_walks_set_owner(input chandle walks, input int unsigned walker,
                                                      input int unsigned tenant);
  import "DPI-C" function int mempath_walks_wake(input chandle walks, input int unsigned walker,
                                                 output longint unsigned id);
  import "DPI-C" function int mempath_walks_walker(input chandle walks, input int unsigned walker,
                                                   output longint unsigned id, output int owner,
                                                   output int unsigned places, output int unsigned stolen);
  import "DPI-C" function int mempath_walks_waiting(input chandle walks, input int unsigned walker,
                                                    input int unsigned position, output longint unsigned id,
                                                    output int unsigned tenant);
  import "DPI-C" function int mempath_walks_tenant(input chandle walks, input int unsigned tenant,
                                                   output longint unsigned walkers, output int unsigned pending,
                                                   output int unsigned arrivals);
  import "DPI-C" function int mempath_walks_epoch(input chandle walks, output int unsigned arrivals,
                                                  output int unsigned diff_thres);

  // ---- NeiDty's directory ----

  localparam int Left = 1;
  localparam int Right = 2;

  import "DPI-C" function chandle mempath_directory_new(input string parameters);
  import "DPI-C" function int mempath_directory_ask(input chandle directory, input int unsigned asid,
                                                    input longint unsigned vpn);
  import "DPI-C" function int mempath_directory_own(input chandle directory, input int unsigned inserted,
                                                    input int unsigned asid, input longint unsigned vpn);
  import "DPI-C" function int mempath_directory_message(input chandle directory, input int unsigned side,
                                                        input int unsigned inserted, input int unsigned is_local,
                                                        input int unsigned asid, input longint unsigned vpn);
  import "DPI-C" function int mempath_directory_drop(input chandle directory, input int unsigned asid,
                                                     input longint unsigned vpn);
  import "DPI-C" function int mempath_directory_empty(input chandle directory);
  import "DPI-C" function int mempath_directory_entry(input chandle directory, input int unsigned number,
                                                      output longint unsigned tag, output int unsigned left,
                                                      output int unsigned is_local, output int unsigned right);

  // ---- MESC's scan ----

  import "DPI-C" function chandle mempath_scan_new(input string parameters);
  import "DPI-C" function int mempath_scan_entry(input chandle scan, input longint unsigned entry);
  import "DPI-C" function int mempath_scan_leaf(input chandle scan, input int unsigned page,
                                                input longint unsigned leaf);
  import "DPI-C" function int mempath_scan_frame(input chandle scan, output longint unsigned entry,
                                                 output int unsigned reads);

endpackage
