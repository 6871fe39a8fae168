#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a library of one design for `cosim` and `run --rtl`: ours with waves (no FILE), or a user's block in FILE with
# the ports of ours. DESIGN is the number that the block's cosim.c gives the design. FILE may have the design's sizes as
# parameters; otherwise it can only be used if the design was CHOSEN (0|1), not drawn. The rules of the ports (checks/
# of the block) are bound to FILE. WARN 1: Verilator's warnings about FILE go to stderr. Prints one line: "library PATH"
# or "error WHAT". The settings of the build come from mempath-own-rtl.sh, which CMake writes to the program's folder
# with the table BLOCKS.
# usage: own.sh BLOCK DESIGN WAVES(0|1) CHOSEN(0|1) WARN(0|1) [FILE]
set -eu
exec </dev/null # which may be stimuli
block=$1 block_=$(echo "$1" | tr - _) design=$2 waves=$3 chosen=$4 warn=$5 file=${6:-}
kept=20 # libraries

fail() {
    printf 'error %s\n' "$1"
    exit 0
}

# The line of the design in BLOCKS, or that of any other (lockstep/own.cmake).
line=$(awk -F '\t' -v block="$block" -v design="$design" '
    $1 == block && $3 == design { print; found = 1; exit }
    $1 == block && $3 == "*" { any = $0 }
    END { if (!found) print any }' "$BLOCKS" | sed "s|\$ROOT|$ROOT|g")
[ -n "$line" ] || fail "$block: no design $design"
IFS=$(printf '\t') read -r _ _ number kind ours package folders values more own libraries state <<END
$line
END
# shellcheck disable=SC2034 # what the expressions contain
d=$design
[ "$number" != '*' ] || values=$(eval "echo \"$values\"")
# shellcheck disable=SC2086 # a list of words
parameters=$(printf -- '-G%s;' $values) definitions="-DRTL_DESIGN=Vtop -DRTL_NAME=${block_}_rtl_own $(printf -- '-DRTL_%s ' $values $more)"
room=$ROOT/rtl/${folders%% *}
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
    "$CMAKE" -DVERILATOR="$VERILATOR" -DRTL="$ROOT/rtl" "-DFOLDERS=$(echo "$folders" | tr " " ";")" "-DDIR=$1" -DNAME=Vtop "-DTOP=$2" "-DPACKAGE=$package" \
        "-DTOP_FILE=$3" "-DPARAMETERS=$4" -P "$ROOT/rtl/lockstep/verilate.cmake" >"$work/log" 2>&1
}

compile() { # what it says goes into the log
    "$CXX" -std=c++17 -O1 -w -fPIC -I"$ROOT" -I"$ROOT/models" -isystem "$VERILATOR_INCLUDE" \
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
        [ -n "$had" ] || fail "$top: no port '$(port "$line")'; the ports of rtl/${folders%% *}/$ours.sv are needed"
        [ "$had" = "$line" ] ||
            fail "$top: port '$(port "$had")' must be '$(port "$line")'; the ports of rtl/${folders%% *}/$ours.sv are needed"
    done <"$work/wanted"
    while read -r line; do
        grep -q "^${line%% *} " "$work/wanted" ||
            fail "$top: port '$(port "$line")' is unexpected; the ports of rtl/${folders%% *}/$ours.sv are needed"
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

# Whether the block keeps what the bench reads where ours does and in as many bits: then it is compared, too. Other
# registers, as those of our assertions, are its own affair.
keeps_state() {
    [ -n "$state" ] || return 0
    sed -n "s/^ *\(.*\) $ours\(__DOT__\($state\);\)/\1 $top\2/p" "$work/ours/Vtop___024root.h" >"$work/state"
    while read -r line; do
        grep -qF -- " $line" "$work/design/Vtop___024root.h" || return 1
    done <"$work/state"
}

# The parameters that the rules of the ports have, too.
sizes_of() { # file
    for value in $values; do
        ! grep -q "parameter .* ${value%=*} =" "$1" || printf '%s.%s(%s)' "${sizes:+, }" "${value%=*}" "${value#*=}"
        sizes=1
    done
}

traces=
if [ "$waves" = 1 ]; then
    traces=';--trace-fst;--trace-max-width;1024'
    definitions="$definitions -DRTL_WAVES"
    libraries="$libraries $VERILATED_FST -lz"
fi
if [ -z "$file" ]; then
    definitions="$definitions -DRTL_STATE"
    verilate "$work/design" "$top" '' "$parameters$traces" || fail "verilator: $(grep -m1 '^%Error' "$work/log")"
else
    # Verilator finds Verilog by its name in FILE's folder, then in ours. The rules of the ports are bound to FILE,
    # unless it is a copy of ours, which includes them.
    options="-Wno-fatal$traces;-y;$(dirname -- "$file")"
    rules=
    checks=$room/checks
    if ! grep -q "\"checks/${ours}_rules.svh\"" "$file"; then
        printf 'bind %s %s_checks #(%s) u_checks (.*);\n' "$top" "$ours" "$(sizes_of "$checks/${ours}_checks.sv")" >"$work/rules.sv"
        rules=";-y;$checks;$work/rules.sv"
    fi
    # Without them other ports are an error of check_ports, which says which ones.
    unbound=
    build || { unbound=$(grep -m1 '^%Error' "$work/log" || :) && rules='' && build; } ||
        fail "verilator: $(grep -m1 '^%Error' "$work/log" || head -n 1 "$work/log")"
    [ "$warn" = 0 ] || grep '^%Warning' "$work/log" >&2 || :
    verilate "$work/ours" "$ours" '' "$all_parameters" || fail "verilator: $(grep -m1 '^%Error' "$work/log")"
    check_ports
    [ -z "$unbound" ] || fail "verilator: $unbound"
    definitions="$definitions -DRTL_FOREIGN"
    if keeps_state; then
        definitions="$definitions -DRTL_STATE"
    elif [ "$warn" = 1 ]; then
        echo "mempath: $top: its state is not where $ours has it, so only its responses are compared" >&2
    fi
fi

# shellcheck disable=SC2086 # lists of words
sum=$({
    cat "$work"/design/V*.cpp "$work"/design/V*.h "$0" "$ROOT"/rtl/lockstep/*.hpp "$ROOT"/rtl/lockstep/manner.h "$room"/lockstep/*_rtl.* "$room"/lockstep/*.h* $own ${libraries% -lz} "$VERILATED"
    echo "$definitions $top"
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
    if ! { compile $definitions "-DRTL_TOP=$top" -c -o "$work/shim.o" "$room/lockstep/${kind}_rtl.cpp" && wait $model &&
        compile -shared -o "$work/new.so" "$work/shim.o" "$work/model.o" -Wl,--whole-archive "$own" -Wl,--no-whole-archive \
            -Wl,--start-group $libraries "$VERILATED" -Wl,--end-group -latomic -pthread; }; then
        fail "$top: $(grep -m1 'error' "$work/log" || tail -n 1 "$work/log")"
    fi
}
mv -f -- "$work/new.so" "$library"
# shellcheck disable=SC2012 # these names have no blanks
(cd -- "$cache" && ls -t ./*.so | tail -n +$((kept + 1)) | xargs -r rm -f --)
printf 'library %s\n' "$library"
