#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The planner: what it predicts follows from runs of the database, it takes the best prediction, and --check compares
# with runs of both applications.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }

plan() { expect 0 plan fgpu-gtx1080 FWT MMS --size small --quiet --json "$@"; }

plan --check
json "json_array_length(j, '\$.candidates')" 9
json "j ->> 'rank' BETWEEN 1 AND 9" 1
json "(SELECT max(value ->> 'predicted_value') FROM json_each(j, '\$.candidates')) = (j -> 'plan' ->> 'predicted_value')" 1
json "(SELECT max(value ->> 'measured_value') FROM json_each(j, '\$.candidates')) = (j -> 'best' ->> 'measured_value')" 1
json "abs(100 * (1 - (j -> 'plan' ->> 'measured_value') / (j -> 'best' ->> 'measured_value')) - (j ->> 'percent_below_best'))
    < 0.001" 1
json "(SELECT count(*) FROM json_each(j, '\$.candidates') WHERE (value ->> '\$.sms[0]') + (value ->> '\$.sms[1]') = 20
    AND ((value ->> '\$.colours[0]') + (value ->> '\$.colours[1]') = 2) = (value ->> 'scheme' = 'CMP'))" 9

# Tenants without a common module do not notice each other, so their predictions hold; launches may still interleave.
json "(SELECT max(abs((value ->> '\$.predicted[0]') / (value ->> '\$.measured[0]') - 1)) < 0.1
    FROM json_each(j, '\$.candidates') WHERE value ->> 'scheme' = 'CMP')" 1

# A measured speed is that of the rows: instructions per cycle of the pair by those of the application alone.
run=$(sqlite3 :memory: "SELECT CAST(readfile('$work/out') AS TEXT) -> 'plan' ->> 'run'")
speed=$(sqlite3 :memory: "SELECT CAST(readfile('$work/out') AS TEXT) -> 'plan' ->> '\$.measured[0]'")
ipc="SELECT 1.0 * instructions / cycles FROM tenant WHERE tenant = 0 AND run ="
[ "$(sqlite3 :memory: "SELECT abs($speed - ($(ask "$ipc $run")) / ($(ask "$ipc (SELECT min(id) FROM run WHERE changes NOT LIKE
    '%sms%' AND changes LIKE '%app=FWT%')"))) < 0.0001")" = 1 ] || wrong 'the measured speed is not that of the rows'

# The same again runs nothing; another goal takes another value from the same runs.
runs=$(ask 'SELECT count(*) FROM run')
plan --check --goal worst
[ "$(ask 'SELECT count(*) FROM run')" = "$runs" ] || wrong 'runs were repeated'
json "(j -> 'plan' ->> 'predicted_value') = min((j -> 'plan' ->> '\$.predicted[0]'), (j -> 'plan' ->> '\$.predicted[1]'))" 1
expect 0 plan fgpu-gtx1080 FWT MMS --size small --quiet
says '^plan: C[MP].* SMs for FWT and [0-9]* for MMS'

refused '2 words; a machine and two applications' plan fgpu-gtx1080 VA
refused 'MMS. is unexpected' plan fgpu-gtx1080 VA SN MMS
refused 'goal best: sum or worst' plan fgpu-gtx1080 VA SN --goal best
refused 'machine.sharing = mig' plan star-a100-mig VA SN
refused 'no such preset or experiment' plan gtx1080 VA SN
finished
