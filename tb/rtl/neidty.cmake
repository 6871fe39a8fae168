# SPDX-License-Identifier: Apache-2.0
# The sizes that are synthesized, and the smallest.
file(STRINGS ${rtl}/synth/bounds.csv sizes REGEX "^neidty-.*,flops,")
list(TRANSFORM sizes REPLACE "^neidty-([0-9]+)x([0-9]+),.*" "\\1/\\2")
foreach(size ${sizes} 2/4)
  string(REPLACE "/" ";" size ${size})
  list(GET size 0 entries)
  list(GET size 1 tag)
  rtl_lint(neidty_directory_${entries}_${tag} neidty_pkg neidty_directory -GENTRIES=${entries} -GTAG_W=${tag})
endforeach()

# ---- lockstep ----

rtl_sources(neidty_sources neidty_directory)

# neidty_rtl(NAME ENTRIES TAG_W [FILE FROM TO]): struct neidty_rtl neidty_rtl_NAME.
function(neidty_rtl NAME ENTRIES TAG_W)
  rtl_shim(neidty_${NAME} neidty_directory neidty_pkg neidty_rtl.cpp SOURCES ${neidty_sources}
           PARAMETERS -GENTRIES=${ENTRIES} -GTAG_W=${TAG_W}
           DEFINITIONS NEIDTY_DESIGN=Vneidty_${NAME} NEIDTY_ENTRIES=${ENTRIES} NEIDTY_TAG_W=${TAG_W}
                       NEIDTY_NAME=neidty_rtl_${NAME} ${ARGN})
  target_link_libraries(rtl_neidty_${NAME} PRIVATE mp_tlb)
endfunction()
neidty_rtl(32_18 32 18)
neidty_rtl(8_8 8 8)
neidty_rtl(128_12 128 12)
# No power of two.
neidty_rtl(3_5 3 5)
rtl_shim(neidty_32_18_lines neidty_directory neidty_pkg neidty_rtl.cpp SOURCES ${neidty_sources}
         PARAMETERS -GENTRIES=32 -GTAG_W=18 ${rtl_count_lines}
         DEFINITIONS NEIDTY_DESIGN=Vneidty_32_18_lines NEIDTY_ENTRIES=32 NEIDTY_TAG_W=18 NEIDTY_NAME=neidty_rtl_32_18_lines)
target_link_libraries(rtl_neidty_32_18_lines PRIVATE mp_tlb)

add_library(neidty_lockstep STATIC neidty_lockstep.c neidty_cover.c neidty_random.c)
target_include_directories(neidty_lockstep PUBLIC ${PROJECT_SOURCE_DIR}/tb ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(neidty_lockstep PUBLIC mp_tlb rtl_lines)
set_target_properties(neidty_lockstep PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Designs with a fault: which entry leaves ignores the own change of the clock; left's new entry is never replaced at once; bits of
# the address space set bits of the tag instead of flipping them.
neidty_rtl(fault_local 8 8 FILE neidty_directory.sv FROM "assign locals     = is_local & alive;" TO "assign locals     = local_q & alive;")
neidty_rtl(fault_new 32 18 FILE neidty_directory.sv FROM "left_stays  = left_new & ~(right_takes & ~any_rest & left_local_i)" TO "left_stays  = left_new")
neidty_rtl(fault_tag 32 18 FILE neidty_tag.sv FROM "^ page_i[neidty_pkg::VpnW+k]" TO "| page_i[neidty_pkg::VpnW+k]")
mempath_test(test_neidty_lockstep SOURCES test_neidty_lockstep.c
             LINK neidty_lockstep rtl_neidty_32_18 rtl_neidty_8_8 rtl_neidty_128_12 rtl_neidty_3_5 rtl_neidty_fault_local rtl_neidty_fault_new
                  rtl_neidty_fault_tag LABELS rtl)

# The command, with the RTL as it is, and with a library of a faulty one.
add_library(mempath-cosim-faulty-neidty MODULE cosim_neidty.c)
target_compile_definitions(mempath-cosim-faulty-neidty PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           neidty_rtl_32_18=neidty_rtl_fault_new neidty_rtl_32_18_lines=neidty_rtl_fault_new)
target_include_directories(mempath-cosim-faulty-neidty PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-cosim-faulty-neidty PRIVATE neidty_lockstep rtl_neidty_fault_new rtl_neidty_8_8 rtl_neidty_128_12 rtl_neidty_3_5)
set_target_properties(mempath-cosim-faulty-neidty PROPERTIES OUTPUT_NAME mempath-cosim
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faulty_neidty)
add_test(NAME cli_cosim_neidty
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_neidty.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-faulty-neidty>)
set_tests_properties(cli_cosim_neidty PROPERTIES TIMEOUT 300 LABELS "system;rtl")

# Proofs by induction, and a fault for each assertion: the smallest, and all.
if(YOSYS)
  add_test(NAME rtl_proofs_neidty_small COMMAND sh ${rtl}/formal/prove_neidty.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_neidty_small listed 2)
  set_tests_properties(rtl_proofs_neidty_small PROPERTIES TIMEOUT 300 LABELS rtl)
  add_test(NAME rtl_proofs_neidty COMMAND sh ${rtl}/formal/prove_neidty.sh ${CMAKE_CURRENT_BINARY_DIR}/prove_neidty)
  set_tests_properties(rtl_proofs_neidty PROPERTIES TIMEOUT 1800 LABELS "rtl;long")
endif()
