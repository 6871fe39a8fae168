#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bugs written by hand, which `mempath cosim` must find without options, so within its usual number of transactions.
# Mutants do not cover them: lost events, registers without a reset, faults that only one configuration or no response
# shows. rtl/*/BLOCK.bugs lists those of each block; bugs.awk explains the format. Each bug is inserted into a copy of
# the block. A copy without a bug must be equal.
# usage: bugs.sh MEMPATH RTL [BLOCK/NAME | NAME]...
# SEEDS are the seeds of the transactions (default: 1), each of which must find the bug. JOBS is how many bugs run at a
# time (default: as many as there are processors).
set -eu
here=$(dirname "$(readlink -f -- "$0")")
# What `mempath cosim` does by default.
transactions_of() { case $1 in mesc-scan) echo 50000 ;; *) echo 1000000 ;; esac; }

# Column of a block's first line in the table next to the program.
of() { awk -F '\t' -v block="$1" -v column="$2" '$1 == block { print $column; exit }' "${MEMPATH%/*}/mempath-rtl-blocks"; }

field() { sed -n "s/^  \"$1\": \"\{0,1\}\(.*[^\",]\)\"\{0,1\},\$/\1/p" "$2" | head -n 1; }

# Compares the copy in $dir with the model. Of several seeds, the one that needs most transactions remains.
with_seed() { # seed
    transactions=$(transactions_of "$block") code=0
    [ "$name" != - ] || transactions=${UNCHANGED:-$transactions}
    MEMPATH_CACHE=$dir/cache "$MEMPATH" cosim "$block" --rtl-top "$dir/rtl/$(of "$block" 5).sv" --seed "$1" \
        --transactions "$transactions" --db "$dir/db" --json >"$dir/out" 2>"$dir/err" </dev/null || code=$?
    status=$(field status "$dir/out") took=$(field transactions "$dir/out") difference=$(field difference "$dir/out")
    case $name,$code,$status in
    -,0,equal) result=equal difference='no bug' ;;
    *,1,different | *,1,broken | *,1,hung | *,1,crashed) [ "$name" = - ] && result=MISSED || result=found ;;
    *) result=MISSED ;;
    esac
    if [ "$result" = MISSED ]; then
        how="seed $1: exit code $code, $status: $(grep -v '^%Warning' "$dir/err" | tail -n 1)"
    elif [ "${took:-0}" -ge "${after:-0}" ]; then
        after=$took how=$difference
    fi
}

# BLOCK NAME CLASS FILE: writes a line of the table into a file: result, block, name, class, transactions, how. NAME
# '-': no bug.
one() {
    block=$1 name=$2 class=$3 file=$4
    dir=$WORK/$block.$name
    mkdir -p "$dir/rtl"
    for folder in $(of "$block" 7); do
        cp "$RTL/$folder"/*.sv* "$dir/rtl"
    done
    result=MISSED after='' how=''
    if [ "$name" != - ] && ! awk -v name="$name" -f "$here/bugs.awk" "$RTL"/*/"$block.bugs" "$RTL"/*/"$file" >"$dir/rtl/$file" 2>"$dir/err"; then
        how=$(head -n 1 "$dir/err")
    else
        for seed in $SEEDS; do
            with_seed "$seed"
            [ "$result" != MISSED ] || break
        done
    fi
    rm -rf "$dir"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$result" "$block" "$name" "$class" "${after:--}" "$how" >"$WORK/$block.$name.result"
    [ "$result" != MISSED ] || echo "bugs.sh: $block/$name: $how" >&2
}

if [ "${1:-}" = --one ]; then
    shift
    one "$@"
    exit 0
fi

[ $# -ge 2 ] || { echo 'usage: bugs.sh MEMPATH RTL [BLOCK/NAME | NAME]...' >&2 && exit 2; }
MEMPATH=$(readlink -f -- "$1") RTL=$(readlink -f -- "$2") SEEDS=${SEEDS:-1}
shift 2
# For a few bugs it is enough that the copy without a bug runs every configuration.
UNCHANGED=
[ $# = 0 ] || UNCHANGED=20000
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP
export MEMPATH RTL SEEDS WORK UNCHANGED

for list in "$RTL"/*/*.bugs; do
    awk -v list=1 -f "$here/bugs.awk" "$list" >"$WORK/list"
    sed "s/^/$(basename "$list" .bugs) /" "$WORK/list"
done >"$WORK/all"
cp "$WORK/all" "$WORK/bugs"
[ $# = 0 ] || : >"$WORK/bugs"
for name in "$@"; do
    awk -v n="$name" '$2 == n || $1 "/" $2 == n { print; found = 1 } END { exit !found }' "$WORK/all" >>"$WORK/bugs" ||
        { echo "bugs.sh: no bug '$name'; $RTL/*/*.bugs list them" >&2 && exit 2; }
done
# The equal copy takes longest, so it starts first.
{ sed 's/ .*/ - - -/' "$WORK/bugs" | sort -u && cat "$WORK/bugs"; } >"$WORK/jobs"
xargs -P "${JOBS:-$(nproc)}" -L 1 sh "$0" --one <"$WORK/jobs"

cat "$WORK"/*.result | sort -t "$(printf '\t')" -k 4,4 -k 5,5n -k 2,3 >"$WORK/table"
awk -F '\t' -v jobs="$(wc -l <"$WORK/jobs")" '
    function class_line(   i) {
        if (!n) return
        lines = lines sprintf("%-14s %3d of %3d found, %3d of them by an assertion of the RTL; median %d transactions, most %d\n",
                              class, found, n, asserted, median[int((found + 1) / 2)], median[found])
        all += n; all_found += found; all_asserted += asserted
        n = found = asserted = 0
    }
    BEGIN { printf "%-7s %-45s %-14s %10s  %s\n", "", "bug", "class", "after", "how" }
    { printf "%-7s %-45s %-14s %10s  %s\n", $1, $2 "/" $3, $4, $5, $6 }
    $4 != class { class_line(); class = $4 }
    $1 == "MISSED" { missed++ }
    $3 != "-" { n++ }
    $1 == "found" { median[++found] = $5; asserted += $6 ~ /an assertion of the RTL/ }
    END {
        class_line()
        printf "\n%s%-14s %3d of %3d found, %3d of them by an assertion of the RTL\n", lines, "all", all_found, all, all_asserted
        exit missed || NR != jobs
    }' "$WORK/table"
