# SPDX-License-Identifier: Apache-2.0
# cmake -DDIR=new -DOUT=file.c -P embed.cmake: every file as a C array, as in paper/embed.cmake.
set(arrays "")
set(rows "")
file(GLOB files ${DIR}/*)
foreach(f ${files})
  get_filename_component(name ${f} NAME)
  string(MAKE_C_IDENTIFIER ${name} array)
  file(READ ${f} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const char file_${array}[] = {${hex}0};\n")
  string(APPEND rows "    {\"${name}\", file_${array}},\n")
endforeach()
file(WRITE ${OUT} "#include \"cli/plugin/new.h\"\n${arrays}const struct plugin_file plugin_files[] = {\n${rows}    {0, 0},\n};\n")
