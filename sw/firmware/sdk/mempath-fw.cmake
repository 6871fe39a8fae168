# SPDX-License-Identifier: Apache-2.0
# mempath_firmware_image(NAME SOURCE...): builds NAME.elf for the management core, in the current build folder, from
# these sources and libmempath-fw.a. The project needs no languages: project(mine NONE).
set(MEMPATH_FW ${CMAKE_CURRENT_LIST_DIR})
function(mempath_firmware_image NAME)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  file(GLOB_RECURSE parts ${MEMPATH_FW}/lib/* ${MEMPATH_FW}/include/*)
  add_custom_command(OUTPUT ${NAME}.elf
    COMMAND ${MEMPATH_FW}/build.sh ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.elf ${sources}
    DEPENDS ${sources} ${parts} COMMENT "Firmware ${NAME}.elf" VERBATIM)
  add_custom_target(${NAME} ALL DEPENDS ${NAME}.elf)
endfunction()
