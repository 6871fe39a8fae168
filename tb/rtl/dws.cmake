# SPDX-License-Identifier: Apache-2.0
foreach(size 16/12/2 4/2/2 2/1/2 8/3/3 16/12/4 32/4/8)
  string(REPLACE "/" ";" size ${size})
  list(GET size 0 walkers)
  list(GET size 1 depth)
  list(GET size 2 tenants)
  rtl_lint(dws_scheduler_${walkers}_${depth}_${tenants} dws_pkg dws_scheduler
           -GWALKERS=${walkers} -GDEPTH=${depth} -GTENANTS=${tenants})
endforeach()
rtl_lint(dws_arbiter dws_pkg dws_arbiter)
rtl_lint(dws_scheduler_wide dws_pkg dws_scheduler -GEPOCH_W=12 -GID_W=16)

# Redundant or unread state would vanish in synthesis unseen: the flops are the 192 bits of the paper's tables and the
# 60 beside them (rtl/README.md).
find_program(YOSYS yosys)
if(YOSYS)
  add_test(NAME rtl_flops_dws_arbiter
           COMMAND ${CMAKE_COMMAND} -E env HOME=${CMAKE_CURRENT_BINARY_DIR} ${YOSYS} -q -p
                   "read_verilog -sv ${rtl}/dws_pkg.sv ${rtl}/star_choice.sv ${rtl}/dws_arbiter.sv; \
                    synth -flatten -top dws_arbiter; select -assert-count 252 t:$_*DFF*_")
  set_tests_properties(rtl_flops_dws_arbiter PROPERTIES LABELS rtl)
endif()
