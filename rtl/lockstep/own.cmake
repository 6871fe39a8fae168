# SPDX-License-Identifier: Apache-2.0
# Libraries that `cosim` and `run --rtl` build on demand (own.sh): designs that write waves, and foreign blocks. What
# does not depend on the design is compiled here.
find_package(ZLIB REQUIRED) # Verilator's writer of FST
add_library(verilated_fst STATIC ${verilator_root}/include/verilated_fst_c.cpp)
rtl_foreign(verilated_fst)
target_link_libraries(verilated_fst PUBLIC verilated ZLIB::ZLIB)

# The blocks for scripts, mempath-rtl-blocks in the program's folder: a line for each design, with fields between tabs.
# DESIGN * is any other one. <TARGET> is the file of that target.
get_property(blocks GLOBAL PROPERTY MEMPATH_RTL_BLOCKS)
set(table "# block\tmode or size\tdesign\tkind\ttop\tpackage\tfolders of rtl/\tparameters\tof the bench\town library\tother libraries\tstate\n")
set(own_targets rtl_lines verilated verilated_fst mp_engine)
foreach(block ${blocks})
  foreach(field ROOM KIND TOP PACKAGE FOLDERS CONFIGS ANY STATE LINK DEFINITIONS)
    rtl_of(${block} ${field})
  endforeach()
  string(REPLACE "_" "-" name ${block})
  list(JOIN FOLDERS " " FOLDERS)
  list(APPEND own_targets rtl_own_${block} ${KIND}_lockstep ${LINK})
  list(TRANSFORM LINK REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE linked)
  list(JOIN linked " " linked)
  if(ANY)
    list(APPEND CONFIGS "* * ${ANY}")
  endif()
  foreach(config ${CONFIGS})
    string(REGEX REPLACE "^([^ ]+) ([^ ]+) (.*)$" "\\1\t\\2\t${KIND}\t${TOP}\t${PACKAGE}\t${FOLDERS}\t\\3" config "${config}")
    string(APPEND table "${name}\t${config}\t${DEFINITIONS} \t<rtl_own_${block}>\t<${KIND}_lockstep> <rtl_lines> ${linked} <mp_engine>\t${STATE}\n")
  endforeach()
endforeach()
list(REMOVE_DUPLICATES own_targets)
set(settings [[
export VERILATED="<verilated>" VERILATED_FST="<verilated_fst>" BLOCKS="$(dirname -- "$(readlink -f -- "$0")")/mempath-rtl-blocks"
exec sh "$ROOT/rtl/lockstep/own.sh" "$@"
]])
foreach(text table settings)
  set(${text}_built "${${text}}")
  set(${text}_installed "${${text}}")
  foreach(target ${own_targets})
    string(REPLACE "<${target}>" "$<TARGET_FILE:${target}>" ${text}_built "${${text}_built}")
    string(REPLACE "<${target}>" "$ROOT/own/$<TARGET_FILE_NAME:${target}>" ${text}_installed "${${text}_installed}")
  endforeach()
endforeach()
# It compiles Verilated code twice as fast as GCC.
find_program(own_compiler NAMES clang++-14 clang++ ${CMAKE_CXX_COMPILER})
file(GENERATE OUTPUT $<TARGET_FILE_DIR:mempath>/mempath-rtl-blocks CONTENT "${table_built}")
file(GENERATE OUTPUT $<TARGET_FILE_DIR:mempath>/mempath-own-rtl.sh CONTENT "#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
export VERILATOR='${VERILATOR}' VERILATOR_INCLUDE='${verilator_root}/include' CMAKE='${CMAKE_COMMAND}' CXX='${own_compiler}'
export ROOT='${PROJECT_SOURCE_DIR}'
${settings_built}")
# An installation (platform/package) has the libraries in own/, and the tools that it finds. Objects of two Verilators
# do not fit.
set(installed ${rtl_made}/installed)
file(GENERATE OUTPUT ${installed}/mempath-rtl-blocks CONTENT "${table_installed}")
file(GENERATE OUTPUT ${installed}/mempath-own-rtl.sh CONTENT "#!/bin/sh
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
${settings_installed}")
set(MEMPATH_OWN_RTL ${installed} CACHE INTERNAL "")
set(MEMPATH_OWN_TARGETS ${own_targets} CACHE INTERNAL "")
list(TRANSFORM blocks PREPEND rtl_own_)
add_custom_target(own-rtl DEPENDS mempath ${blocks} verilated_fst)
