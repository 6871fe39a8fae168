# SPDX-License-Identifier: Apache-2.0
# The examples of mempath commands in a help text (-v kind=help) or a README (-v kind=readme), a line each.
#
# In a help text they are the lines below "Examples:" or "Start with:", indented by two blanks; a description begins
# after two blanks or more. In a README they are the lines of code blocks, indented by four blanks or between fences,
# perhaps after a prompt; a description is a comment of the shell. A backslash at the end continues an example.

function is_command(text)
{
    return text ~ /(^|[|&;] *|^([A-Z_]+=[^ ]* )+)(platform\/)?mempath( |$)/
}

function take(text)
{
    if (text ~ /\\$/) {
        begun = begun substr(text, 1, length(text) - 1)
        return
    }
    text = begun text
    begun = ""
    sub(/ +#.*$/, "", text)
    gsub(/  +/, " ", text)
    sub(/ $/, "", text)
    if (is_command(text))
        print text
}

kind == "help" && /^(Examples|Start with):$/ { inside = 1; next }
kind == "help" && /^$/ { inside = 0 }
kind == "help" && inside && (begun != "" || /^  [^ ]/) {
    text = substr($0, 3)
    if (begun == "" && match(text, /[^ ]  +/))
        text = substr(text, 1, RSTART)
    take(text)
}

kind == "readme" && /^ *```/ { fenced = !fenced; next }
kind == "readme" && (fenced || begun != "" || /^    /) {
    text = $0
    sub(/^ +/, "", text)
    sub(/^\$ /, "", text)
    take(text)
}
