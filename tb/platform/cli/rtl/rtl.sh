#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath rtl` where nothing is measured: RTL that does not elaborate, bad bounds, missing tools. $3 is rtl/.
rtl=$(realpath "$3")
. "$(dirname "$0")/../lib.sh"

expect 0 rtl --help
says 'Usage: mempath rtl'
cp out help
# Each design has bounds of these figures. Those that are measured if none is named:
expect 0 rtl --list --json
sqlite3 :memory: "SELECT json_extract(value, '\$.design') FROM json_each(readfile('out'))" >defaults
[ "$(wc -l <defaults)" -ge 9 ] || wrong 'not all designs are listed'
expect 0 rtl --sweep --list --json
sqlite3 :memory: "SELECT json_extract(value, '\$.design') FROM json_each(readfile('out'))" >sweep
sort -u defaults sweep >designs
while read -r name; do
    grep -q "^  $name " help || wrong "--help does not have $name"
    for figure in flops cells area period; do
        grep -q "^$name,$figure," "$rtl/synth/bounds.csv" || wrong "$name has no bound of its $figure"
    done
done <designs
cut -d, -f1 "$rtl/synth/bounds.csv" | grep -v '^#' | sort -u | cmp - designs || wrong 'bounds of something else'
expect 0 rtl star --list
says '^subentry '
says '^star '

# Which name yosys keeps for a register that is an output depends on the folder, but the equivalence must not. This design
# has such registers; bounds.sh measures the others.
for folder in a folder/with/a/longer/name some/very/long/folder/with/a/name; do
    mkdir -p "$folder"
    cp -R "$rtl" "$folder/rtl"
    expect 0 rtl mesc_scan --rtl "$folder/rtl"
done

refused "no design 'stat'; did you mean 'star'" rtl stat
refused "no scripts in 'nowhere'" rtl --rtl nowhere
refused 'keep: .*no/such' rtl dws --keep no/such/folder

# A copy with one file changed by sed; the tools report where.
copy() {
    rm -rf copy
    cp -r "$rtl" copy
    sed -i "$2" "copy/$1"
    cmp -s "$rtl/$1" "copy/$1" && wrong "nothing changed in $1"
    return 0
}
does_not_hold() { # design, what the error says
    expect 1 rtl "$1" --rtl copy
    grep -q -- "$2" err || wrong "the error does not say '$2': $(cat err)"
    expect 0 query rtl_runs
    says "failed.*$2"
}
copy dws/mp_dws_pkg.sv 's/RspIdle = /RspIdle == /'
does_not_hold dws "rtl dws: synth: dws/mp_dws_pkg.sv:[0-9]*: ERROR: syntax error"
copy common/mp_least.sv 's/module mp_least/module mp_chosen/'
does_not_hold dws 'rtl dws: synth: .*mp_least'
# The paper's bits: an AIB of a bit too many; PEND_WALKS of 11.
copy star/mp_star_pkg.sv 's/aib_width = mode;/aib_width = 2 * mode + 1;/'
does_not_hold star 'rtl star: synth: star/mp_star_tlb_set.sv:[0-9]*: .*STAR adds 50 bits to an entry'
# The baseline is measured with a variant of the TLB.
expect 1 rtl star --rtl copy --json
json "(SELECT group_concat(json_extract(value, '\$.name')) FROM json_each(j, '\$.designs'))" subentry,star
copy dws/mp_dws_pkg.sv 's/CountW = 12/CountW = 11/'
does_not_hold dws 'rtl dws: synth: dws/mp_dws_arbiter.sv:[0-9]*: .*TWM has 80 bits'
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'mempath-rtl-*' -newer "$work/copy")" ] || wrong 'a temporary folder stays'

copy synth/bounds.csv 's/^dws,cells/dws,sells/'
refused "bounds.csv:[0-9]*: no figure 'sells'" rtl dws --rtl copy
rm copy/synth/bounds.csv
refused 'bounds.csv: No such file' rtl dws --rtl copy

# No tools at all, then no sta.
real=$mempath
mkdir tools
printf '#!/bin/sh\nPATH=%s/tools exec %s "$@"\n' "$work" "$real" >without
chmod +x without
mempath=./without
refused 'rtl: yosys is missing; it is in the Debian package yosys, which platform/mempath rtl installs' rtl
for tool in yosys yosys-abc; do
    ln -s "$(command -v $tool)" tools/
done
refused 'rtl: sta is missing; it is in the Debian package opensta' rtl dws
finished
