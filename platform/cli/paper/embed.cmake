# SPDX-License-Identifier: Apache-2.0
# cmake -DDIR=db/papers -DOUT=file.c -P embed.cmake: every *.csv as a C array. As bytes: ISO C promises string literals
# of no more than 4095 characters.
set(arrays "")
set(rows "")
file(GLOB files ${DIR}/*.csv)
foreach(f ${files})
  get_filename_component(name ${f} NAME_WE)
  file(READ ${f} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const char file_${name}[] = {${hex}0};\n")
  string(APPEND rows "    {\"${name}\", file_${name}},\n")
endforeach()
file(WRITE ${OUT} "#include \"cli/paper/embedded.h\"\n${arrays}const struct paper_file paper_files[] = {\n${rows}    {0, 0},\n};\n")
