# SPDX-License-Identifier: Apache-2.0
# Libraries that `cosim` and `run --rtl` build on demand (own.sh): designs that write waves, and foreign blocks. What
# does not depend on the design is compiled here.
find_package(ZLIB REQUIRED) # Verilator's writer of FST
add_library(verilated_fst STATIC ${verilator_root}/include/verilated_fst_c.cpp)
rtl_foreign(verilated_fst)
target_link_libraries(verilated_fst PUBLIC verilated ZLIB::ZLIB)

function(own_library BLOCK)
  cmake_parse_arguments(A "" "KIND" "SOURCES;NAMES" ${ARGN})
  add_library(rtl_own_${BLOCK} STATIC ${A_SOURCES})
  target_compile_definitions(rtl_own_${BLOCK} PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\"")
  foreach(name ${A_NAMES})
    target_compile_definitions(rtl_own_${BLOCK} PRIVATE ${name}=${A_KIND}_rtl_own)
  endforeach()
  target_include_directories(rtl_own_${BLOCK} PRIVATE ${PROJECT_SOURCE_DIR}/platform)
  target_link_libraries(rtl_own_${BLOCK} PRIVATE ${A_KIND}_lockstep)
  set_target_properties(rtl_own_${BLOCK} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
set(star_names star_rtl_mode0 star_rtl_mode1 star_rtl_mode2 star_rtl_mode0_lines star_rtl_mode1_lines star_rtl_mode2_lines
    star_rtl_set0 star_rtl_set1 star_rtl_set2)
own_library(star KIND star SOURCES cosim_star.c loop_tlb.c NAMES ${star_names})
own_library(star_set KIND star SOURCES cosim_star.c NAMES ${star_names})
own_library(dws KIND dws SOURCES cosim_dws.c loop_walks.c NAMES dws_rtl_16_12_2 dws_rtl_16_12_4 dws_rtl_16_12_8 dws_rtl_24_8_8 dws_rtl_5_3_3 dws_rtl_16_12_2_lines)
own_library(neidty KIND neidty SOURCES cosim_neidty.c NAMES neidty_rtl_32_18 neidty_rtl_8_8 neidty_rtl_128_12 neidty_rtl_3_5 neidty_rtl_32_18_lines)
own_library(l1_tlb KIND l1_tlb SOURCES cosim_l1_tlb.c NAMES l1_tlb_rtl_32 l1_tlb_rtl_8 l1_tlb_rtl_5 l1_tlb_rtl_2 l1_tlb_rtl_32_lines)
own_library(mesc_tlb KIND mesc_tlb SOURCES cosim_mesc_tlb.c NAMES mesc_tlb_rtl_mesc mesc_tlb_rtl_page mesc_tlb_rtl_small mesc_tlb_rtl_odd mesc_tlb_rtl_mesc_lines)
own_library(mesc_scan KIND mesc_scan SOURCES cosim_mesc_scan.c NAMES mesc_scan_rtl_in_order mesc_scan_rtl_heads_first mesc_scan_rtl_in_order_lines)

# own.sh with its settings, for the program's folder. <TARGET> is the file of that target.
set(own_targets rtl_own_star rtl_own_star_set rtl_own_dws rtl_own_neidty rtl_own_l1_tlb rtl_own_mesc_tlb rtl_own_mesc_scan star_lockstep
    dws_lockstep neidty_lockstep l1_tlb_lockstep mesc_tlb_lockstep mesc_scan_lockstep rtl_lines mp_tlb mp_walk mp_vm mp_engine verilated verilated_fst)
set(own_settings [[
export STAR_OWN="<rtl_own_star>" STAR_SET_OWN="<rtl_own_star_set>" DWS_OWN="<rtl_own_dws>" NEIDTY_OWN="<rtl_own_neidty>"
export L1_TLB_OWN="<rtl_own_l1_tlb>" MESC_TLB_OWN="<rtl_own_mesc_tlb>" MESC_SCAN_OWN="<rtl_own_mesc_scan>"
export STAR_LIBRARIES="<star_lockstep> <rtl_lines> <mp_tlb> <mp_engine>"
export DWS_LIBRARIES="<dws_lockstep> <rtl_lines> <mp_walk> <mp_vm> <mp_engine>"
export NEIDTY_LIBRARIES="<neidty_lockstep> <rtl_lines> <mp_tlb> <mp_engine>"
export L1_TLB_LIBRARIES="<l1_tlb_lockstep> <rtl_lines> <mp_tlb> <mp_engine>"
export MESC_TLB_LIBRARIES="<mesc_tlb_lockstep> <rtl_lines> <mp_tlb> <mp_engine>"
export MESC_SCAN_LIBRARIES="<mesc_scan_lockstep> <rtl_lines> <mp_vm> <mp_engine>"
export VERILATED="<verilated>" VERILATED_FST="<verilated_fst>"
exec sh "$ROOT/tb/rtl/own.sh" "$@"
]])
set(built "${own_settings}")
set(installed "${own_settings}")
foreach(target ${own_targets})
  string(REPLACE "<${target}>" "$<TARGET_FILE:${target}>" built "${built}")
  string(REPLACE "<${target}>" "$ROOT/own/$<TARGET_FILE_NAME:${target}>" installed "${installed}")
endforeach()
# It compiles Verilated code twice as fast as GCC.
find_program(own_compiler NAMES clang++-14 clang++ ${CMAKE_CXX_COMPILER})
file(GENERATE OUTPUT $<TARGET_FILE_DIR:mempath>/mempath-own-rtl.sh CONTENT "#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
export VERILATOR='${VERILATOR}' VERILATOR_INCLUDE='${verilator_root}/include' CMAKE='${CMAKE_COMMAND}' CXX='${own_compiler}'
export ROOT='${PROJECT_SOURCE_DIR}'
${built}")
# An installation (platform/package) has the libraries in own/, and the tools that it finds. Objects of two Verilators do not fit.
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/installed/mempath-own-rtl.sh CONTENT "#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
export VERILATOR=verilator CMAKE=cmake CXX=c++
command -v clang++-14 >/dev/null && CXX=clang++-14
for tool in verilator cmake c++; do
    command -v $tool >/dev/null || { echo \"error $tool is not installed; the Debian packages verilator, cmake and g++ are needed\" && exit; }
done
found=$(verilator --version | cut -d ' ' -f 2)
[ \"$found\" = ${verilator_version} ] || { echo \"error verilator is of version $found; this mempath needs ${verilator_version}\" && exit; }
VERILATOR_INCLUDE=$(verilator --getenv VERILATOR_ROOT)/include
ROOT=$(dirname -- \"$(readlink -f -- \"$0\")\")
export VERILATOR_INCLUDE ROOT
${installed}")
set(MEMPATH_OWN_RTL ${CMAKE_CURRENT_BINARY_DIR}/installed/mempath-own-rtl.sh CACHE INTERNAL "")
set(MEMPATH_OWN_TARGETS ${own_targets} CACHE INTERNAL "")
add_custom_target(own-rtl DEPENDS mempath rtl_own_star rtl_own_star_set rtl_own_dws rtl_own_neidty rtl_own_l1_tlb rtl_own_mesc_tlb
                  rtl_own_mesc_scan verilated_fst)

foreach(tool fst_show fst_timing)
  add_executable(${tool} ${tool}.c)
  target_link_libraries(${tool} PRIVATE verilated_fst)
  set_target_properties(${tool} PROPERTIES LINKER_LANGUAGE CXX)
endforeach()
foreach(test rtl_refused rtl_rules waves rtl_top)
  add_test(NAME cli_${test}
           COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/${test}.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                   ${rtl} $<TARGET_FILE:fst_show>)
endforeach()
set_tests_properties(cli_rtl_refused cli_rtl_rules PROPERTIES TIMEOUT 300 LABELS "system;rtl")
set_tests_properties(cli_waves cli_rtl_top PROPERTIES TIMEOUT 1800 LABELS "system;rtl;long")

# The timing diagrams in rtl/timing are those of the RTL.
add_test(NAME rtl_timing COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/timing.sh $<TARGET_FILE:mempath> $<TARGET_FILE:fst_timing> ${rtl})
set_tests_properties(rtl_timing PROPERTIES TIMEOUT 900 ENVIRONMENT MEMPATH_CACHE=${PROJECT_BINARY_DIR}/test-cache LABELS "system;rtl;long")
mempath_test_needs(rtl_timing own-rtl fst_timing)

# The same in the GPU that firmware drives.
if(TARGET test_firmware)
  add_test(NAME soc_rtl_top
           COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/soc/rtl_top.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                   ${PROJECT_BINARY_DIR}/tb/platform/soc ${rtl} $<TARGET_FILE:fst_show>)
  set_tests_properties(soc_rtl_top PROPERTIES TIMEOUT 1800 LABELS "soc;rtl;long")
endif()

# Blocks that end, hang and crash.
add_test(NAME cli_cosim_ends
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_ends.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache ${rtl})
set_tests_properties(cli_cosim_ends PROPERTIES TIMEOUT 600 LABELS "system;rtl")

# Bugs written by hand: two of them, and all.
add_test(NAME rtl_bugs_two
         COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/bugs.sh $<TARGET_FILE:mempath> ${rtl} dws/arrival-with-completion dws/epoch-without-reset)
add_test(NAME rtl_bugs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/bugs.sh $<TARGET_FILE:mempath> ${rtl})
set_tests_properties(rtl_bugs_two PROPERTIES TIMEOUT 600 LABELS "system;rtl")
set_tests_properties(rtl_bugs PROPERTIES TIMEOUT 3600 LABELS "system;rtl;long")
