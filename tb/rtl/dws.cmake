# SPDX-License-Identifier: Apache-2.0
foreach(size 16/12/2 4/2/2 2/1/2 5/3/3 8/3/3 16/12/4 16/12/8 24/8/8 32/4/8)
  string(REPLACE "/" ";" size ${size})
  list(GET size 0 walkers)
  list(GET size 1 depth)
  list(GET size 2 tenants)
  rtl_lint(dws_scheduler_${walkers}_${depth}_${tenants} dws_pkg dws_scheduler
           -GWALKERS=${walkers} -GDEPTH=${depth} -GTENANTS=${tenants})
endforeach()
rtl_lint(dws_arbiter dws_pkg dws_arbiter)
rtl_lint(dws_scheduler_wide dws_pkg dws_scheduler -GEPOCH_W=12 -GID_W=16)

# Synthesis would remove redundant or unread state silently: the flops are the 192 bits of the paper's tables and 60
# others (rtl/README.md).
if(YOSYS)
  add_test(NAME rtl_flops_dws_arbiter
           COMMAND ${CMAKE_COMMAND} -E env HOME=${CMAKE_CURRENT_BINARY_DIR} ${YOSYS} -q -p
                   "read_verilog -sv ${rtl}/dws_pkg.sv ${rtl}/star_choice.sv ${rtl}/dws_arbiter.sv; \
                    synth -flatten -top dws_arbiter; select -assert-count 252 t:$_*DFF*_")
  set_tests_properties(rtl_flops_dws_arbiter PROPERTIES LABELS rtl)
endif()

# ---- lockstep ----

rtl_sources(dws_sources dws_scheduler ${rtl}/dws_parameters.svh ${rtl}/dws_ports.svh)

# dws_rtl(NAME WALKERS DEPTH TENANTS ID_W [FILE FROM TO]): struct dws_rtl dws_rtl_NAME.
function(dws_rtl NAME WALKERS DEPTH TENANTS ID_W)
  rtl_shim(dws_${NAME} dws_scheduler dws_pkg dws_rtl.cpp SOURCES ${dws_sources}
           PARAMETERS -GWALKERS=${WALKERS} -GDEPTH=${DEPTH} -GTENANTS=${TENANTS} -GID_W=${ID_W}
           DEFINITIONS DWS_DESIGN=Vdws_${NAME} DWS_WALKERS=${WALKERS} DWS_DEPTH=${DEPTH} DWS_TENANTS=${TENANTS}
                       DWS_ID_BITS=${ID_W} DWS_NAME=dws_rtl_${NAME} ${ARGN})
  target_link_libraries(rtl_dws_${NAME} PRIVATE mp_walk)
endfunction()
dws_rtl(16_12_2 16 12 2 8)
rtl_shim(dws_16_12_2_lines dws_scheduler dws_pkg dws_rtl.cpp SOURCES ${dws_sources}
         PARAMETERS -GWALKERS=16 -GDEPTH=12 -GTENANTS=2 -GID_W=8 ${rtl_count_lines}
         DEFINITIONS DWS_DESIGN=Vdws_16_12_2_lines DWS_WALKERS=16 DWS_DEPTH=12 DWS_TENANTS=2 DWS_ID_BITS=8
                     DWS_NAME=dws_rtl_16_12_2_lines)
target_link_libraries(rtl_dws_16_12_2_lines PRIVATE mp_walk)
dws_rtl(16_12_4 16 12 4 8)
# Of MIG instances with two and three slices, which serve eight address spaces.
dws_rtl(16_12_8 16 12 8 8)
dws_rtl(24_8_8 24 8 8 8)
# No power of two.
dws_rtl(5_3_3 5 3 3 5)
dws_rtl(4_2_2 4 2 2 4)
dws_rtl(8_3_3 8 3 3 6)

add_library(dws_lockstep STATIC dws_lockstep.c dws_cover.c dws_aim.c dws_random.c dws_state.c dws_walks.c)
target_include_directories(dws_lockstep PUBLIC ${PROJECT_SOURCE_DIR}/tb ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(dws_lockstep PUBLIC mp_walk rtl_lines)
set_target_properties(dws_lockstep PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Designs with a fault: a difference equal to DIFF_THRES is enough; a queue's end is one place too far once its head
# has moved; is_stolen is inverted for an arrival on an idle walker.
dws_rtl(fault_threshold 16 12 2 8 FILE dws_arbiter.sv FROM "more > COUNT_W'(diff_thres_q)" TO "more >= COUNT_W'(diff_thres_q)")
dws_rtl(fault_queues 16 12 2 8 FILE walk_queues.sv FROM "next >= SLOT_W'(DEPTH)" TO "next >= SLOT_W'(DEPTH) + SLOT_W'(push_i)")
dws_rtl(fault_stolen 16 12 2 8 FILE dws_arbiter.sv FROM "(choice_q & mine) == '0" TO "(choice_q & mine) != '0")
mempath_test(test_dws_lockstep SOURCES test_dws_lockstep.c
             LINK dws_lockstep rtl_dws_16_12_2 rtl_dws_4_2_2 rtl_dws_8_3_3 rtl_dws_5_3_3
                  rtl_dws_fault_threshold rtl_dws_fault_queues rtl_dws_fault_stolen LABELS rtl)

# The command: with the RTL as it is, and with a library of a faulty one.
add_library(mempath-cosim-faulty-dws MODULE cosim_dws.c loop_walks.c)
target_compile_definitions(mempath-cosim-faulty-dws PRIVATE "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                           dws_rtl_16_12_2=dws_rtl_fault_threshold
                           dws_rtl_16_12_2_lines=dws_rtl_fault_threshold)
target_include_directories(mempath-cosim-faulty-dws PRIVATE ${PROJECT_SOURCE_DIR}/platform)
target_link_libraries(mempath-cosim-faulty-dws PRIVATE dws_lockstep rtl_dws_fault_threshold rtl_dws_16_12_4 rtl_dws_16_12_8
                      rtl_dws_24_8_8 rtl_dws_5_3_3)
set_target_properties(mempath-cosim-faulty-dws PROPERTIES OUTPUT_NAME mempath-cosim
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faulty_dws)
add_test(NAME cli_cosim_dws
         COMMAND sh ${PROJECT_SOURCE_DIR}/tb/platform/cli/cosim_dws.sh $<TARGET_FILE:mempath> ${PROJECT_BINARY_DIR}/test-cache
                 $<TARGET_FILE:mempath-cosim-faulty-dws>)
set_tests_properties(cli_cosim_dws PROPERTIES TIMEOUT 300 LABELS "system;rtl")

# The output of a proof that fails. Then the unbounded proofs, and a fault for each assertion: some minutes.
if(YOSYS)
  add_test(NAME rtl_counterexample
           COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/counterexample.sh ${rtl} ${CMAKE_CURRENT_BINARY_DIR}/counterexample)
  set_tests_properties(rtl_counterexample PROPERTIES TIMEOUT 300 LABELS rtl)
  add_test(NAME rtl_proofs_dws_arbiter COMMAND sh ${rtl}/formal/prove.sh ${CMAKE_CURRENT_BINARY_DIR}/prove)
  set_tests_properties(rtl_proofs_dws_arbiter PROPERTIES TIMEOUT 1800 LABELS "rtl;long")
endif()
