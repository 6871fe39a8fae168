#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a library of one design for `cosim` and `run --rtl`: ours with waves (no FILE), or a user's block with the ports
# of rtl/star_tlb.sv (BLOCK star), rtl/star_tlb_set.sv (star-set), rtl/dws_scheduler.sv (dws), rtl/neidty_directory.sv
# (neidty), rtl/l1_tlb.sv (l1-tlb), rtl/mesc_tlb.sv (mesc-tlb) or rtl/mesc_scan.sv (mesc-scan). DESIGN is MODE for the first two, the size
# for dws (161202: 16 walkers, 12 places each, 2 tenants), HEADS_FIRST for the last, and one of a few sizes for the others.
# FILE may have it as parameters; otherwise it can only be used if the design was CHOSEN (0|1), not drawn.
# The rules of the ports (rtl/checks) are bound to FILE. WARN 1: Verilator's warnings about FILE go to stderr. Prints one line:
# "library PATH" or "error WHAT".
# The settings of the build come from mempath-own-rtl.sh, which CMake writes to the program's folder.
# usage: own.sh BLOCK DESIGN WAVES(0|1) CHOSEN(0|1) WARN(0|1) [FILE]
set -eu
exec </dev/null # which may be stimuli
block=$1 design=$2 waves=$3 chosen=$4 warn=$5 file=${6:-}
sizes= # parameters of the rules of the ports
kept=20 # libraries

fail() {
    printf 'error %s\n' "$1"
    exit 0
}

case $block in
star)
    package=star_pkg ours=star_tlb parameters=-GMODE=$design shim=$ROOT/tb/rtl/star_rtl.cpp libraries=$STAR_LIBRARIES
    own=$STAR_OWN definitions="-DSTAR_DESIGN=Vtop -DSTAR_MODE=$design -DSTAR_SETS=128 -DSTAR_NAME=star_rtl_own"
    ;;
star-set)
    package=star_pkg ours=star_tlb_set parameters=-GMODE=$design shim=$ROOT/tb/rtl/star_rtl.cpp libraries=$STAR_LIBRARIES
    sizes=".MODE($design)"
    own=$STAR_SET_OWN definitions="-DSTAR_DESIGN=Vtop -DSTAR_MODE=$design -DSTAR_SETS=1 -DSTAR_NAME=star_rtl_own"
    ;;
neidty)
    case $design in 0) entries=32 tag=18 ;; 1) entries=8 tag=8 ;; 2) entries=128 tag=12 ;; *) entries=3 tag=5 ;; esac
    package=neidty_pkg ours=neidty_directory parameters="-GENTRIES=$entries;-GTAG_W=$tag" shim=$ROOT/tb/rtl/neidty_rtl.cpp
    libraries=$NEIDTY_LIBRARIES own=$NEIDTY_OWN
    definitions="-DNEIDTY_DESIGN=Vtop -DNEIDTY_ENTRIES=$entries -DNEIDTY_TAG_W=$tag -DNEIDTY_NAME=neidty_rtl_own"
    ;;
l1-tlb)
    case $design in 0) entries=32 ;; 1) entries=8 ;; 2) entries=5 ;; *) entries=2 ;; esac
    package=neidty_pkg ours=l1_tlb parameters="-GENTRIES=$entries" shim=$ROOT/tb/rtl/l1_tlb_rtl.cpp
    libraries=$L1_TLB_LIBRARIES own=$L1_TLB_OWN
    definitions="-DL1_TLB_DESIGN=Vtop -DL1_TLB_ENTRIES=$entries -DL1_TLB_NAME=l1_tlb_rtl_own"
    ;;
mesc-tlb)
    case $design in
    0) sets=32 ways=16 sub_ways=8 ;;
    1) sets=32 ways=16 sub_ways=0 ;;
    2) sets=2 ways=4 sub_ways=2 ;;
    *) sets=8 ways=5 sub_ways=4 ;;
    esac
    package=mesc_tlb_pkg ours=mesc_tlb parameters="-GSETS=$sets;-GWAYS=$ways;-GSUB_WAYS=$sub_ways"
    shim=$ROOT/tb/rtl/mesc_tlb_rtl.cpp libraries=$MESC_TLB_LIBRARIES own=$MESC_TLB_OWN
    sizes=".WAYS($ways)"
    definitions="-DMESC_DESIGN=Vtop -DMESC_SETS=$sets -DMESC_WAYS=$ways -DMESC_SUB_WAYS=$sub_ways -DMESC_NAME=mesc_tlb_rtl_own"
    ;;
mesc-scan)
    package=mesc_pkg ours=mesc_scan parameters=-GHEADS_FIRST=$design shim=$ROOT/tb/rtl/mesc_scan_rtl.cpp
    libraries=$MESC_SCAN_LIBRARIES own=$MESC_SCAN_OWN
    definitions="-DSCAN_DESIGN=Vtop -DSCAN_HEADS_FIRST=$design -DSCAN_NAME=mesc_scan_rtl_own"
    ;;
