#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times in a trace: nothing happens before its time, on the machine and under firmware; calls, sockets and threads give the
# same digest; traces without times are as before. SERVE takes requests that come at their times.
. "$(dirname "$0")/../lib.sh"

# Four launches: at once, 20 us after the start (20000 cycles of 1 GHz), at a time that has passed then, and at the end.
launch='K\001k\001\001\001\040\001\001\000\002\020L\001\005\040S\001\006B\000\001W\000\002\010\014\001\000\004\200\100\101\001E'
printf 'GWT1M\200\040\200\040%b%b%b%b' "$launch" "$launch" "$launch" "$launch" >none.gwt
printf 'GWT1M\200\040\200\040%bT\240\234\001U\200\040\200\040M\200\040\200\040%bT\240\234\001%bT\300\270\002%b' \
    "$launch" "$launch" "$launch" "$launch" >times.gwt
cycles() { # trace, options: what the application takes
    trace=$1
    shift
    expect 0 run star-a100-mig --set tenants.0.trace="$trace" --set tenants.0.slices=1 --check --quiet --json "$@"
    sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.runs[0].tenants[0].cycles')"
}
last=$(cycles none.gwt)
[ "$last" -lt 10000 ] || wrong "without times it takes $last cycles"
timed=$(cycles times.gwt)
{ [ "$timed" -gt 40000 ] && [ "$timed" -lt 43000 ]; } || wrong "with times it takes $timed cycles, not 40000 and a launch"
[ "$(cycles times.gwt --set machine.clock_mhz=2000)" -gt 80000 ] || wrong 'times are not ns of the clock'
digest=''
for way in '' --force-tlm '--threads 2'; do
    # shellcheck disable=SC2086 # perhaps no argument
    cycles times.gwt $way >/dev/null
    got=$(grep -o '"digest": "[0-9a-f]*"' "$work/out")
    [ "${digest:=$got}" = "$got" ] || wrong "times $way: digest $got, not $digest"
done

# What is printed of it, and rows that come back.
expect 0 trace info times.gwt --json
json "j ->> 'times' || ' ' || (j ->> 'last_time_ns')" '3 40000'
expect 0 trace info none.gwt --json
json "j ->> 'times' IS NULL" 1
expect 0 trace dump times.gwt
[ "$(grep -c '^not before [24]0000 ns:$' "$work/out")" = 3 ] || wrong 'the dump has no times'
expect 0 trace dump times.gwt --json
json "(SELECT group_concat(value ->> 'nanoseconds') FROM json_each(j) WHERE value ->> 'what' = 'time')" 20000,20000,40000
expect 0 trace dump times.gwt --csv
cp "$work/out" times.csv
[ "$(grep ',launch,' times.csv | sed 's/.*,//' | tr '\n' ' ')" = '0 20000 20000 40000 ' ] || wrong 'the rows have no times'
expect 0 import times.csv -o again.gwt
expect 0 trace dump again.gwt --csv
cmp -s "$work/out" times.csv || wrong 'rows with times do not come back'
sed 's/,20000$/,50000/' times.csv >bad.csv
refused 'a time of 40000 ns after one of 50000; times do not decrease' import bad.csv -o bad.gwt

# A server's requests. The GPU is idle between them.
printf '# ns, prompt, tokens\n0 10 3\n1000000 20 2\n1000000 5 4\n1300000 5 4\n' >requests
expect 0 record SERVE --size small --input requests -o serve.gwt
expect 0 trace info serve.gwt --json
json "j ->> 'times' || ' ' || (j ->> 'last_time_ns')" '10 1600000'
took=$(cycles serve.gwt --set machine.page_bytes=65536)
{ [ "$took" -gt 1600000 ] && [ "$took" -lt 1700000 ]; } || wrong "the requests take $took cycles, not those of their times"
printf '0 10 3\n5 64 1\n' >requests
expect 2 record SERVE --size small --input requests -o bad.gwt
grep -q '^mempath: record: requests:2: ' "$work/err" || wrong 'a wrong request is not named'

# Firmware's launches keep them, too.
expect 0 firmware run --workload 0=serve.gwt --check
says '^0  *16[0-9][0-9][0-9][0-9][0-9] '
finished
