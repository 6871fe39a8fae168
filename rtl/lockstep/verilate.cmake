# SPDX-License-Identifier: Apache-2.0
# Turns FOLDERS of RTL into one C++ file at build time: verilates TOP and PACKAGE with PARAMETERS ("-GMODE=1") as class
# NAME into DIR, and includes all output in DIR/all.cpp. With FILE, FROM and TO it uses a copy of RTL with that text
# replaced in that file: a design with a fault, for tests of the tests. With MUTANTS the design has this number of
# mutants (mutate.cmake). TOP_FILE is TOP's file if it is not in FOLDERS. SETTLED: see the end.
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR})
if(FILE)
  foreach(folder ${FOLDERS})
    file(COPY ${RTL}/${folder} DESTINATION ${DIR}/rtl FILES_MATCHING PATTERN *.sv PATTERN *.svh)
  endforeach()
  set(RTL ${DIR}/rtl)
  file(GLOB_RECURSE path ${RTL}/${FILE})
  file(READ ${path} text)
  string(REPLACE "${FROM}" "${TO}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${FILE}: does not contain '${FROM}'; the fault has to name text that is there")
  endif()
  file(WRITE ${path} "${changed}")
endif()
list(TRANSFORM FOLDERS PREPEND ${RTL}/)
if(NOT TOP_FILE)
  find_file(top_file ${TOP}.sv PATHS ${FOLDERS} NO_DEFAULT_PATH REQUIRED)
  set(TOP_FILE ${top_file})
endif()
# The package is searched in TOP's folder first, as are the modules that TOP instantiates.
get_filename_component(folder ${TOP_FILE} DIRECTORY)
find_file(package_file ${PACKAGE}.sv PATHS ${folder} ${FOLDERS} NO_DEFAULT_PATH REQUIRED)
set(searched "")
foreach(folder ${FOLDERS})
  list(APPEND searched -y ${folder})
endforeach()
if(MUTANTS)
  include(${CMAKE_CURRENT_LIST_DIR}/mutate.cmake)
else()
  set(design --assert ${PARAMETERS} ${searched} ${package_file} ${TOP_FILE})
endif()
execute_process(
  COMMAND ${VERILATOR} --cc -O3 --x-assign unique --x-initial unique --prefix ${NAME} --Mdir ${DIR} --top-module ${TOP}
          ${design}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB sources ${DIR}/*.cpp)
# With SETTLED, what drives the design keeps to Block (block.hpp): at an edge of clk_i no other input changes, and all
# have been evaluated. The logic that depends on inputs never reads clk_i, so it is not evaluated again there; with it,
# mp_star_tlb_set takes 30 % longer. Verilator has no option for this; where the text is another, the design is only slower.
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