*)
    walkers=$((design / 10000)) depth=$((design / 100 % 100)) tenants=$((design % 100)) id=8
    while [ $((walkers * (depth + 1))) -gt $((1 << id)) ]; do id=$((id + 1)); done
    package=dws_pkg ours=dws_scheduler shim=$ROOT/tb/rtl/dws_rtl.cpp libraries=$DWS_LIBRARIES own=$DWS_OWN
    parameters="-GTENANTS=$tenants;-GWALKERS=$walkers;-GDEPTH=$depth"
    sizes=".TENANTS($tenants), .WALKERS($walkers), .DEPTH($depth), .ID_W($id)"
    [ $id = 8 ] || parameters="$parameters;-GID_W=$id"
    definitions="-DDWS_DESIGN=Vtop -DDWS_WALKERS=$walkers -DDWS_DEPTH=$depth -DDWS_TENANTS=$tenants -DDWS_ID_BITS=$id
                 -DDWS_NAME=dws_rtl_own"
    ;;
esac
top=$ours
all_parameters=$parameters # FILE may lack some
if [ -n "$file" ]; then
    if [ ! -f "$file" ] || [ ! -r "$file" ]; then
        fail "$file: cannot be read; a SystemVerilog file with a module of its name is needed"
    fi
    case $file in *.sv | *.v) ;; *) fail "$file: not a SystemVerilog file name; MODULE.sv or MODULE.v is needed" ;; esac
    file=$(readlink -f -- "$file")
    top=$(basename -- "$file")
    top=${top%.*}
    case $top in '' | [!A-Za-z_]* | *[!A-Za-z0-9_]*) fail "$file: '$top' is not a module name; MODULE.sv is needed" ;; esac
    case $file in *[\;\ \"]*) fail "$file: has a blank, ';' or '\"' in its path; move it to another folder" ;; esac
fi
command -v "$VERILATOR" >/dev/null || fail "verilator is not installed; the Debian package verilator is needed"

cache=${MEMPATH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/mempath}/rtl
mkdir -p -- "$cache" 2>/dev/null || fail "$cache: cannot be created; MEMPATH_CACHE names another folder"
work=$(mktemp -d -- "$cache/build.XXXXXX") || fail "$cache: cannot be written to; MEMPATH_CACHE names another folder"
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' INT TERM HUP

verilate() { # folder, module, file, options
    "$CMAKE" -DVERILATOR="$VERILATOR" -DRTL="$ROOT/rtl" "-DDIR=$1" -DNAME=Vtop "-DTOP=$2" -DPACKAGE=$package \
        "-DTOP_FILE=$3" "-DPARAMETERS=$4" -P "$ROOT/tb/rtl/verilate.cmake" >"$work/log" 2>&1
}

compile() { # what it says goes into the log
    "$CXX" -std=c++17 -O1 -w -fPIC -I"$ROOT/tb" -I"$ROOT/models" -isystem "$VERILATOR_INCLUDE" \
        -isystem "$VERILATOR_INCLUDE/vltstd" -isystem "$work/design" "$@" >>"$work/log" 2>&1
}

# The ports as Verilator has them: direction, name, highest and lowest bit.
ports_of() { sed -n 's/^ *VL_\(IN\|OUT\)[0-9W]*(&\([a-z_A-Z0-9]*\),\([0-9]*\),\([0-9]*\).*$/\2 \1 \3 \4/p' "$1" | sort; }

port() { # a line of them
    # shellcheck disable=SC2086 # its words
    set -- $1
    case $2 in IN) way=input ;; *) way=output ;; esac
    printf '%s [%s:%s] %s' "$way" "$3" "$4" "$1"
}

check_ports() {
    ports_of "$work/ours/Vtop.h" >"$work/wanted"
    ports_of "$work/design/Vtop.h" >"$work/had"
    while read -r line; do
        had=$(grep -m1 "^${line%% *} " "$work/had" || :)
        [ -n "$had" ] || fail "$top: no port '$(port "$line")'; the ports of rtl/$ours.sv are needed"
        [ "$had" = "$line" ] ||
            fail "$top: port '$(port "$had")' must be '$(port "$line")'; the ports of rtl/$ours.sv are needed"
    done <"$work/wanted"
    while read -r line; do
        grep -q "^${line%% *} " "$work/wanted" ||
            fail "$top: port '$(port "$line")' is unexpected; the ports of rtl/$ours.sv are needed"
    done <"$work/had"
}

# FILE has not all parameters of the design.
one_design() {
    missing=$(sed -n 's/^%Error: Parameters from the command line were not found in the design: //p' "$work/log")
    case $block in dws) option=--size ;; *) option=--mode ;; esac
    [ "$chosen" = 1 ] || fail "$top: has no parameter ${missing%%[ ,]*}, so it is only one design; $option says which one"
    for name in $missing; do
        parameters=$(printf '%s' "$parameters" | sed "s/-G${name%,}=[^;]*;*//")
    done
}

