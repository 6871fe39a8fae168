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
option=--mode parameters=
case $mode in subentry) number=0 ;; star4) number=2 ;; *) number=1 ;; esac
case $block in
star) package=star_pkg top=star_tlb parameters="MODE $number" ;;
star-set) package=star_pkg top=star_tlb_set parameters="MODE $number" ;;
neidty) package=neidty_pkg top=neidty_directory parameters="ENTRIES ${mode%x*} TAG_W ${mode#*x}" ;;
l1-tlb) package=neidty_pkg top=l1_tlb parameters="ENTRIES $mode" ;;
mesc-tlb)
    package=mesc_tlb_pkg top=mesc_tlb
    case $mode in
    mesc) parameters='SETS 32 WAYS 16 SUB_WAYS 8' ;;
    page) parameters='SETS 32 WAYS 16 SUB_WAYS 0' ;;
    small) parameters='SETS 2 WAYS 4 SUB_WAYS 2' ;;
    *) parameters='SETS 8 WAYS 5 SUB_WAYS 4' ;;
    esac
    ;;
mesc-scan)
    package=mesc_pkg top=mesc_scan
    case $mode in standard) parameters='HEADS_FIRST 0' ;; *) parameters='HEADS_FIRST 1' ;; esac
    ;;
dws)
    package=dws_pkg top=dws_scheduler option=--size
    parameters=$(echo "$mode" | sed 's|\(.*\)/\(.*\)/\(.*\)|WALKERS \1 DEPTH \2 TENANTS \3|')
    ;;
*) echo "netlist.sh: no block '$block'" >&2 && exit 2 ;;
esac

rm -rf "$folder/equal" "$folder/faulty" "$folder/db"
mkdir -p "$folder/equal" "$folder/faulty"
folder=$(readlink -f -- "$folder")

# yosys looks for instantiated modules in rtl/ itself. The memory is read as a box, so it stays one. Wires become single
# bits, because Verilator takes bits of a vector that depend on each other for a loop.
cat >"$folder/netlist.ys" <<END
verilog_defines -DSYNTHESIS
read_verilog -sv -lib $rtl/sram.sv
read_verilog -sv $rtl/$package.sv $rtl/$top.sv
chparam $(echo "$parameters" | sed 's/\([A-Z_][A-Z_]*\) \([0-9]*\)/-set \1 \2/g') $top
hierarchy -check -libdir $rtl -top $top
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
