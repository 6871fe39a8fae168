#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verification plan, rtl/VERIFICATION.md, is about what exists. Each word between backticks is a file (from the root
# of the sources, from rtl/, or alone), a test of ctest or of a lockstep, a pattern of either, a proof (SCRIPT PROOF), a
# bug by hand (BLOCK/BUG), a point of coverage, a command, or a term that $terms lists. In the other direction the plan
# names each file of RTL and of its proofs, each list of bugs, each lockstep with its points, and each test whose name
# begins with rtl_. The numbers of mutants with a known reason are those of the tables `blind`.
# usage: plan.sh PLAN SOURCES BUILD
set -u
plan=$1 sources=$2
terms='blind long star twice-entry walk.compat:*hpca21 --assert'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

bad() {
    printf 'FAILED: %s: %s\n' "${plan##*/}" "$*" >&2
    failed=1
}

(cd "$3" && ctest -N) | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
[ -s "$work/tests" ] || bad "no tests in $3"
awk '{ while (match($0, /`[^`]*`/)) {
           print substr($0, RSTART + 1, RLENGTH - 2)
           $0 = substr($0, RSTART + RLENGTH) } }' "$plan" | sort -u >"$work/words"
[ "$(wc -l <"$work/words")" -ge 100 ] || bad 'fewer than 100 words between backticks'

# Whether the pattern $2 matches a line of the file $1.
matches() {
    while IFS= read -r line; do
        # shellcheck disable=SC2254 # a pattern
        case $line in $2) return 0 ;; esac
    done <"$1"
    return 1
}

is_file() {
    # shellcheck disable=SC2231 # a pattern
    for path in "$sources"/$1 "$sources/rtl"/$1 "$sources"/rtl/*/$1; do
        [ ! -e "$path" ] || return 0
    done
    return 1
}

is_term() {
    for term in $terms; do
        # shellcheck disable=SC2254 # a pattern
        case $1 in $term) return 0 ;; esac
    done
    return 1
}

: >"$work/named"
while IFS= read -r word; do
    case $word in
    *.sh\ *) # a proof of a script
        script=$sources/rtl/${word%% *}
        grep -Eq "^ *([a-z0-9-]+ \| )*${word#* }( \| [a-z0-9-]+)*\) " "$script" || bad "$word: no such proof"
        ;;
    mempath\ * | platform/mempath\ * | cosim\ *)
        command=${word#platform/} command=${command#mempath } command=${command%% *}
        grep -qw "$command" "$sources/platform/cli/commands.c" "$sources/platform/mempath" || bad "$word: no such command"
        ;;
    *.*) is_file "$word" || is_term "$word" || bad "$word: no such file" ;;
    models/* | tb/* | formal/* | lockstep/*) is_file "$word" || bad "$word: no such folder" ;;
    */*)
        grep -qx "bug ${word#*/}" "$sources"/rtl/*/"${word%%/*}.bugs" || bad "$word: no such bug"
        ;;
    test_* | rtl_* | cli_* | soc_*)
        if matches "$work/tests" "$word"; then
            printf '%s\n' "$word" >>"$work/named"
        else
            grep -q "cmocka_unit_test($word)" "$sources"/tb/rtl/*/test_*.c || bad "$word: no such test"
        fi
        ;;
    [A-Z]*_[A-Z]*) grep -qw -- "$word" "$sources"/rtl/*/lockstep/*_cover.h || bad "$word: no such point" ;;
    *) is_term "$word" || bad "$word: neither a file, a test, a point, nor a command" ;;
    esac
done <"$work/words"

has() { grep -qxF -- "$1" "$work/words" || bad "does not name $1"; }

for file in "$sources"/rtl/*/*.sv "$sources"/rtl/*/*.svh; do has "${file##*/}"; done
for file in "$sources"/rtl/*/formal/* "$sources"/rtl/*/*.bugs "$sources"/rtl/*/lockstep/*_lockstep.c "$sources"/rtl/*/lockstep/*_cover.c; do
    name=${file#"$sources"/rtl/}
    case $name in
    */faults.txt) ;;
    *.sh) grep -q "^$name\( \|\$\)" "$work/words" || bad "does not name $name" ;;
    *) has "$name" ;;
    esac
done
while IFS= read -r test; do
    case $test in
    rtl_*)
        found=0
        while IFS= read -r pattern; do
            # shellcheck disable=SC2254 # a pattern
            case $test in $pattern) found=1 ;; esac
        done <"$work/named"
        [ $found = 1 ] || bad "does not name the test $test"
        ;;
    esac
done <"$work/tests"

# Lines of the tables `blind`, but for the last one.
for file in "$sources"/rtl/*/lockstep/cosim_*.c; do
    name=${file#"$sources"/rtl/}
    lines=$(sed -n '/cosim_blind blind\[\]/,/^};/p' "$file" | grep -c '^    {"')
    grep -q "^| \`$name\` | $lines |" "$plan" || bad "$name has $lines mutants with a known reason"
done
echo "$(wc -l <"$work/words") words"
exit "$failed"
