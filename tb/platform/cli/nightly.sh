#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The checks that take long: a run that is interrupted after a part goes on from there.
. "$(dirname "$0")/lib.sh"

transactions() { # block
    sed -n "s/^lockstep-$1,.*,\([0-9]*\),1000000000,.*/\1/p" nightly.csv 2>/dev/null
}

# Runs checks until the table says more of a block than before, and interrupts.
until_more_than() { # transactions block argument...
    before=$1 block=$2
    shift 2
    "$mempath" evidence "$@" --budget 1h -o nightly.csv --progress=json >out 2>err &
    pid=$!
    for _ in $(seq 600); do
        now=$(transactions "$block")
        [ "${now:-0}" -le "$before" ] || break
        sleep 0.2
    done
    [ "${now:-0}" -gt "$before" ] || wrong "no more than $before transactions in two minutes: $(cat err)"
    kill -INT "$pid"
    code=0
    wait "$pid" || code=$?
    [ "$code" = 130 ] || wrong "exit code $code after an interrupt; 130 is right"
}

expect 0 evidence --list -o nightly.csv
says '^lockstep-star  *0  *1,000,000,000  *transactions  *0.0  *not begun'
says '^test-cli_threads_long '
says '^paper-neidty '
[ ! -e nightly.csv ] || wrong '--list wrote a table'

until_more_than 0 dws lockstep-dws
first=$(transactions dws)
until_more_than "$first" dws lockstep-dws
[ "$(grep -c '^lockstep-dws,' nightly.csv)" = 1 ] || wrong "two rows of one check: $(cat nightly.csv)"
grep -Eq '^lockstep-dws,[0-9a-f]{12},' nightly.csv || wrong "no hash of the library: $(cat nightly.csv)"

expect 0 evidence lockstep-dws --list -o nightly.csv --json
json "json_extract(j, '\$[0].verdict') || ' ' || (json_extract(j, '\$[0].done') > $first)" 'partly 1'

# Two checks at once: one after the other, dws would do its second part after that of star-set.
rm nightly.csv
until_more_than 1000000 dws lockstep-star-set lockstep-dws --jobs 2
star_set=$(transactions star-set)
[ "${star_set:-0}" -le 1000000 ] || wrong "the two did not run at the same time: $(cat nightly.csv)"

# A check that this program has failed is not run again, and is an error of the command.
sed -i '/^lockstep-dws,/s/partly$/failed/' nightly.csv
expect 1 evidence lockstep-dws --budget 10s -o nightly.csv

refused "no check 'lockstep-dsw'; did you mean 'lockstep-dws'?" evidence lockstep-dsw --list
refused '--jobs' evidence --jobs 0
refused "'10' is not a time; a number with s, m or h, as in 30m" evidence --budget 10
echo 'a,b' >nightly.csv
refused 'nightly.csv:1: 2 fields; 9 are needed' evidence --list -o nightly.csv
finished
