# SPDX-License-Identifier: Apache-2.0
rtl_lint(l1_tlb_16 neidty_pkg l1_tlb -GENTRIES=16)

# ---- lockstep ----

rtl_sources(l1_tlb_sources l1_tlb)

# l1_tlb_rtl(NAME ENTRIES [FILE FROM TO]): struct l1_tlb_rtl l1_tlb_rtl_NAME.
function(l1_tlb_rtl NAME ENTRIES)
  cmake_parse_arguments(L "" "" "OPTIONS" ${ARGN})
  rtl_shim(l1_tlb_${NAME} l1_tlb neidty_pkg l1_tlb_rtl.cpp SOURCES ${l1_tlb_sources}
           PARAMETERS -GENTRIES=${ENTRIES} ${L_OPTIONS}
           DEFINITIONS L1_TLB_DESIGN=Vl1_tlb_${NAME} L1_TLB_ENTRIES=${ENTRIES} L1_TLB_NAME=l1_tlb_rtl_${NAME} ${L_UNPARSED_ARGUMENTS})
endfunction()
foreach(entries 32 8 5 2)
  l1_tlb_rtl(${entries} ${entries})
endforeach()
l1_tlb_rtl(32_lines 32 OPTIONS ${rtl_count_lines})

add_library(l1_tlb_lockstep STATIC l1_tlb_lockstep.c l1_tlb_cover.c l1_tlb_random.c)
target_include_directories(l1_tlb_lockstep PUBLIC ${PROJECT_SOURCE_DIR}/tb ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(l1_tlb_lockstep PUBLIC mp_tlb rtl_lines)
set_target_properties(l1_tlb_lockstep PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Designs with a fault: the use by a lookup is lost if a page is dropped that is not there; a bit of a page is not compared.
l1_tlb_rtl(fault_use 2 FILE l1_tlb.sv FROM "(found & moved) == '0" TO "~((insert_i | drop_i) & |(found & way))")
l1_tlb_rtl(fault_bit 32 FILE l1_tlb.sv FROM "page_q[i*PAGE_W+:PAGE_W] == page_i" TO "page_q[i*PAGE_W+:PAGE_W-1] == page_i[PAGE_W-2:0]")
mempath_test(test_l1_tlb_lockstep SOURCES test_l1_tlb_lockstep.c
             LINK l1_tlb_lockstep rtl_l1_tlb_32 rtl_l1_tlb_8 rtl_l1_tlb_5 rtl_l1_tlb_2 rtl_l1_tlb_fault_use rtl_l1_tlb_fault_bit LABELS rtl)

# The command, with the RTL as it is, and with a library of a faulty one.
add_library(mempath-cosim-faulty-l1-tlb MODULE cosim_l1_tlb.c)
target_compile_definitions(mempath-cosim-faulty-l1-tlb PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           l1_tlb_rtl_2=l1_tlb_rtl_fault_use l1_tlb_rtl_32_lines=l1_tlb_rtl_32)
target_include_directories(mempath-cosim-faulty-l1-tlb PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-cosim-faulty-l1-tlb PRIVATE l1_tlb_lockstep rtl_l1_tlb_fault_use rtl_l1_tlb_32 rtl_l1_tlb_8 rtl_l1_tlb_5)
set_target_properties(mempath-cosim-faulty-l1-tlb PROPERTIES OUTPUT_NAME mempath-cosim
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faulty_l1_tlb)
add_test(NAME cli_cosim_l1_tlb
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_l1_tlb.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-faulty-l1-tlb>)
set_tests_properties(cli_cosim_l1_tlb PROPERTIES TIMEOUT 300 LABELS "system;rtl")

# Proofs by induction, and a fault for each assertion: the smaller ones, and all.
if(YOSYS)
  add_test(NAME rtl_proofs_l1_tlb_small COMMAND sh ${rtl}/formal/prove_l1_tlb.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_l1_tlb_small listed 2 3)
  set_tests_properties(rtl_proofs_l1_tlb_small PROPERTIES TIMEOUT 300 LABELS rtl)
  add_test(NAME rtl_proofs_l1_tlb COMMAND sh ${rtl}/formal/prove_l1_tlb.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_l1_tlb)
  set_tests_properties(rtl_proofs_l1_tlb PROPERTIES TIMEOUT 1800 LABELS "rtl;long")
endif()
