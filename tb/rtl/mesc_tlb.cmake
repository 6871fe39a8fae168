# SPDX-License-Identifier: Apache-2.0
foreach(size 32/16/8 32/16/0 2/4/2 8/5/4 4/16/16)
  string(REPLACE "/" ";" size ${size})
  list(GET size 0 sets)
  list(GET size 1 ways)
  list(GET size 2 sub_ways)
  rtl_lint(mesc_tlb_${sets}_${ways}_${sub_ways} mesc_tlb_pkg mesc_tlb -GSETS=${sets} -GWAYS=${ways} -GSUB_WAYS=${sub_ways})
endforeach()
rtl_lint(mesc_tlb_set mesc_tlb_pkg mesc_tlb_set)
rtl_lint(mesc_tlb_set_0 mesc_tlb_pkg mesc_tlb_set -GSUB_WAYS=0)

# ---- lockstep ----

rtl_sources(mesc_tlb_sources mesc_tlb)

# mesc_tlb_rtl(NAME SETS WAYS SUB_WAYS [FILE FROM TO] [OPTIONS ...]): struct mesc_tlb_rtl mesc_tlb_rtl_NAME.
function(mesc_tlb_rtl NAME SETS WAYS SUB_WAYS)
  cmake_parse_arguments(M "" "" "OPTIONS" ${ARGN})
  rtl_shim(mesc_tlb_${NAME} mesc_tlb mesc_tlb_pkg mesc_tlb_rtl.cpp SOURCES ${mesc_tlb_sources}
           PARAMETERS -GSETS=${SETS} -GWAYS=${WAYS} -GSUB_WAYS=${SUB_WAYS} ${M_OPTIONS}
           DEFINITIONS MESC_DESIGN=Vmesc_tlb_${NAME} MESC_SETS=${SETS} MESC_WAYS=${WAYS} MESC_SUB_WAYS=${SUB_WAYS}
                       MESC_NAME=mesc_tlb_rtl_${NAME} ${M_UNPARSED_ARGUMENTS})
endfunction()
mesc_tlb_rtl(mesc 32 16 8)
mesc_tlb_rtl(page 32 16 0)
mesc_tlb_rtl(small 2 4 2)
mesc_tlb_rtl(odd 8 5 4)
mesc_tlb_rtl(mesc_lines 32 16 8 OPTIONS ${rtl_count_lines})

add_library(mesc_tlb_lockstep STATIC mesc_tlb_lockstep.c mesc_tlb_cover.c mesc_tlb_random.c)
target_include_directories(mesc_tlb_lockstep PUBLIC ${PROJECT_SOURCE_DIR}/tb ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mesc_tlb_lockstep PUBLIC mp_tlb rtl_lines)
set_target_properties(mesc_tlb_lockstep PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Designs with a fault: a lookup does not see the last subregion of an entry; subregion entries use all ways; a shorter
# entry stays if a longer one comes; a lookup of a page and of its entry of subregions takes the wrong frame.
mesc_tlb_rtl(fault_range 32 16 8 FILE mesc_tlb_set.sv FROM "first <= last_q & last >= first_q" TO "first <= last_q & last > first_q")
mesc_tlb_rtl(fault_partition 2 4 2 FILE mesc_tlb_set.sv FROM "may_use[w] = ~sub_q" TO "may_use[w] = 1'b1")
mesc_tlb_rtl(fault_covered 32 16 8 FILE mesc_tlb_set.sv FROM "(~alike | (covered & ~covers))" TO "~alike")
mesc_tlb_rtl(fault_newest 2 4 2 FILE mesc_tlb_set.sv FROM "(found_q & newest) != '0 ? newest : lowest" TO "lowest")
mempath_test(test_mesc_tlb_lockstep SOURCES test_mesc_tlb_lockstep.c
             LINK mesc_tlb_lockstep rtl_mesc_tlb_mesc rtl_mesc_tlb_page rtl_mesc_tlb_small rtl_mesc_tlb_odd rtl_mesc_tlb_fault_range
                  rtl_mesc_tlb_fault_partition rtl_mesc_tlb_fault_covered rtl_mesc_tlb_fault_newest LABELS rtl)

# The command, with the RTL as it is, and with a library of a faulty one; and a long run.
add_library(mempath-cosim-faulty-mesc-tlb MODULE cosim_mesc_tlb.c)
target_compile_definitions(mempath-cosim-faulty-mesc-tlb PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           mesc_tlb_rtl_mesc=mesc_tlb_rtl_fault_covered mesc_tlb_rtl_mesc_lines=mesc_tlb_rtl_fault_covered)
target_include_directories(mempath-cosim-faulty-mesc-tlb PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-cosim-faulty-mesc-tlb PRIVATE mesc_tlb_lockstep rtl_mesc_tlb_fault_covered rtl_mesc_tlb_page rtl_mesc_tlb_small rtl_mesc_tlb_odd)
set_target_properties(mempath-cosim-faulty-mesc-tlb PROPERTIES OUTPUT_NAME mempath-cosim
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faulty_mesc_tlb)
add_test(NAME cli_cosim_mesc_tlb
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_mesc_tlb.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-faulty-mesc-tlb>)
set_tests_properties(cli_cosim_mesc_tlb PROPERTIES TIMEOUT 300 LABELS "system;rtl")
add_test(NAME rtl_mesc_tlb_long
         COMMAND $<TARGET_FILE:mempath> --db ${CMAKE_CURRENT_BINARY_DIR}/mesc_tlb_long.db cosim mesc-tlb --all --transactions 20000000 --seed 7)
set_tests_properties(rtl_mesc_tlb_long PROPERTIES TIMEOUT 3600 LABELS "system;rtl;long")

# Proofs, and a fault for each assertion: the protocol alone, and all.
if(YOSYS)
  add_test(NAME rtl_proofs_mesc_tlb_small
           COMMAND sh ${rtl}/formal/prove_mesc_tlb.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_mesc_tlb_small listed mesc-page)
  set_tests_properties(rtl_proofs_mesc_tlb_small PROPERTIES TIMEOUT 300 LABELS rtl)
  add_test(NAME rtl_proofs_mesc_tlb COMMAND sh ${rtl}/formal/prove_mesc_tlb.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_mesc_tlb)
  set_tests_properties(rtl_proofs_mesc_tlb PROPERTIES TIMEOUT 3600 LABELS "rtl;long")
endif()
