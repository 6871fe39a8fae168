#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `platform/mempath test` builds for a test only what mempath_test_needs() names. For each test that is everything which
# the test takes from the build: the files in its command; the images that its script names of a folder in its command;
# the library of RTL if its script runs RTL. A script that leaves such a folder through .. uses what nobody has named.
# usage: needs.sh BUILD
set -u
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build" || exit 1
failed=0

bad() {
    printf 'FAILED: %s\n' "$*" >&2
    failed=1
}

# Paths are relative to the build folder from here on: what ninja makes, and "TEST<tab>argument" of all commands.
ninja -t targets all | sed "s|: [^ ]*\$||; s|^$build/||" | sort -u >"$work/made"
find . -name CTestTestfile.cmake -exec sed -n 's/^add_test(\[=\[\(.*\)\]=\] \(".*"\))$/\1 \2/p' {} + |
    awk -F '"' -v OFS='\t' '{ sub(/ .*/, "", $1); for (i = 2; i < NF; i += 2) print $1, $i }' >"$work/arguments"
[ "$(wc -l <"$work/arguments")" -ge 500 ] || bad "only $(wc -l <"$work/arguments") arguments of tests"

# Of each script, the images that it names, and "rtl" if it runs RTL: "SCRIPT<tab>WORD".
cut -f 2 "$work/arguments" | grep '/tb/.*[.]sh$' | sort -u >"$work/scripts"
while read -r script; do
    {
        grep -o '[a-z_]*[.]elf' "$script"
        grep -E '(^|[ "])cosim [a-z"$]|--rtl(-shadow|-top)? ' "$script" |
            grep -Ev '^ *(#|for |json )|refused|grep|--help|--list|(^|[ "])(rtl|replay) [a-z"$]' | sed 's/.*/rtl/'
    } | sort -u | sed "s|^|$script	|"
done <"$work/scripts" >"$work/words"

# "TEST<tab>FILE" of what each test uses.
awk -F '\t' -v OFS='\t' -v build="$build/" '
    FILENAME ~ /made$/ { made[$1] = 1; next }
    FILENAME ~ /words$/ { words[$1] = words[$1] " " $2; next }
    { sub("^" build, "", $2) }
    $2 in made { print }
    $1 != test { test = $1; named = "" }
    $2 in words { named = words[$2] }
    {
        n = split(named, word, " ")
        for (i = 1; i <= n; i++) {
            file = word[i] == "rtl" ? "platform/cli/libmempath-cosim.so" : $2 "/" word[i]
            if (file in made) print test, file
        }
    }' "$work/made" "$work/words" "$work/arguments" | sort -u >"$work/uses"

# All files on the way to the named targets, once for each list of targets: "LIST<tab>FILE". A test without a list is built
# with everything, one with an empty list builds what it needs itself, and a test's program is in its list.
awk 'NR == FNR { name = $1; sub(/^[^ ]* */, ""); needs[name] = $0; known[name] = 1; next }
    known[$1] && needs[$1] != "" { file = $2; sub(/.*\//, "", file); if (!index(" " needs[$1] " ", " " file " ")) print needs[$1] "\t" $1 "\t" $2 }' \
    test-needs "$work/uses" | sort >"$work/asked"
cut -f 1 "$work/asked" | uniq | while IFS= read -r list; do
    # shellcheck disable=SC2086 # a list of words
    [ -z "$list" ] || ninja -t graph $list | sed -n "s|^\"0x[0-9a-f]*\" \[label=\"\(.*\)\"]\$|\1|p" | sed "s|^$build/||; s|^|$list	|"
done >"$work/has"
awk -F '\t' 'NR == FNR { has[$1, $2] = 1; if ($2 ~ /rtl_own_|mempath-mutants/) has[$1, "platform/cli/libmempath-cosim.so"] = 1; next }
    !(($1, $3) in has) { print $2 " uses " $3 ", which its mempath_test_needs() does not name: " $1 }' "$work/has" "$work/asked" >"$work/missing"
[ ! -s "$work/missing" ] || bad "$(cat "$work/missing")"

xargs grep -n '\$[{]\{0,1\}[a-z]*[}]\{0,1\}/\.\./' <"$work/scripts" | grep -v '\$\(here\|tests\)/' >"$work/leaves"
[ ! -s "$work/leaves" ] || bad "a script leaves a folder of its arguments; the file has to be an argument: $(cat "$work/leaves")"
printf '%d files that tests use\n' "$(wc -l <"$work/uses")"
exit $failed
