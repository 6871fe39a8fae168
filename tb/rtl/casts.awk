# SPDX-License-Identifier: Apache-2.0
# Prints each cast of SystemVerilog files that contains arithmetic of signals (rtl/README.md, Style). Arithmetic of
# constants, in capital letters, may be in a cast, and so may that of an index. Exit code 1 if there is one.
#   awk -f casts.awk FILE.sv...
function check(number, argument,    i, depth, bare) {
    for (i = 1; i <= length(argument); i++) {
        if (substr(argument, i, 1) == "[") depth++
        if (!depth) bare = bare substr(argument, i, 1)
        if (substr(argument, i, 1) == "]") depth--
    }
    if (bare ~ /[-+*~]|<</ && bare ~ /[a-z]/) {
        printf "%s:%d: arithmetic in a cast: '(%s)\n", FILENAME, number, argument
        found = 1
    }
}

FNR == 1 { depth = 0; before = "" }

{
    line = $0
    gsub(/"[^"]*"/, "", line)
    sub(/\/\/.*/, "", line)
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "(") {
            is_cast[++depth] = before == "'"
            text[depth] = ""
            where[depth] = FNR
        } else if (c == ")" && depth) {
            if (is_cast[depth]) check(where[depth], text[depth])
            inner = "(" text[depth] ")"
            text[--depth] = text[depth] inner
        } else if (depth) {
            text[depth] = text[depth] c
        }
        before = c
    }
}

END { exit found }
