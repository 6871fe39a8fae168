#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed measurements (db/evidence): a subset is measured again and must lead to the same conclusions. A change
# of a value or of a verdict is found, and an update writes only what was measured.
#
#   evidence.sh MEMPATH CACHE EVIDENCE quick|long
evidence=$(realpath "$3") mode=$4
. "$(dirname "$0")/../lib.sh"

error_says() {
    grep -q -- "$1" "$work/err" || wrong "stderr does not say '$1'"
}

if [ "$mode" = long ]; then
    expect 0 reproduce dws/fig5 --size medium --quiet --json --check
    expect 0 reproduce star/fig10 --quiet --json --check
    finished
    exit
fi

for figure in dws/fig9a dws/fig9b; do
    expect 0 reproduce $figure --size medium --quiet --json --check
done

# From here on all runs are in the database. A copy in which one value, and with it a verdict, is another:
mkdir copy
cp "$evidence"/*.csv copy
sed -i 's/^\(fig9a@medium,BLK.3DS,3DS DWS,\)[^,]*/\10.001/' copy/dws.csv
expect 1 reproduce dws/fig9a --size medium --quiet --json --check --evidence copy
error_says 'dws.csv: fig9a@medium: BLK.3DS, 3DS DWS: 0.001 there, '
error_says 'the lighter tenant gets more walkers.*: does not hold there; holds now'

# A row of a point that follows from others has the note "derived", and no other row.
sed '/^fig9a@medium,BLK.3DS,3DS DWS,/s/,[^,]*$/,derived/' "$evidence/dws.csv" >copy/dws.csv
expect 1 reproduce dws/fig9a --size medium --quiet --json --check --evidence copy
error_says 'dws.csv: fig9a@medium: BLK.3DS, 3DS DWS: derived there, a point of the figure measured'

# Only what is beyond the tolerance: 1 % is not, 3 % is.
share=$(sed -n 's/^fig9a@medium,BLK.3DS,3DS DWS,\([^,]*\),.*/\1/p' "$evidence/dws.csv")
for percent in 1 3; do
    sed "s/^\(fig9a@medium,BLK.3DS,3DS DWS,\)[^,]*/\1$(echo "$share $percent" | awk '{ print $1 * (1 + $2 / 100) }')/" \
        "$evidence/dws.csv" >copy/dws.csv
    expect $((percent / 3)) reproduce dws/fig9a --size medium --quiet --json --check --evidence copy
done

# An update replaces a figure's rows in their place and leaves all others.
expect 0 reproduce dws/fig9a --size medium --quiet --json --update --evidence copy
expect 0 reproduce dws/fig9a --size medium --quiet --json --check --evidence copy
for file in "$evidence/dws.csv" copy/dws.csv; do cut -d, -f1-4 "$file"; done | sort | uniq -u >changed
[ ! -s changed ] || wrong "an update of what had not changed differs: $(head -1 changed)"
[ -z "$(find copy -name '*.part')" ] || wrong 'a half-written file was left'
mkdir new
expect 0 reproduce dws/fig9a --size medium --quiet --json --update --evidence new
[ "$(grep -c '^fig9a@medium,' new/dws.csv)" = "$(grep -c '^fig9a@medium,' "$evidence/dws.csv")" ] ||
    wrong 'a new file does not have the rows of the committed one'

refused 'has nothing of fig9a@small; --update writes it' reproduce dws/fig9a --size small --check --evidence new
refused 'one of the two' reproduce dws/fig9a --size small --check --update
echo 'figure,series' >new/dws.csv
refused "new/dws.csv:1: the first row is not 'figure,series,x,value,revision,note'" reproduce dws/fig9a --check \
    --size small --evidence new
printf 'figure,series,x,value,revision,note\nfig9a,"GUPS,MM,1,r,\n' >new/dws.csv
refused 'new/dws.csv:2: field 2 has an open quote' reproduce dws/fig9a --check --size small --evidence new
printf 'figure,series,x,value,revision,note\nfig9a,GUPS.MM,MM,much,r,\n' >new/dws.csv
refused "new/dws.csv:2: 'much' is not a value; a number" reproduce dws/fig9a --check --size small --evidence new
refused '^mempath: no-such-folder: ' reproduce dws/fig9a --size medium --quiet --update --evidence no-such-folder
finished
