#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fractional GPUs' figures at small size: what a partition's application loses next to others, and that the same numbers
# follow from the runs' rows; what programs of one and of many threads measure.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }

# A value of the last figure: series, x.
value() {
    sqlite3 :memory: "SELECT json_extract(p.value, '\$.measured') FROM json_each(
        CAST(readfile('$work/out') AS TEXT), '\$.points') p
        WHERE json_extract(p.value, '\$.series') = '$1' AND json_extract(p.value, '\$.x') = '$2'"
}

same() { # what, expression of two numbers that must be almost equal
    [ "$(sqlite3 :memory: "SELECT abs(($2) - ($3)) < 0.0001")" = 1 ] || wrong "$1: $2 is not $3"
}

# Two schemes, each alone and next to three others; Table III has the same runs as Figure 9.
expect 0 reproduce fgpu/table3a --size small --quiet --json
json "json_array_length(j, '\$.points')" $((8 * 2))
json "json_extract(j, '\$.claims[0].verdict')" holds
[ "$(ask "SELECT count(*) FROM run WHERE status = 'done'")" = 48 ] || wrong 'not eight runs of each application'
va=$(value VA CP)
largest=$(value largest CP)
average=$(value all CP)
sum=$(value MMS CP)+$(value SN CP)+$va+$(value SP CP)+$(value FWT CP)+$(value CFD CP)
same 'the average' "$average" "($sum) / 6"
same 'the largest' "$largest" "max($(echo "$sum" | tr + ,))"

expect 0 reproduce fgpu/fig9a --size small --quiet --json
[ "$(ask "SELECT count(*) FROM run WHERE status = 'done'")" = 54 ] || wrong 'Figure 9 does not share the runs of Table III'
same 'variation by the times' "$va" \
    "100 * (max($(value VA 'CP MMS'), $(value VA 'CP FWT'), $(value VA 'CP VA')) / $(value VA CP) - 1)"
same 'CMP over CP' "$(value VA 'CMP over CP')" "$(value VA CMP) / $(value VA CP)"

# The time of a measured run, by what it would be on half of the SMs if all were used as well.
time="SELECT 1.0 * t.cycles / t.completions FROM tenant t WHERE t.tenant = 0 AND t.run = "
run() { # the first or second run behind a value
    sqlite3 :memory: "SELECT json_extract(p.value, '\$.runs[$1]') FROM json_each(
        CAST(readfile('$work/out') AS TEXT), '\$.points') p
        WHERE json_extract(p.value, '\$.series') = 'SP' AND json_extract(p.value, '\$.x') = 'CP FWT'"
}
same 'Figure 9 by the rows' "$(value SP 'CP FWT')" "($(ask "$time $(run 0)")) / ($(ask "$time $(run 1)")) / 2"
# The short application runs until the long one next to it has ended once; its first run is not measured.
[ "$(ask "SELECT min(completions) FROM tenant WHERE run = $(run 0)")" -ge 1 ] || wrong 'the other application has not ended'
[ "$(ask "SELECT completions FROM tenant WHERE tenant = 0 AND run = $(run 0)")" -gt 1 ] ||
    wrong 'a short application does not run again and again'

# Two applications that can each keep the bus busy have half of it, on partitions of the SMs alone.
streams() {
    expect 0 run "$1" --set tenants.0.app=VA --set tenants.0.sms="$2" ${3:+--set tenants.1.app=VA} \
        ${3:+--set tenants.1.sms="$2"} --set tenants.size=medium --set machine.dispatch=persistent \
        --set stats.runs=warm --set machine.host_sync=0 --quiet
    ask "SELECT 1.0 * cycles / completions FROM tenant WHERE tenant = 0 AND run = (SELECT max(id) FROM run)"
}
for machine in 'fgpu-gtx1080 10' 'fgpu-v100 40'; do
    # shellcheck disable=SC2086 # words
    alone=$(streams $machine) together=$(streams $machine both)
    [ "$(sqlite3 :memory: "SELECT $together / $alone BETWEEN 1.85 AND 2.15")" = 1 ] ||
        wrong "$machine: $alone cycles alone and $together next to another; twice as many"
done

# The runs of an application use the same memory, so later ones find their translations.
walks() {
    expect 0 run fgpu-gtx1080 --set tenants.0.app=SP --set tenants.0.size=small --set stats.runs="$1" --quiet
    ask "SELECT sum(value) FROM metrics WHERE kind = 'walk' AND metric = 'walks' AND run = (SELECT max(id) FROM run)"
}
first=$(walks first)
[ "$first" -gt 0 ] || wrong 'no walks'
[ "$(walks warm)" = "$first" ] || wrong 'the second run has other memory than the first'

# One thread: few pairs are slow, and those that the functions say.
expect 0 reproduce fgpu/fig3 --quiet --json --check
same 'slow pairs' "$(value slow 'by time')" "$(value slow 'by the functions')"
json "(SELECT count(*) FROM json_each(j, '\$.claims') c WHERE json_extract(c.value, '\$.verdict') = 'holds')" 2

# The software finds what is published, and its runs are recorded.
expect 0 reproduce fgpu/appendixb --quiet --json --check
same 'ways' "$(value L2 ways)" 16
[ "$(ask "SELECT count(*) FROM reveal")" = 1 ] || wrong 'the search was not recorded'
expect 0 query reveal
says '^bank .* equal$'
finished
