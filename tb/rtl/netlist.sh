#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Synthesizes a block with yosys to gates and runs the netlist against the model, as a user's block (`mempath cosim
# BLOCK --rtl-top`). In all other locksteps Verilator alone decides what the RTL means, so RTL that the tools read
# differently is seen only here. Then one gate is exchanged, which must be found. It may be one without an effect, so
# up to five are tried.
# FOLDER keeps netlists and compiled designs; an unchanged netlist is not compiled again.
# usage: netlist.sh MEMPATH YOSYS RTL FOLDER BLOCK MODE TRANSACTIONS
# MODE is one of `mempath cosim BLOCK`, or the size of dws: 16/12/2.
set -eu
mempath=$(readlink -f -- "$1") yosys=$2 rtl=$(readlink -f -- "$3") folder=$4 block=$5 mode=$6 transactions=$7
option=--mode
[ "$block" != dws ] || option=--size
# The line of the design in the table next to the program.
IFS=$(printf '\t') read -r top package folders parameters <<END
$(awk -F '\t' -v OFS='\t' -v block="$block" -v mode="$mode" '$1 == block && $2 == mode { print $5, $6, $7, $8 }' "${mempath%/*}/mempath-rtl-blocks")
END
[ -n "$top" ] || { echo "netlist.sh: no block '$block' with '$mode'" >&2 && exit 2; }

rm -rf "$folder/equal" "$folder/faulty" "$folder/db"
mkdir -p "$folder/equal" "$folder/faulty"
folder=$(readlink -f -- "$folder")

find_in() { # a file
    for room in $folders; do
        [ ! -f "$rtl/$room/$1" ] || echo "$rtl/$room/$1"
    done
}

# yosys looks for instantiated modules in the folders itself. The memory is read as a box, so it stays one. Wires become
# single bits, because Verilator takes bits of a vector that depend on each other for a loop.
# shellcheck disable=SC2086 # a list of words
cat >"$folder/netlist.ys" <<END
verilog_defines -DSYNTHESIS
read_verilog -sv -lib $rtl/common/mp_sram.sv
read_verilog -sv $(find_in "$package.sv") $(find_in "$top.sv")
chparam $(echo "$parameters" | sed 's/\([A-Z_]*\)=\([0-9]*\)/-set \1 \2/g') $top
hierarchy -check $(printf -- "-libdir $rtl/%s " $folders) -top $top
rename -top $top
synth -flatten -nofsm -top $top
splitnets
opt_clean -purge
check -assert
write_verilog -noattr $folder/equal/$top.v
END
HOME=$folder "$yosys" -q -s "$folder/netlist.ys" >"$folder/log" 2>&1 || {
    echo "netlist.sh: $block: yosys: $(grep -m1 ERROR "$folder/log")" >&2
    exit 1
}

field() { sed -n "s/^  \"$1\": \"\{0,1\}\(.*[^\",]\)\"\{0,1\},\$/\1/p" "$folder/result" | head -n 1; }

simulate() { # folder of the netlist; sets code and status
    code=0
    MEMPATH_CACHE=$folder/cache "$mempath" cosim "$block" --rtl-top "$1/$top.v" "$option" "$mode" \
        --transactions "$transactions" --db "$folder/db" --json >"$folder/result" 2>"$folder/log" </dev/null || code=$?
    status=$(field status)
}

# The simple gates of two inputs, each in a line.
two='^  assign [^ ]* = [^&|]* [&|] [^&|]*;$'
gates=$(grep -c "$two" "$folder/equal/$top.v")
simulate "$folder/equal"
if [ "$code,$status" != 0,equal ]; then
    echo "netlist.sh: $block $mode: exit code $code, $status; $(field difference); $(tail -n 1 "$folder/log")" >&2
    exit 1
fi
echo "$block $mode: the netlist equals the model, $(field transactions) transactions, $gates gates of two inputs"

for eighth in 4 2 6 1 7; do
    awk -v gate=$((gates * eighth / 8)) -v two="$two" '
        $0 ~ two && ++n == gate { if (!sub(/ & /, " | ")) sub(/ \| /, " \\& ") }
        { print }' "$folder/equal/$top.v" >"$folder/faulty/$top.v"
    simulate "$folder/faulty"
    case $code,$status in
    1,different | 1,broken | 1,hung | 1,crashed)
        echo "$block $mode: gate $((gates * eighth / 8)) exchanged: $status after $(field transactions) transactions"
        exit 0
        ;;
    0,equal) ;;
    *)
        echo "netlist.sh: $block $mode, a gate exchanged: exit code $code, $status; $(tail -n 1 "$folder/log")" >&2
        exit 1
        ;;
    esac
done
echo "netlist.sh: $block $mode: five gates were exchanged, one at a time, and nothing was seen" >&2
exit 1
