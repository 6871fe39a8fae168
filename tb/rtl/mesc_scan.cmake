# SPDX-License-Identifier: Apache-2.0
rtl_lint(mesc_scan mesc_pkg mesc_scan)
rtl_lint(mesc_scan_heads_first mesc_pkg mesc_scan -GHEADS_FIRST=1)
rtl_lint(mesc_scan_small mesc_pkg mesc_scan -GPAGES=4 -GSUBREGIONS=2)

rtl_sources(mesc_scan_sources mesc_scan)

# mesc_scan_rtl(NAME HEADS_FIRST [FILE FROM TO] [OPTIONS ...]): struct mesc_scan_rtl mesc_scan_rtl_NAME.
function(mesc_scan_rtl NAME HEADS_FIRST)
  cmake_parse_arguments(M "" "" "OPTIONS" ${ARGN})
  rtl_shim(mesc_scan_${NAME} mesc_scan mesc_pkg mesc_scan_rtl.cpp SOURCES ${mesc_scan_sources}
           PARAMETERS -GHEADS_FIRST=${HEADS_FIRST} ${M_OPTIONS}
           DEFINITIONS SCAN_DESIGN=Vmesc_scan_${NAME} SCAN_HEADS_FIRST=${HEADS_FIRST} SCAN_NAME=mesc_scan_rtl_${NAME}
                       ${M_UNPARSED_ARGUMENTS})
endfunction()
mesc_scan_rtl(in_order 0)
mesc_scan_rtl(heads_first 1)
mesc_scan_rtl(in_order_lines 0 OPTIONS ${rtl_count_lines})

add_library(mesc_scan_lockstep STATIC mesc_scan_lockstep.c mesc_scan_cover.c mesc_scan_random.c mesc_scan_table.c)
target_include_directories(mesc_scan_lockstep PUBLIC ${PROJECT_SOURCE_DIR}/tb ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mesc_scan_lockstep PUBLIC mp_vm rtl_lines)
set_target_properties(mesc_scan_lockstep PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Designs with a fault: a subregion's first page need not be valid; the frame is whole although a subregion does not
# continue the one before it, or only in its permission; after a write the block waits for an answer.
mesc_scan_rtl(fault_valid 0 FILE mesc_scan.sv FROM "head ? rsp_data_i[0] : continues" TO "head ? 1'b1 : continues")
mesc_scan_rtl(fault_whole 0 FILE mesc_scan.sv FROM "(~head | region_q == '0 | continues)" TO "1'b1")
mesc_scan_rtl(fault_permission 0 FILE mesc_scan.sv FROM "region_q == '0 | continues)" TO "region_q == '0 | (rsp_data_i | 64'h4) == (next_q | 64'h4))")
mesc_scan_rtl(fault_sent 0 FILE mesc_scan.sv FROM "mem_ready_i & ~mem_write_o)" TO "mem_ready_i)")

mempath_test(test_mesc_scan_lockstep SOURCES test_mesc_scan_lockstep.c
             LINK mesc_scan_lockstep rtl_mesc_scan_in_order rtl_mesc_scan_heads_first rtl_mesc_scan_fault_valid
                  rtl_mesc_scan_fault_whole rtl_mesc_scan_fault_permission rtl_mesc_scan_fault_sent LABELS rtl)

# The command, with the RTL as it is, and with a library of a faulty one; and a long run.
add_library(mempath-cosim-faulty-mesc-scan MODULE cosim_mesc_scan.c)
target_compile_definitions(mempath-cosim-faulty-mesc-scan PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           mesc_scan_rtl_in_order=mesc_scan_rtl_fault_valid mesc_scan_rtl_in_order_lines=mesc_scan_rtl_fault_valid
                           mesc_scan_rtl_heads_first=mesc_scan_rtl_fault_whole)
target_include_directories(mempath-cosim-faulty-mesc-scan PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-cosim-faulty-mesc-scan PRIVATE mesc_scan_lockstep rtl_mesc_scan_fault_valid rtl_mesc_scan_fault_whole)
set_target_properties(mempath-cosim-faulty-mesc-scan PROPERTIES OUTPUT_NAME mempath-cosim
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faulty_mesc_scan)
add_test(NAME cli_cosim_mesc_scan
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_mesc_scan.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-faulty-mesc-scan>)
set_tests_properties(cli_cosim_mesc_scan PROPERTIES TIMEOUT 300 LABELS "system;rtl")
add_test(NAME rtl_mesc_scan_long
         COMMAND $<TARGET_FILE:mempath> --db ${CMAKE_CURRENT_BINARY_DIR}/mesc_scan_long.db cosim mesc-scan --all --transactions 1000000 --seed 7)
set_tests_properties(rtl_mesc_scan_long PROPERTIES TIMEOUT 3600 LABELS "system;rtl;long")

# Proofs by induction, and a fault for each assertion: the smallest, and all.
if(YOSYS)
  add_test(NAME rtl_proofs_mesc_scan_small
           COMMAND sh ${rtl}/formal/prove_mesc_scan.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_mesc_scan_small listed 2x2)
  set_tests_properties(rtl_proofs_mesc_scan_small PROPERTIES TIMEOUT 300 LABELS rtl)
  add_test(NAME rtl_proofs_mesc_scan COMMAND sh ${rtl}/formal/prove_mesc_scan.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_mesc_scan)
  set_tests_properties(rtl_proofs_mesc_scan PROPERTIES TIMEOUT 1800 LABELS "rtl;long")
endif()
