# SPDX-License-Identifier: Apache-2.0
rtl_lint(mesc_scan mesc_pkg mesc_scan)
rtl_lint(mesc_scan_heads_first mesc_pkg mesc_scan -GHEADS_FIRST=1)
rtl_lint(mesc_scan_small mesc_pkg mesc_scan -GPAGES=4 -GSUBREGIONS=2)

# mesc_scan_rtl(NAME HEADS_FIRST [FILE FROM TO]): struct mesc_scan_rtl mesc_scan_rtl_NAME.
function(mesc_scan_rtl NAME HEADS_FIRST)
  rtl_shim(mesc_scan_${NAME} mesc_scan mesc_pkg mesc_scan_rtl.cpp SOURCES ${rtl}/mesc_pkg.sv ${rtl}/mesc_scan.sv
           PARAMETERS -GHEADS_FIRST=${HEADS_FIRST}
           DEFINITIONS SCAN_DESIGN=Vmesc_scan_${NAME} SCAN_HEADS_FIRST=${HEADS_FIRST} SCAN_NAME=mesc_scan_rtl_${NAME} ${ARGN})
endfunction()
mesc_scan_rtl(in_order 0)
mesc_scan_rtl(heads_first 1)
# Designs with a fault: a subregion's first page need not be valid; the frame is whole although a subregion does not
# continue the one before it; after a write the block waits for an answer.
mesc_scan_rtl(fault_valid 0 FILE mesc_scan.sv FROM "head ? rsp_data_i[0] : continues" TO "head ? 1'b1 : continues")
mesc_scan_rtl(fault_whole 0 FILE mesc_scan.sv FROM "(~head | region_q == '0 | continues)" TO "1'b1")
mesc_scan_rtl(fault_sent 0 FILE mesc_scan.sv FROM "mem_ready_i & ~mem_write_o)" TO "mem_ready_i)")

mempath_test(test_mesc_scan_lockstep SOURCES test_mesc_scan_lockstep.c
             LINK mp_vm rtl_mesc_scan_in_order rtl_mesc_scan_heads_first rtl_mesc_scan_fault_valid rtl_mesc_scan_fault_whole
                  rtl_mesc_scan_fault_sent LABELS rtl)

# Proofs by induction, and a fault for each assertion: the smallest, and all.
if(YOSYS)
  add_test(NAME rtl_proofs_mesc_scan_small
           COMMAND sh ${rtl}/formal/prove_mesc_scan.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_mesc_scan_small listed 2x2)
  set_tests_properties(rtl_proofs_mesc_scan_small PROPERTIES TIMEOUT 300 LABELS rtl)
  add_test(NAME rtl_proofs_mesc_scan COMMAND sh ${rtl}/formal/prove_mesc_scan.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_mesc_scan)
  set_tests_properties(rtl_proofs_mesc_scan PROPERTIES TIMEOUT 1800 LABELS "rtl;long")
endif()