# Verilates FILE.
build() {
    verilate "$work/design" "$top" "$file" "$parameters;$options$rules" ||
        { grep -q '^%Error: Parameters from the command line were not found' "$work/log" && one_design &&
            verilate "$work/design" "$top" "$file" "$parameters;$options$rules"; }
}

# Whether the block keeps what the bench reads where ours does and in as many bits: then it is compared, too. Other registers, as
# those of our assertions, are its own affair.
keeps_state() {
    case $block in l1-tlb) registers='page\|frame\|valid\|order' ;; *) registers='tag\|left\|local\|right' ;; esac
    sed -n "s/^ *\(.*\) $ours\(__DOT__\(u_\(entries__DOT__mem\|order__DOT__mem\|arbiter__DOT__\(fwa\|twm\|wtm\|epoch\|diff_thres\|idle\)[a-z_]*_q\)\|\($registers\)_q\);\)/\1 $top\2/p" \
        "$work/ours/Vtop___024root.h" >"$work/state"
    while read -r line; do
        grep -qF -- " $line" "$work/design/Vtop___024root.h" || return 1
    done <"$work/state"
}

traces=
if [ "$waves" = 1 ]; then
    traces=';--trace-fst;--trace-max-width;1024'
    definitions="$definitions -DRTL_WAVES"
    libraries="$libraries $VERILATED_FST -lz"
fi
if [ -z "$file" ]; then
    verilate "$work/design" "$top" '' "$parameters$traces" || fail "verilator: $(grep -m1 '^%Error' "$work/log")"
else
    # Verilator finds Verilog by its name in FILE's folder, then in ours. The rules of the ports are bound to FILE, unless it
    # is a copy of ours, which includes them.
    options="-Wno-fatal$traces;-y;$(dirname -- "$file")"
    rules=
    if ! grep -q "\"checks/${ours}_rules.svh\"" "$file"; then
        printf 'bind %s %s_checks #(%s) u_checks (.*);\n' "$top" "$ours" "$sizes" >"$work/rules.sv"
        rules=";-y;$ROOT/rtl/checks;$work/rules.sv"
    fi
    # Without them other ports are an error of check_ports, which says which ones.
    unbound=
    build || { unbound=$(grep -m1 '^%Error' "$work/log" || :) && rules='' && build; } ||
        fail "verilator: $(grep -m1 '^%Error' "$work/log" || head -n 1 "$work/log")"
    [ "$warn" = 0 ] || grep '^%Warning' "$work/log" >&2 || :
    verilate "$work/ours" "$ours" '' "$all_parameters" || fail "verilator: $(grep -m1 '^%Error' "$work/log")"
    check_ports
    [ -z "$unbound" ] || fail "verilator: $unbound"
    case $block in star*) known=STAR ;; dws) known=DWS ;; mesc-tlb) known=MESC ;; mesc-scan) known=SCAN ;; l1-tlb) known=L1_TLB ;; *) known=NEIDTY ;; esac
    definitions="$definitions -D${known}_TOP=$top"
    if keeps_state; then
        definitions="$definitions -D${known}_STATE"
    elif [ "$warn" = 1 ]; then
        echo "mempath: $top: its state is not where $ours has it, so only its responses are compared" >&2
    fi
fi

# shellcheck disable=SC2086 # lists of words
sum=$({
    cat "$work"/design/V*.cpp "$work"/design/V*.h "$0" "$ROOT"/tb/rtl/*.hpp "$ROOT"/tb/rtl/manner.h "$ROOT"/tb/rtl/*_rtl.* $own ${libraries% -lz} "$VERILATED"
    echo "$definitions"
    "$CXX" --version
} | sha256sum | cut -c1-32)
library=$cache/$sum.so
if [ -f "$library" ]; then
    touch -c -- "$library"
    printf 'library %s\n' "$library"
    exit 0
fi

[ ! -t 2 ] || echo "mempath: compiling $top, less than a minute; kept for the next time" >&2
# shellcheck disable=SC2086 # lists of words
{
    compile -c -o "$work/model.o" "$work/design/all.cpp" &
    model=$!
    if ! { compile $definitions -c -o "$work/shim.o" "$shim" && wait $model &&
        compile -shared -o "$work/new.so" "$work/shim.o" "$work/model.o" -Wl,--whole-archive "$own" -Wl,--no-whole-archive \
            -Wl,--start-group $libraries "$VERILATED" -Wl,--end-group -latomic -pthread; }; then
        fail "$top: $(grep -m1 'error' "$work/log" || tail -n 1 "$work/log")"
    fi
}
mv -f -- "$work/new.so" "$library"
# shellcheck disable=SC2012 # these names have no blanks
(cd -- "$cache" && ls -t ./*.so | tail -n +$((kept + 1)) | xargs -r rm -f --)
printf 'library %s\n' "$library"
