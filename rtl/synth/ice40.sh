#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Places and routes the design on an iCE40 HX8K with several seeds: logic cells, and the longest of the periods.
set -eu
here=$(dirname -- "$0")
yosys -q -c "$here/ice40.tcl"
worst=0
for seed in 1 2 3; do
    # nextpnr fails below the requested frequency, so a low one is requested: it then always reports the period.
    nextpnr-ice40 --hx8k --package ct256 --json ice40.json --asc ice40.asc --seed "$seed" --freq 1 \
        >"ice40-$seed.report" 2>&1 || { grep ERROR "ice40-$seed.report"; exit 1; }
    mhz=$(sed -n 's/.*Max frequency for clock .*: \([0-9.]*\) MHz.*/\1/p' "ice40-$seed.report" | tail -n 1)
    echo "seed $seed: $mhz MHz"
    worst=$(awk -v mhz="$mhz" -v worst="$worst" 'BEGIN { p = 1000 / mhz; print (p > worst ? p : worst) }')
done
icepack ice40.asc ice40.bin
echo "RESULT ice40_cells $(sed -n 's,.*ICESTORM_LC: *\([0-9]*\)/.*,\1,p' ice40-1.report | tail -n 1)"
echo "RESULT ice40_period $worst"
