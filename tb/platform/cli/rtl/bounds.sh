#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath rtl` measures: figures outside their bounds, in both directions; new bounds are written; figures do not
# depend on the RTL's folder. $3 is rtl/.
rtl=$(realpath "$3")
. "$(dirname "$0")/../lib.sh"

expect 0 rtl --list --json
defaults=$(sqlite3 :memory: "SELECT group_concat(json_extract(value, '\$.design')) FROM json_each(readfile('out'))")
expect 0 rtl --json
json "json_extract(j, '\$.status')" held
json "(SELECT group_concat(json_extract(value, '\$.name')) FROM json_each(j, '\$.designs')
    WHERE json_extract(value, '\$.equivalent'))" "$defaults"
json "(SELECT group_concat(round(json_extract(value, '\$.value'), 3)) FROM json_each(j, '\$.figures')
    WHERE json_extract(value, '\$.name') = 'bits_overhead')" 0.0,0.058,0.152,0.0,0.013

# Measured are C cells, A um2 and P ns: the bounds of the copy are below, above, off by one and missing.
cp -r "$rtl" copy
awk -F, -v OFS=, '$1 == "dws" && $2 == "cells" { $3 = int($3 / 1.03) }
    $1 == "dws" && $2 == "area" { $3 = int($3 * 1.03) }
    $1 == "dws" && $2 == "flops" { $3++ }
    !($1 == "dws" && $2 == "period")' "$rtl/synth/bounds.csv" >copy/synth/bounds.csv
expect 1 rtl dws --rtl copy --json
for line in 'cells of dws grew from' 'area of dws shrank from' 'flops of dws changed from' 'no period of dws, which is'; do
    grep -q "bounds.csv: $line" err || wrong "the errors do not say '$line'"
done
json "json_extract(j, '\$.status')" outside
json "(SELECT group_concat(json_extract(value, '\$.verdict')) FROM json_each(j, '\$.figures')
    WHERE json_extract(value, '\$.name') IN ('flops', 'cells', 'area'))" changed,grew,shrank
expect 0 query rtl
says 'dws  *cells .*grew'
says 'dws  *flops .*changed  *192'

# A directory, next to the L1 TLB, whose figures are those of its bounds.
expect 0 rtl neidty-8x8 --rtl "$rtl" -o pictures
says '^ *8  *8  *88 .* measured$'
says '^ *32  *18  *672 .* bounds$'
for picture in area period; do
    [ -s pictures/rtl-neidty-$picture.png ] || wrong "no picture of the $picture"
done

expect 0 rtl dws --rtl copy --update --keep kept
says '^rtl 4: bounds updated; yosys .*sta '
says '180 nm academic library, typical corner, ideal wires'
for file in net.v sta.log synth.log equivalence.log; do
    [ -s "kept/dws/$file" ] || wrong "--keep left no $file"
done
sort copy/synth/bounds.csv >now
sort "$rtl/synth/bounds.csv" | cmp - now || wrong 'what is measured is not what is committed'
finished
