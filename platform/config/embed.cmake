# SPDX-License-Identifier: Apache-2.0
# Writes OUT, a C file with every YAML file below PLATFORM/presets and PLATFORM/experiments: machines first, then
# experiments, each group in natural order (w2 before w10).
set(arrays "")
set(rows "")
set(n 0)
foreach(folder presets experiments)
  file(GLOB_RECURSE files RELATIVE ${PLATFORM}/${folder} ${PLATFORM}/${folder}/*.yaml)
  list(SORT files COMPARE NATURAL)
  foreach(file ${files})
    file(READ ${PLATFORM}/${folder}/${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "\\.yaml$" "" name ${file})
    string(APPEND arrays "static const char file_${n}[] = {${bytes}0};\n")
    string(APPEND rows
           "    {\"${name}\", \"platform/${folder}/${file}\", file_${n}, sizeof file_${n} - 1},\n")
    math(EXPR n "${n} + 1")
  endforeach()
endforeach()
file(WRITE ${OUT} "/* Made by platform/config/embed.cmake. */
#include \"config/internal.h\"

${arrays}
const struct mp_shipped mp_shipped[] = {
${rows}};
const unsigned mp_nshipped = sizeof mp_shipped / sizeof mp_shipped[0];
")
