# SPDX-License-Identifier: Apache-2.0
# RTL inside a run. With 8 sets in place of 128 an application with a small input fills the TLB.
foreach(mode 0 1 2)
  star_rtl(small${mode} ${mode} SETS 8)
endforeach()
add_library(mempath-cosim-small MODULE loop_tlb.c)
target_compile_definitions(mempath-cosim-small PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           star_rtl_mode0=star_rtl_small0 star_rtl_mode1=star_rtl_small1 star_rtl_mode2=star_rtl_small2)
target_include_directories(mempath-cosim-small PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-cosim-small PRIVATE star_lockstep rtl_small0 rtl_small1 rtl_small2)
set_target_properties(mempath-cosim-small PROPERTIES OUTPUT_NAME mempath-cosim
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/small)
add_test(NAME cli_run_rtl
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/run_rtl.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-small> $<TARGET_FILE:mempath-cosim-faulty> $<TARGET_FILE:mempath-cosim-faulty-dws>)
set_tests_properties(cli_run_rtl PROPERTIES TIMEOUT 600 LABELS "system;rtl")
# The same in the GPU that firmware drives.
add_test(NAME soc_rtl
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/soc/rtl.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-faulty>)
set_tests_properties(soc_rtl PROPERTIES TIMEOUT 240 LABELS "soc;rtl" SKIP_RETURN_CODE 77)
