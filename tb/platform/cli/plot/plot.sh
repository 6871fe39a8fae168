#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pictures of what a run recorded, and the error if the run did not record it.
. "$(dirname "$0")/../lib.sh"

refused 'none.db: no such database' plot occupancy --db none.db
expect 0 run demo --set tenants.size=small --epochs 500 --quiet
expect 0 run demo --set tenants.size=small --quiet

# The second run is the latest, and has no snapshots.
refused 'run 2 has no snapshots.*mempath run demo --epochs' plot occupancy
expect 0 plot occupancy 1
[ "$(tr '\n' ' ' <"$work/out")" = './occupancy-run1.svg ./occupancy-run1.png ' ] || wrong 'not the names of two files'
head -c 300 occupancy-run1.svg | grep -q '<svg' || wrong 'no SVG picture'
head -c 4 occupancy-run1.png | grep -q 'PNG' || wrong 'no PNG picture'
for text in 'MT small, 3g' 'NW small, 2g' 'ST small, 2g' 'thousand cycles' 'valid translations' 'capacity, 8192'; do
    grep -q "$text" occupancy-run1.svg || wrong "the picture does not say '$text'"
done

mkdir pictures
expect 0 plot occupancy 1 -o pictures --json
json "json_extract(j, '\$.png')" pictures/occupancy-run1.png
json "json_extract(j, '\$.capacity')" 8192
json "json_extract(j, '\$.snapshots')" "$(sqlite3 "$MEMPATH_DB" "SELECT count(DISTINCT cycle) FROM epochs WHERE run = 1")"
cmp -s occupancy-run1.png pictures/occupancy-run1.png || wrong 'the same picture twice differs'

# A file in place of a folder is one picture.
expect 0 plot occupancy 1 -o pictures/one.png
[ "$(cat "$work/out")" = pictures/one.png ] || wrong 'not the name of one file'
cmp -s occupancy-run1.png pictures/one.png || wrong 'the picture in a file differs from that in a folder'
expect 0 plot occupancy 1 -o one.svg --json
json "json_extract(j, '\$.svg')" one.svg
json "json_type(j, '\$.png')" ''
head -c 300 one.svg | grep -q '<svg' || wrong 'no SVG picture in a file'
[ ! -e one.png ] || wrong 'a picture that was not asked for'
refused 'is a file for one figure' reproduce dws --size small -o one.png

# One snapshot is not enough for a picture, and a run must exist.
expect 0 run demo --set tenants.size=small --epochs 90000000 --quiet
refused 'run 3 has .* snapshot' plot occupancy
refused 'no run 99; mempath query runs' plot occupancy 99
refused 'RUN: .* not a whole number' plot occupancy latest
refused "no picture or metric 'moon'" plot moon
refused 'is unexpected; one RUN' plot occupancy 1 2
refused "no/such/folder: No such file or directory" plot occupancy 1 -o no/such/folder
expect 0 plot occupancy 1 -o made
[ -z "$(find . -name '*.part')" ] || wrong 'a half-made picture was left'
expect 0 plot
says 'occupancy'
expect 0 plot --json
json "json_extract(j, '\$[1].picture')" occupancy
finished
