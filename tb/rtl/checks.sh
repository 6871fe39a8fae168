#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rules of the ports of a block (rtl/ROOM/checks), bound to another block as a user does it: in a simulation by
# Verilator alone, of ROOM/BLOCK_bench.sv. A block that keeps to the rules passes; one that breaks a rule is found by
# it. The Nth fault of the block breaks the Nth rule. $1 is rtl/, $2 Verilator, $3 ROOM/BLOCK.
set -u
rtl=$1 verilator=$2 room=${3%/*} block=${3#*/}
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
"$verilator" --binary --assert -O0 -CFLAGS -O0 -Wno-fatal -y "$rtl/$room" --Mdir "$work/obj" --top-module bench -o bench \
    -F "$rtl/$room/checks/mp_$block.f" -f "$work/block.f" "$here/$room/${block}_bench.sv" >"$work/out" 2>&1 || {
    bad 'not built'
    exit 1
}
"$work/obj/bench" +verilator+seed+1 >"$work/out" 2>&1 || bad 'a block that keeps to the rules does not pass'
fault=0
while read -r rule; do
    fault=$((fault + 1))
    if "$work/obj/bench" +verilator+seed+1 "+fault=$fault" >"$work/out" 2>&1; then
        bad "fault $fault passes; $rule"
    elif ! grep -q "$rule: Assertion failed" "$work/out"; then
        bad "fault $fault does not break $rule"
    fi
done <"$work/rules"
echo "$block: $fault faults"
exit "$failed"
