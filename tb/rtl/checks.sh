#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rules of the ports of a block (rtl/ROOM/checks), bound to another block as a user does it: in a simulation by
# Verilator alone, of ROOM/BLOCK_bench.sv. A block that keeps to the rules passes; one that breaks a rule is found by
# it. The Nth fault of the block breaks the Nth rule. `verilator --binary` would compile Verilator's own library each time,
# which takes four fifths of the time, so it is built once (verilated_simulator).
# usage: checks.sh RTL VERILATOR INCLUDE CXX LIBRARY ROOM/BLOCK
# INCLUDE is Verilator's folder with headers.
set -u
rtl=$1 verilator=$2 include=$3 cxx=$4 library=$5 room=${6%/*} block=${6#*/}
here=$(dirname "$(readlink -f -- "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

bad() {
    printf 'FAILED: %s\n' "$*" >&2
    [ ! -s "$work/out" ] || head -n 5 "$work/out" >&2
    failed=1
}

# The lines of the rules, in their order. Verilator has two states, so what $isunknown says is always false.
sed -n 's/^`include "\(checks\/[a-z0-9_]*\.svh\)"$/\1/p' "$rtl/$room/checks/mp_${block}_checks.sv" >"$work/files"
echo "checks/mp_${block}_checks.sv" >>"$work/files"
(cd "$rtl/$room" && while read -r file; do grep -n 'assert (' "$file" /dev/null | grep -v isunknown; done <"$work/files") |
    sed 's/^checks\/\([^:]*:[0-9]*\):.*/\1/' >"$work/rules"
[ "$(wc -l <"$work/rules")" -ge 4 ] || bad "only $(wc -l <"$work/rules") rules"

sed '/^\/\/\|^+/d; /_pkg\.sv$/d' "$rtl/$room/mp_${block%_set}.f" | sed "s|^|$rtl/$room/|" >"$work/block.f"
build() {
    "$verilator" --cc --exe --main --timing --assert -O0 -Wno-fatal -y "$rtl/$room" --Mdir "$work/obj" --top-module bench \
        -F "$rtl/$room/checks/mp_$block.f" -f "$work/block.f" "$here/$room/${block}_bench.sv" || return 1
    printf '#include "%s"\n' "$work"/obj/*.cpp >"$work/all.cpp"
    "$cxx" -std=c++20 -fcoroutines -O0 -w -I"$work/obj" -I"$include" -I"$include/vltstd" -o "$work/bench" "$work/all.cpp" \
        "$library" -latomic -pthread
}
build >"$work/out" 2>&1 || {
    bad 'not built'
    exit 1
}
"$work/bench" +verilator+seed+1 >"$work/out" 2>&1 || bad 'a block that keeps to the rules does not pass'
fault=0
while read -r rule; do
    fault=$((fault + 1))
    if "$work/bench" +verilator+seed+1 "+fault=$fault" >"$work/out" 2>&1; then
        bad "fault $fault passes; $rule"
    elif ! grep -q "$rule: Assertion failed" "$work/out"; then
        bad "fault $fault does not break $rule"
    fi
done <"$work/rules"
echo "$block: $fault faults"
exit "$failed"
