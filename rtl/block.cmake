# SPDX-License-Identifier: Apache-2.0
# mempath_rtl_block(): everything that is built of a block in a folder of rtl/.

# rtl_files(VARIABLE ROOM/LIST): the files of a list, and the rules of the ports that they include.
function(rtl_files VARIABLE LIST)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rtl}/${LIST}.f)
  get_filename_component(room ${rtl}/${LIST}.f DIRECTORY)
  file(STRINGS ${rtl}/${LIST}.f files REGEX "\\.sv$")
  set(all "")
  foreach(file ${files})
    get_filename_component(file ${room}/${file} ABSOLUTE)
    list(APPEND all ${file})
    file(STRINGS ${file} included REGEX "`include \"(checks/)?mp_")
    list(TRANSFORM included REPLACE ".*\"(.*)\".*" "${room}/\\1")
    list(APPEND all ${included})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${VARIABLE} ${all} PARENT_SCOPE)
endfunction()

# Generated and third-party code is compiled without our warnings and sanitizers.
function(rtl_foreign TARGET)
  target_compile_options(${TARGET} PRIVATE -w -fno-sanitize=all)
  target_include_directories(${TARGET} SYSTEM PUBLIC ${verilator_root}/include ${verilator_root}/include/vltstd)
  set_target_properties(${TARGET} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# rtl_of(NAME FIELD): what mempath_rtl_block(NAME ...) said, in the variable FIELD.
macro(rtl_of NAME FIELD)
  get_property(${FIELD} GLOBAL PROPERTY MEMPATH_RTL_${NAME}_${FIELD})
endmacro()

# Splits "NAME DESIGN PARAMETER=VALUE ..." of CONFIGS into the variables config, design and parameters.
macro(rtl_config TEXT)
  separate_arguments(parameters UNIX_COMMAND "${TEXT}")
  list(POP_FRONT parameters config design)
  string(REGEX REPLACE "[-/]" "_" config "${config}")
endmacro()

# rtl_shim(BLOCK NAME PARAMETERS [LINES] [FAULT FILE FROM TO | MUTANTS]): library rtl_BLOCK_NAME, which is the block
# Verilated with PARAMETERS ("MODE=1") as a struct KIND_rtl BLOCK_rtl_NAME: as it is, counting executed lines, with a
# text of a file replaced, or with the block's mutants.
function(rtl_shim BLOCK NAME PARAMETERS)
  cmake_parse_arguments(A "LINES;MUTANTS" "" "FAULT" ${ARGN})
  foreach(field ROOM KIND TOP PACKAGE FOLDERS FILES LINK DEFINITIONS SPLIT REACHED FORMAL)
    rtl_of(${BLOCK} ${field})
  endforeach()
  set(dir ${rtl_made}/${BLOCK}_${NAME})
  set(class V${BLOCK}_${NAME})
  set(options ${PARAMETERS})
  list(TRANSFORM options PREPEND -G)
  # Verilator 5.006 splits always_comb blocks so that it would count branches by later values of variables.
  if(A_LINES)
    list(APPEND options --coverage-line -fno-split)
  endif()
  set(file "")
  set(from "")
  set(to "")
  if(A_FAULT)
    list(POP_FRONT A_FAULT file from)
    set(to "${A_FAULT}")
  endif()
  # In the netlist with mutants, logic behind the inputs is evaluated at an edge, too: without that, mesc_tlb stores a
  # wrong permission (verilate.cmake, SETTLED).
  set(settled ON)
  set(scripts ${rtl}/lockstep/verilate.cmake)
  set(mutants "")
  if(A_MUTANTS)
    set(settled OFF)
    set(mutants 400)
    list(APPEND scripts ${rtl}/lockstep/mutate.cmake ${rtl}/lockstep/equal.sh ${rtl}/lockstep/equal.awk ${FORMAL})
  endif()
  # The headers are outputs, too, because the shim must be compiled again when they change.
  add_custom_command(OUTPUT ${dir}/all.cpp ${dir}/${class}.h ${dir}/${class}___024root.h
    COMMAND ${CMAKE_COMMAND} -DVERILATOR=${VERILATOR} -DRTL=${rtl} "-DFOLDERS=${FOLDERS}" -DDIR=${dir} -DNAME=${class} -DTOP=${TOP}
            -DPACKAGE=${PACKAGE} "-DSOURCES=${FILES}" "-DPARAMETERS=${options}" "-DFILE=${file}" "-DFROM=${from}" "-DTO=${to}"
            -DMUTANTS=${mutants} -DSPLIT=${SPLIT} "-DREACHED=${REACHED}" "-DFORMAL=${FORMAL}" -DYOSYS=${YOSYS} -DSETTLED=${settled}
            -P ${rtl}/lockstep/verilate.cmake
    DEPENDS ${FILES} ${scripts} VERBATIM)
  set(target rtl_${BLOCK}_${NAME})
  add_library(verilated_${BLOCK}_${NAME} STATIC ${dir}/all.cpp)
  rtl_foreign(verilated_${BLOCK}_${NAME})
  target_include_directories(verilated_${BLOCK}_${NAME} SYSTEM PUBLIC ${dir})
  target_link_libraries(verilated_${BLOCK}_${NAME} PUBLIC verilated)
  # GCC compiles the designs with -O1 in half the time of -O3, and they are as fast. A design with a fault runs until the
  # fault is found, which takes less time than optimising it.
  if(file STREQUAL "")
    target_compile_options(verilated_${BLOCK}_${NAME} PRIVATE -O1)
  else()
    target_compile_options(verilated_${BLOCK}_${NAME} PRIVATE -O0)
  endif()
  add_library(${target} STATIC ${rtl}/${ROOM}/lockstep/${KIND}_rtl.cpp)
  set(values ${PARAMETERS} ${DEFINITIONS})
  list(TRANSFORM values PREPEND RTL_)
  target_compile_definitions(${target} PRIVATE ${values} RTL_DESIGN=${class} RTL_TOP=${TOP} RTL_NAME=${BLOCK}_rtl_${NAME} RTL_STATE
                                               $<$<BOOL:${mutants}>:RTL_MUTANTS>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC verilated_${BLOCK}_${NAME} PRIVATE ${LINK})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # The shim includes what the other library's build generates.
  add_dependencies(${target} verilated_${BLOCK}_${NAME})
  if(A_MUTANTS) # which take minutes
    set_target_properties(${target} verilated_${BLOCK}_${NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# rtl_session(TARGET TYPE BLOCK DESIGN:LINES:NAME... [DEFINITIONS ...]): the block as the program loads it, with these
# designs, in a library of the TYPE OBJECT or STATIC: struct KIND_rtl BLOCK_rtl_NAME is DESIGN, and counts lines if LINES
# is true.
function(rtl_session TARGET TYPE BLOCK)
  cmake_parse_arguments(A "" "" "DEFINITIONS" ${ARGN})
  foreach(field ROOM KIND SESSION)
    rtl_of(${BLOCK} ${field})
  endforeach()
  set(declared "")
  set(rows "")
  foreach(item ${A_UNPARSED_ARGUMENTS})
    string(REPLACE ":" ";" item ${item})
    list(GET item 0 design)
    list(GET item 1 lines)
    list(GET item 2 name)
    string(APPEND declared "extern const struct ${KIND}_rtl ${BLOCK}_rtl_${name};\n")
    string(APPEND rows "    {${design}, ${lines}, &${BLOCK}_rtl_${name}},\n")
  endforeach()
  set(table ${rtl_made}/${TARGET}.c)
  file(CONFIGURE OUTPUT ${table} CONTENT "/* Generated by rtl_session() of rtl/block.cmake. */
#include \"rtl/${ROOM}/lockstep/${KIND}_rtl.h\"
#include \"rtl/lockstep/built.h\"

${declared}
extern const struct rtl_built ${BLOCK}_built[];
const struct rtl_built ${BLOCK}_built[] = {
${rows}    {0, false, NULL},
};
")
  list(TRANSFORM SESSION PREPEND ${rtl}/${ROOM}/lockstep/)
  add_library(${TARGET} ${TYPE} ${SESSION} ${table})
  target_compile_definitions(${TARGET} PRIVATE RTL_BLOCK=${BLOCK} "VERILATOR_VERSION=\"verilator ${verilator_version}\""
                                               ${MP_RTL_INTERFACE} ${A_DEFINITIONS})
  target_include_directories(${TARGET} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/platform ${PROJECT_SOURCE_DIR}/models)
  target_link_libraries(${TARGET} PRIVATE ${KIND}_lockstep)
  set_target_properties(${TARGET} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# rtl_library(TARGET SESSIONS ... LINK ...): a library that the program loads.
function(rtl_library TARGET)
  cmake_parse_arguments(A "" "" "SESSIONS;LINK" ${ARGN})
  list(TRANSFORM A_SESSIONS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${TARGET} MODULE ${A_SESSIONS})
  target_link_libraries(${TARGET} PRIVATE ${A_LINK})
  set_target_properties(${TARGET} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# mempath_rtl_block(BLOCK ...): a block of the folder rtl/ROOM. It has, in ROOM:
#   TOP.sv, LIST.f            the module, and its files
#   checks/, formal/          rules of its ports, to be bound; proofs
#   cosim.c                   struct cosim_block cosim_BLOCK: modes, configurations that a run draws, and stimuli
#   lockstep/KIND_rtl.cpp     the Verilated module behind a C interface, KIND_rtl.h
#   lockstep/SOURCES          RTL and model in lockstep, library KIND_lockstep
#   lockstep/SESSION          the lockstep as `mempath cosim` loads it, and the block inside a run
#   cost.def                  rows of what `mempath rtl` measures, struct rtl_design
# ROOM     the folder                                            (default: BLOCK)
# KIND     the block whose lockstep this is, too                 (default: BLOCK)
# TOP      the module; PACKAGE: its package; LIST: its file list (default: TOP)
# CONFIGS  designs that are built: "NAME DESIGN PARAMETER=VALUE ..."; NAME is a mode or size of `mempath cosim`, DESIGN
#          the number that cosim.c gives it
# ANY      parameters of any other DESIGN, which a user's block may have: shell words in which $d is the number
# LINES    configurations that are also built to count executed lines; here and in MUTANTS, names have _ for - and /
# STATE    registers and memories that the bench reads, as an expression of grep behind TOP__DOT__; none: it reads ports
# LINK     libraries of models
# MUTANTS  the configuration that gets mutants; REACHED, FORMAL, SPLIT: see mutate.cmake
function(mempath_rtl_block BLOCK)
  cmake_parse_arguments(A "SPLIT" "ROOM;KIND;TOP;PACKAGE;LIST;ANY;STATE;MUTANTS"
                        "CONFIGS;LINES;SOURCES;SESSION;LINK;DEFINITIONS;REACHED;FORMAL" ${ARGN})
  foreach(default ROOM=${BLOCK} KIND=${BLOCK} LIST=${A_TOP})
    string(REPLACE "=" ";" default ${default})
    list(POP_FRONT default name)
    if(NOT A_${name})
      set(A_${name} ${default})
    endif()
  endforeach()
  rtl_files(files ${A_ROOM}/${A_LIST})
  set(folders ${A_ROOM})
  foreach(file ${files})
    string(REGEX REPLACE "^${rtl}/([^/]*)/.*" "\\1" folder ${file})
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(TRANSFORM A_FORMAL REPLACE "(.+)" "${rtl}/${A_ROOM}/formal/\\1.sv")
  set(A_FILES ${files})
  set(A_FOLDERS ${folders})
  foreach(field ROOM KIND TOP PACKAGE LIST FILES FOLDERS CONFIGS ANY STATE LINK SESSION DEFINITIONS MUTANTS SPLIT REACHED FORMAL)
    set_property(GLOBAL PROPERTY MEMPATH_RTL_${BLOCK}_${field} ${A_${field}})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY MEMPATH_RTL_BLOCKS ${BLOCK})
  if(NOT VERILATOR)
    return()
  endif()

  if(A_SOURCES)
    list(TRANSFORM A_SOURCES PREPEND ${rtl}/${A_ROOM}/lockstep/)
    add_library(${A_KIND}_lockstep STATIC ${A_SOURCES})
    target_include_directories(${A_KIND}_lockstep PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/platform)
    target_link_libraries(${A_KIND}_lockstep PUBLIC ${A_LINK} rtl_lines)
    set_target_properties(${A_KIND}_lockstep PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  set(designs "")
  set(libraries ${A_KIND}_lockstep)
  foreach(text ${A_CONFIGS})
    rtl_config("${text}")
    rtl_shim(${BLOCK} ${config} "${parameters}")
    list(APPEND designs ${design}:false:${config})
    list(APPEND libraries rtl_${BLOCK}_${config})
    if(config IN_LIST A_LINES)
      rtl_shim(${BLOCK} ${config}_lines "${parameters}" LINES)
      list(APPEND designs ${design}:true:${config}_lines)
      list(APPEND libraries rtl_${BLOCK}_${config}_lines)
    endif()
    if(A_MUTANTS STREQUAL config AND YOSYS)
      rtl_shim(${BLOCK} mutants "${parameters}" MUTANTS)
      rtl_session(rtl_session_${BLOCK}_mutants OBJECT ${BLOCK} ${design}:false:mutants
                  DEFINITIONS "COSIM_MUTANTS=\"${rtl_made}/${BLOCK}_mutants\"" COSIM_MUTANTS_OF=${design})
      set_target_properties(rtl_session_${BLOCK}_mutants PROPERTIES EXCLUDE_FROM_ALL ON)
      set_property(GLOBAL APPEND PROPERTY MEMPATH_RTL_MUTANTS ${BLOCK})
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY MEMPATH_RTL_${BLOCK}_DESIGNS ${designs})
  set_property(GLOBAL PROPERTY MEMPATH_RTL_${BLOCK}_LIBRARIES ${libraries})
  rtl_session(rtl_session_${BLOCK} OBJECT ${BLOCK} ${designs})
  # Of a library with a single design, which is built on demand (lockstep/own.sh).
  rtl_session(rtl_own_${BLOCK} STATIC ${BLOCK} 0:false:own)
endfunction()
