# SPDX-License-Identifier: Apache-2.0
# Bugs written by hand (bugs.sh): a name, a class, why a team could make it, a file of the RTL, and what becomes of its
# lines, as a patch says it: lines that go (-), that come (+), and that stay (a blank), all in one place of the file.
#   awk -v list=1 -f bugs.awk FILE.bugs                    prints name, class and file of each
#   awk -v name=NAME -f bugs.awk FILE.bugs RTL_FILE        prints RTL_FILE with the bug
function fail(what) {
    printf "%s: %s\n", FILENAME, what >"/dev/stderr"
    failed = 1
    exit 1
}

function begins_here(at,   i) {
    for (i = 1; i <= froms; i++)
        if (line[at + i] != from[i]) return 0
    return 1
}

FNR == 1 { files++ }

files == 2 { line[++lines] = $0; next }

/^#/ || /^$/ { next }
/^bug / { bug = $2; bugs[bug]++; if (bugs[bug] > 1) fail("bug " bug " is there twice"); next }
/^class / { class = $2; if (class !~ /^(handshake|reset|configuration|state|border|width|tie)$/) fail("bug " bug ": no class '" class "'"); next }
/^why / { why = $0; next }
/^file / { if (list) print bug, class, $2; next }
/^[-+ ]/ {
    if (bug != name) next
    mark = substr($0, 1, 1)
    if (mark != "+") from[++froms] = substr($0, 2)
    if (mark != "-") to[++tos] = substr($0, 2)
    next
}
{ fail("line " FNR " is neither bug, class, why, file nor a line of Verilog with '-', '+' or ' ' before it") }

END {
    if (failed || list) exit failed
    if (!froms) fail("bug " name " names no line that it changes")
    for (i = 0; i <= lines - froms; i++)
        if (begins_here(i)) { found++; place = i }
    if (found != 1) fail("bug " name ": its lines are there " found + 0 " times; once is wanted")
    for (i = 1; i <= place; i++) print line[i]
    for (i = 1; i <= tos; i++) print to[i]
    for (i = place + froms + 1; i <= lines; i++) print line[i]
}
