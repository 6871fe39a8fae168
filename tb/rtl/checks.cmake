# SPDX-License-Identifier: Apache-2.0
# The rules of the ports (rtl/checks), without our bench: lint, at more sizes than the defaults, and a block that breaks
# each rule.
function(rtl_checks BLOCK PACKAGE)
  rtl_lint(${BLOCK}_checks ${PACKAGE} ${BLOCK}_checks)
  if(ARGN)
    rtl_lint(${BLOCK}_checks_size ${PACKAGE} ${BLOCK}_checks ${ARGN})
  endif()
  add_test(NAME rtl_checks_${BLOCK} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/checks.sh ${rtl} ${VERILATOR} ${BLOCK})
  set_tests_properties(rtl_checks_${BLOCK} PROPERTIES TIMEOUT 300 LABELS rtl)
  mempath_test_needs(rtl_checks_${BLOCK})
endfunction()
rtl_checks(l1_tlb neidty_pkg -GFRAME_W=8)
rtl_checks(mesc_scan mesc_pkg)
rtl_checks(neidty_directory neidty_pkg)
rtl_checks(star_tlb star_pkg -GSETS=4 -GWAYS=2)
rtl_checks(star_tlb_set star_pkg -GMODE=2 -GWAYS=2)
rtl_checks(mesc_tlb mesc_tlb_pkg -GWAYS=5)
rtl_checks(dws_scheduler dws_pkg -GWALKERS=24 -GDEPTH=8 -GTENANTS=8)
