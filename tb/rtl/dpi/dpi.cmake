# SPDX-License-Identifier: Apache-2.0
# A bench in SystemVerilog that asks the models through DPI-C, as models/dpi/README.md has it for others. Verilator's
# --timing wants the coroutines of C++20, which clang 14 has not.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  return()
endif()
rtl_of(star FILES)
set(dpi_dir ${CMAKE_CURRENT_BINARY_DIR}/star_dpi_bench_sv)
set(dpi_package ${PROJECT_SOURCE_DIR}/models/dpi)
set(dpi_bench ${CMAKE_CURRENT_SOURCE_DIR}/dpi/star_dpi_bench.sv)
add_custom_command(OUTPUT ${dpi_dir}/all.cpp ${dpi_dir}/Vstar_dpi_bench__Dpi.h
  COMMAND ${CMAKE_COMMAND} -DVERILATOR=${VERILATOR} -DRTL=${rtl} "-DFOLDERS=star;common" -DDIR=${dpi_dir} -DNAME=Vstar_dpi_bench -DTOP=star_dpi_bench
          -DPACKAGE=mp_star_pkg "-DPARAMETERS=--exe;--main;--timing;-I${dpi_package}" -DTOP_FILE=${dpi_bench}
          -P ${rtl}/lockstep/verilate.cmake
  DEPENDS ${FILES} ${dpi_bench} ${dpi_package}/mempath_dpi.svh ${rtl}/lockstep/verilate.cmake VERBATIM)
add_executable(star_dpi_bench ${dpi_dir}/all.cpp)
rtl_foreign(star_dpi_bench)
set_target_properties(star_dpi_bench PROPERTIES CXX_STANDARD 20)
target_compile_options(star_dpi_bench PRIVATE -O0) # it runs for less time than optimising it takes
target_link_libraries(star_dpi_bench PRIVATE verilated_simulator mempath-models)

# The header declares what a simulator makes of the package.
add_library(dpi_headers OBJECT dpi/headers.cpp)
target_include_directories(dpi_headers PRIVATE ${dpi_dir} ${PROJECT_SOURCE_DIR}/models)
target_include_directories(dpi_headers SYSTEM PRIVATE ${verilator_root}/include/vltstd)
add_dependencies(dpi_headers star_dpi_bench)

# As it is; with a model that has another stride than the hardware; with one that cannot be.
add_test(NAME rtl_dpi_star COMMAND star_dpi_bench)
add_test(NAME rtl_dpi_star_differs COMMAND sh -c "! $<TARGET_FILE:star_dpi_bench> +model=stride=2 2>&1 && echo refused")
set_tests_properties(rtl_dpi_star_differs PROPERTIES
  PASS_REGULAR_EXPRESSION "star_dpi_bench: .* differs: op .*RTL: action .*the model holds: star.*refused")
add_test(NAME rtl_dpi_star_refused COMMAND sh -c "! $<TARGET_FILE:star_dpi_bench> +model=base_latency=x 2>&1 && echo refused")
set_tests_properties(rtl_dpi_star_refused PROPERTIES
  PASS_REGULAR_EXPRESSION "base_latency: 'x' is not a whole number in range; 0 to 10000.*refused")
set_tests_properties(rtl_dpi_star rtl_dpi_star_differs rtl_dpi_star_refused PROPERTIES LABELS "rtl;dpi")
mempath_test_needs(rtl_dpi_star star_dpi_bench dpi_headers)
mempath_test_needs(rtl_dpi_star_differs star_dpi_bench)
mempath_test_needs(rtl_dpi_star_refused star_dpi_bench)
mempath_long_sanitized(rtl_dpi_star rtl_dpi_star_differs rtl_dpi_star_refused)
