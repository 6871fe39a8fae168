# SPDX-License-Identifier: Apache-2.0
# Writes OUT, a header with the source revision: the commit, and a hash of what was changed since. Runs reuse results
# of the same revision only, so two states of the sources must not share a name.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE revision ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C TZ=UTC
                        git -C ${SOURCE} log -1 "--format=%cd" "--date=format-local:%B %-d, %Y"
                OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  set(revision "unknown")
  string(TIMESTAMP date "%B %d, %Y" UTC) # or SOURCE_DATE_EPOCH
else()
  execute_process(COMMAND git -C ${SOURCE} diff HEAD OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT changes STREQUAL "")
    string(SHA1 hash "${changes}")
    string(SUBSTRING ${hash} 0 8 hash)
    set(revision "${revision}-changed-${hash}")
  endif()
endif()
set(text "/* SPDX-License-Identifier: Apache-2.0 */
/* Generated at build time. */
#define MEMPATH_REVISION   \"${revision}\"
#define MEMPATH_DATE       \"${date}\"
#define MEMPATH_BUILD_TYPE \"${BUILD_TYPE}\"
#define MEMPATH_COMPILER   \"${COMPILER}\"
")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
