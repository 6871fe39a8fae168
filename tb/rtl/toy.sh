#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A new block of RTL is a folder and a call. In a copy of the sources, toy/ (a list of free entries) becomes a folder of
# rtl/, rtl/CMakeLists.txt gets a call, and Bender.yml the files. Builds what loads RTL there, and checks that the commands
# and scripts know the block. WORK keeps the build for the next time.
# usage: toy.sh SOURCES WORK
set -eu
sources=$(realpath "$1")
mkdir -p "$2"
made=$(realpath "$2")
tree=$made/tree build=$made/build
start=$(date +%s)

step() { printf '%s s: %s\n' "$(($(date +%s) - start))" "$1"; }

# ---- the new block ----

rm -rf "$tree" "$made/toy"
mkdir "$tree"
(cd "$sources" && tar -cf - CMakeLists.txt CMakePresets.json LICENSE README.md models platform db sw rtl tb) | tar -xf - -C "$tree"
cd "$tree"
mv tb/rtl/toy "$made/toy"
git init -q
git add -A
git -c user.name=toy -c user.email=toy@mempath.invalid -c commit.gpgsign=false commit -qm 'before the new block'
mv "$made/toy" rtl/toy

awk '/^# ---- what the program loads/ { while ((getline line <"-") > 0) print line } { print }' rtl/CMakeLists.txt >"$made/lists" <<'END'
mempath_rtl_block(toy
  TOP mp_toy PACKAGE mp_toy_pkg
  CONFIGS "8 0 ENTRIES=8" "5 1 ENTRIES=5"
  LINES 8
  STATE "\\(busy\\|used\\)_q"
  SOURCES toy_cover.c toy_lockstep.c toy_random.c
  SESSION cosim_toy.c
  MUTANTS 8 SPLIT)

END
cp "$made/lists" rtl/CMakeLists.txt
cat >>rtl/Bender.yml <<'END'

  - include_dirs: [toy]
    files:
      - toy/mp_toy_pkg.sv
      - toy/mp_toy.sv
  - target: simulation
    include_dirs: [toy]
    files:
      - toy/checks/mp_toy_checks.sv
END

step build
if ! { cmake -G Ninja -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS_DEBUG=-O0 . &&
    ninja -j2 -C "$build" mempath mempath-cosim own-rtl mempath-mutants; } >"$made/log" 2>&1; then
    tail -n 40 "$made/log" >&2
    exit 1
fi

set -- "$build/platform/cli/mempath" "$made/cache"
. "$sources/tb/platform/cli/lib.sh"
rtl=$tree/rtl

# ---- the lockstep ----

step cosim
expect 0 cosim
says '^toy '
expect 0 cosim toy
says '^toy drawn, cosim [0-9]*: equal after 1000000 transactions'
says '^all points were reached'
says '^all configurations were run'
printf '%s\n' 'T' 'B 0 # both' >stimuli.txt
expect 0 cosim toy stimuli.txt --json
json "json_extract(j, '\$.status') || ' ' || json_extract(j, '\$.transactions')" 'equal 2'
echo 'G 8' >stimuli.txt
refused 'stimuli.txt:1: .*ENTRY' cosim toy stimuli.txt
expect 0 cosim toy --coverage --transactions 20000
says '^mp_toy.sv  *\([0-9]*\)  *\1  *0 '
expect 0 cosim toy --waves w.fst --waves-window 1:50
[ -s w.fst ] || wrong 'no waves'

step 'a block in place of it'
sed 's/^module mp_toy /module mine /' "$rtl/toy/mp_toy.sv" >mine.sv
expect 0 cosim toy --rtl-top mine.sv --transactions 100000
says '^toy drawn, cosim [0-9]*: equal after 100000 transactions'
sed -i 's/give_i & busy_q\[i\]/give_i \& ~take_i \& busy_q[i]/' mine.sv
expect 1 cosim toy --rtl-top mine.sv --transactions 100000
says '^first difference: state after a clock'
# Registers of other names are not compared, and the rules of the ports are bound: one that is broken is an assertion.
# shellcheck disable=SC2016 # words of Verilog
sed 's/^module mine /module bound /; s/busy_q/held_q/g; /^`if/,/^`endif/d' mine.sv >bound.sv
expect 1 cosim toy --rtl-top bound.sv --transactions 100000
says 'mp_toy_rules.svh:[0-9]*: an assertion of the RTL failed'

step mutants
expect 0 cosim toy --mutants 20 --json
json "json_extract(j, '\$.score') >= 90" 1

# ---- the cost ----

step cost
expect 0 rtl toy --update
says '^rtl [0-9]*: bounds updated'
expect 0 rtl toy
says '^rtl [0-9]*: bounds held'
cp -R "$rtl" changed
sed -i "s/^  assign empty_o = .*/  logic late_q;\n  always_ff @(posedge clk_i) late_q <= take_i;\n  assign empty_o = used_q == '0 \& ~late_q;/" changed/toy/mp_toy.sv
expect 1 rtl toy --rtl changed
says '^toy .* changed .* grew '
grep -q 'flops of toy changed from 12 to 13 flops' err || wrong 'not said that a flop is new'

# ---- proofs and scripts ----

script() { # what it says, or nothing; script and arguments
    pattern=$1
    shift
    checks=$((checks + 1))
    step "$(basename "$1")"
    sh "$@" >out 2>err </dev/null || wrong "$*: exit code $?"
    [ -z "$pattern" ] || says "$pattern"
}

script '^8 entries: proven, k = 1; ' "$rtl/toy/formal/prove.sh" proofs
says '^11 assertions, each with a fault'
script '^all  *2 of   2 found' "$tree/tb/rtl/bugs.sh" "$mempath" "$rtl" toy/take-loses-what-is-given toy/count-without-reset
script 'elaborations$' "$tree/tb/rtl/lists.sh" "$rtl" verilator yosys
script 'elaborations$' "$tree/tb/rtl/guards.sh" "$rtl" verilator
script '' "$tree/tb/rtl/casts.sh" "$rtl"
script 'the netlist equals the model' "$tree/tb/rtl/netlist.sh" "$mempath" yosys "$rtl" "$made/netlist" toy 8 20000

# ---- nothing else was needed ----

cd "$tree"
git status --porcelain --untracked-files=all | grep -v '^?? rtl/toy/' >"$work/status" || :
printf '%s\n' ' M rtl/Bender.yml' ' M rtl/CMakeLists.txt' ' M rtl/synth/bounds.csv' | diff - "$work/status" ||
    wrong 'other files were changed'
[ "$(git diff --numstat | awk '{ print $2 }' | sort -u)" = 0 ] || wrong 'lines were removed'
[ "$(git diff rtl/CMakeLists.txt | grep -c '^+[a-z_]*(')" = 1 ] || wrong 'more than a call'
finished
