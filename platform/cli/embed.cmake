# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES=db/papers/*.csv -DNAME=NAME_WE -DTABLE=paper_files -DOUT=file.c -P embed.cmake: files as a table of C
# arrays (embedded.h), with their names (NAME) or without what follows the point (NAME_WE). As bytes: ISO C promises string literals of no more than 4095 characters.
set(arrays "")
set(rows "")
file(GLOB files ${FILES})
foreach(f ${files})
  get_filename_component(name ${f} ${NAME})
  string(MAKE_C_IDENTIFIER ${name} array)
  file(READ ${f} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const char file_${array}[] = {${hex}0};\n")
  string(APPEND rows "    {\"${name}\", file_${array}},\n")
endforeach()
file(WRITE ${OUT} "#include \"cli/embedded.h\"\n${arrays}const struct cli_file ${TABLE}[] = {\n${rows}    {0, 0},\n};\n")
