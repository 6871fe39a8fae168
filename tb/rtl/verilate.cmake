# SPDX-License-Identifier: Apache-2.0
# Turns rtl/ into one C++ file at build time: verilates TOP and PACKAGE with PARAMETERS ("-GMODE=1") as class NAME
# into DIR, and includes all output in DIR/all.cpp. With FILE, FROM and TO it uses a copy of rtl/ with that text
# replaced in that file: a design with a fault, for tests of the tests. With MUTANTS the design has this number of
# mutants (mutate.cmake). TOP_FILE is TOP's file if it is not in rtl/. SETTLED: see the end.
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR})
if(FILE)
  file(COPY ${RTL}/ DESTINATION ${DIR}/rtl FILES_MATCHING PATTERN *.sv PATTERN *.svh)
  set(RTL ${DIR}/rtl)
  file(READ ${RTL}/${FILE} text)
  string(REPLACE "${FROM}" "${TO}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "rtl/${FILE}: does not contain '${FROM}'; the fault has to name text that is there")
  endif()
  file(WRITE ${RTL}/${FILE} "${changed}")
endif()
if(NOT TOP_FILE)
  set(TOP_FILE ${RTL}/${TOP}.sv)
endif()
# The package is searched in TOP's folder first, as are the modules that TOP instantiates.
get_filename_component(package_file ${TOP_FILE} DIRECTORY)
set(package_file ${package_file}/${PACKAGE}.sv)
if(NOT EXISTS ${package_file})
  set(package_file ${RTL}/${PACKAGE}.sv)
endif()
if(MUTANTS)
  include(${CMAKE_CURRENT_LIST_DIR}/mutate.cmake)
else()
  set(design --assert ${PARAMETERS} -y ${RTL} ${package_file} ${TOP_FILE})
endif()
execute_process(
  COMMAND ${VERILATOR} --cc -O3 --x-assign unique --x-initial unique --prefix ${NAME} --Mdir ${DIR} --top-module ${TOP}
          ${design}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB sources ${DIR}/*.cpp)
# With SETTLED, what drives the design keeps to Block (block.hpp): at an edge of clk_i no other input changes, and all
# have been evaluated. The logic that depends on inputs never reads clk_i, so it is not evaluated again there; with it,
# star_tlb_set takes 30 % longer. Verilator has no option for this; where the text is another, the design is only slower.
if(SETTLED)
  foreach(s ${sources})
    file(READ ${s} text)
    string(REPLACE "(0U == vlSelf->__VicoIterCount);" "(0U == vlSelf->__VicoIterCount) && !vlSelf->clk_i;" changed "${text}")
    if(NOT changed STREQUAL text)
      file(WRITE ${s} "${changed}")
    endif()
  endforeach()
endif()
set(all "")
foreach(s ${sources})
  string(APPEND all "#include \"${s}\"\n")
endforeach()
file(WRITE ${DIR}/all.cpp "${all}")
