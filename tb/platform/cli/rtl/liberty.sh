#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath rtl --liberty`: a block in a library of a few cells, whose units are not those of the usual one, without
# bounds. Wrong libraries and names of cells are refused before a tool runs. $3 is rtl/.
rtl=$(realpath "$3") library=$(realpath "$(dirname "$0")/cells.lib")
. "$(dirname "$0")/../lib.sh"
cells=driver=buf_four,nand2=nand_two

figure() { # design, figure: an SQL expression over j
    echo "(SELECT json_extract(value, '\$.value') FROM json_each(j, '\$.figures')
        WHERE json_extract(value, '\$.design') = '$1' AND json_extract(value, '\$.name') = '$2')"
}
cp "$library" 'my cells.lib'
expect 0 rtl dws --rtl "$rtl" --liberty 'my cells.lib' --cells $cells --json --keep kept
json "json_extract(j, '\$.status')" measured
json "json_extract(j, '\$.technology')" 'library made_up, inputs from buf_four, 0.05 pF at outputs, ideal wires'
json "json_extract(j, '\$.designs[0].equivalent')" 1
json "(SELECT count(*) FROM json_each(j, '\$.figures') WHERE json_extract(value, '\$.bound') IS NOT NULL)" 0
# Bits are bits in every library; a NAND2 has 1.5 um2. The library's times are in ps: 20 to 70 cells of 10 to 50.
json "$(figure dws flops)" "$(sed -n 's/^dws,flops,//p' "$rtl/synth/bounds.csv")"
json "round(1.0 * $(figure dws area) / $(figure dws nand2_equivalents), 6)" 1.5
json "$(figure dws period) BETWEEN 0.2 AND 3.5" 1
period=$(sqlite3 :memory: "WITH t(j) AS (SELECT CAST(readfile('out') AS TEXT)) SELECT $(figure dws period) FROM t")
grep -q ' flop_cleared ' kept/dws/net.v || wrong 'the netlist does not have its cells'
[ "$(sed -n 's/^Networks are //p' kept/dws/equivalence.log | cut -c 1-10)" = equivalent ] || wrong 'the netlist is not proven equal'
expect 0 query rtl_runs
says ' measured .*library made_up, inputs from buf_four'
expect 0 query rtl
says '^dws  *period .* - '

# The same library in ns and pF has the same periods. A larger load makes them longer.
awk '/^ *(index_|values)|constraint|cell_|transition/ && /"/ {
        out = ""
        while (match($0, /[0-9][0-9.]*/)) {
            # The second index is a load, the others are times; both are in thousandths.
            out = out substr($0, 1, RSTART - 1) sprintf("%.9f", substr($0, RSTART, RLENGTH) / 1000)
            $0 = substr($0, RSTART + RLENGTH)
        }
        $0 = out $0
    }
    /capacitance : [0-9]/ { $3 = $3 / 1000 ";" }
    { gsub("1ps", "1ns"); gsub("1, ff", "1, pf"); print }' "$library" |
    sed 's/index_0.00\(.\)0*/index_\1/' >ns.lib
expect 0 rtl mesc_scan --rtl "$rtl" --liberty "$library" --cells $cells --json
period=$(sqlite3 :memory: "WITH t(j) AS (SELECT CAST(readfile('out') AS TEXT)) SELECT $(figure mesc_scan period) FROM t")
expect 0 rtl mesc_scan --rtl "$rtl" --liberty ns.lib --cells $cells --json
json "$(figure mesc_scan period) BETWEEN $period * 0.98 AND $period * 1.02" 1
expect 0 rtl mesc_scan --rtl "$rtl" --liberty "$library" --cells $cells,load=5 --json
json "$(figure mesc_scan period) > $period * 2" 1
expect 0 rtl mesc_page --rtl "$rtl" --liberty "$library" --cells $cells
says 'not compared with the bounds, which are of another library'
grep -q 'whole TLB' out && wrong 'an SRAM of another node than the cells'

refused 'liberty: nowhere.lib: No such file.*; a cell library in Liberty is needed' rtl dws --liberty nowhere.lib --cells $cells
refused 'liberty: .: Is a directory' rtl dws --liberty . --cells $cells
refused 'liberty: .*mp_star_tlb.sv: not a Liberty file' rtl dws --liberty "$rtl/star/mp_star_tlb.sv" --cells $cells
refused 'names of cells are needed; --cells driver=CELL,nand2=CELL' rtl dws --liberty "$library"
refused 'names of cells are needed' rtl dws --liberty "$library" --cells driver=buf_four
refused "no cell 'BUFX4'; --cells driver=CELL" rtl dws --liberty "$library" --cells driver=BUFX4,nand2=nand_two
refused "no cell 'nand'; --cells nand2=CELL" rtl dws --liberty "$library" --cells driver=buf_four,nand2=nand
head -n 200 "$library" >cut.lib
refused 'cut.lib: ends within a group' rtl dws --liberty cut.lib --cells $cells
grep -v '^ *clear : \|^ *preset : ' "$library" >unreset.lib
refused 'unreset.lib: no flop with an asynchronous reset' rtl dws --liberty unreset.lib --cells $cells
sed 's/function : "IQ"/function : "IQN"/' "$library" >inverted.lib
refused 'inverted.lib: no flop with .* an output that is not inverted' rtl dws --liberty inverted.lib --cells $cells
sed '/cell (nand_two)/,/area/s/area : .*/area : 0;/' "$library" >nothing.lib
refused "nothing.lib: 'nand_two' has no area" rtl dws --liberty nothing.lib --cells $cells
refused "cells: no setting 'buffer'; driver=CELL" rtl dws --liberty "$library" --cells buffer=buf_four
refused "cells: 'buf_four' is not a setting" rtl dws --liberty "$library" --cells buf_four
refused "cells: 'a b' is not the name of a cell" rtl dws --liberty "$library" --cells 'driver=a b'
refused "cells: '-1' is not a load; pF" rtl dws --liberty "$library" --cells load=-1
refused 'cells: those of the usual library are known; add --liberty FILE' rtl dws --cells driver=BUFX2
refused 'update: bounds are those of the usual library; omit --liberty' rtl dws --update --liberty "$library" --cells $cells
refused 'full: needs the usual library.s layouts and models; omit --liberty' rtl dws --full --liberty "$library" --cells $cells
finished
