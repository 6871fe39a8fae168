#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Synthesizes, places and routes a small instance of the design, RTL_SMALL, in the library's cells with qflow: the period
# with ideal wires and with the layout's wires, both by qflow's timing analysis.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
rm -rf wires
mkdir -p wires/source
cd wires
RTL_PARAMETERS=$RTL_SMALL yosys -q -c "$here/gates.tcl"
mv rtl.v source
for step in synthesize sta place route backanno; do
    qflow -T osu018 "$step" rtl >"$step.report" 2>&1 || {
        tail -n 3 "$step.report"
        echo "ERROR: qflow $step"
        exit 1
    }
done
# "Computed maximum clock frequency (zero margin) = 199.5 MHz"
period() {
    awk '/maximum clock frequency/ { for (i = 2; i <= NF; i++) if ($i == "MHz") { print 1000 / $(i - 1); exit } }' "$1"
}
echo "RESULT small_period $(period sta.report)"
echo "RESULT small_wired_period $(period backanno.report)"
