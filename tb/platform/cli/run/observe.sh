#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stimuli that `run --observe walks` writes: each walk that arrives, as `replay walks` reads it.
. "$(dirname "$0")/../lib.sh"

ask() { sqlite3 "$MEMPATH_DB" "$1"; }
one='run dws-30sm --set tenants.0.app=MT --set tenants.0.sms=30 --set tenants.size=small --set walk.walkers_per_slice=256
     --quiet'
two='run dws-30sm --set tenants.0.app=GUPS --set tenants.0.sms=15 --set tenants.1.app=MT --set tenants.1.sms=15
     --set tenants.size=small --quiet'
column() { cut -d' ' -f"$1" "$2" | sort -u | wc -l; }

# Each walk has a walker at once and the entries that were in the page walk cache when it came, so that it reads what the
# line says. Observing changes nothing.
# shellcheck disable=SC2086 # words
expect 0 $one
# shellcheck disable=SC2086
expect 0 $one --observe walks -o walks.txt
[ "$(ask 'SELECT count(DISTINCT digest) FROM run')" = 1 ] || wrong 'observing changed the results'
counted() { ask "SELECT sum(value) FROM counters WHERE run = 2 AND component_kind = 'walk' AND metric = '$1'"; }
[ "$(wc -l <walks.txt)" = "$(counted walks)" ] || wrong 'not a line for each walk'
[ "$(awk '{ n += $7 } END { print n }' walks.txt)" = "$(counted levels_read)" ] || wrong 'READS is not what walks read'
[ "$(awk '{ print NF }' walks.txt | sort -u)" = 8 ] || wrong 'not eight words in each line'

# shellcheck disable=SC2086
expect 0 $two --observe walks -o walks.txt
for n in 2 4 5 6 7; do
    [ "$(column $n walks.txt)" -gt 1 ] || wrong "word $n of all lines is the same"
done
[ "$(column 3 walks.txt)" = "$(wc -l <walks.txt)" ] || wrong 'two walks have one ID'
[ "$(column 2,8 walks.txt)" -gt 100 ] || wrong 'walks are for a few pages only'

# What looks at the instruction of a walk decides otherwise with it than without. A file of earlier versions, which has
# three words in a line, is still read.
cut -d' ' -f1-3 walks.txt >short.txt
for file in walks.txt short.txt; do
    expect 0 replay walks --policy sjf --walkers 2 $file
    [ "$(wc -l <out)" = "$(wc -l <walks.txt)" ] || wrong 'not a response for each walk'
    mv out sjf.$file
    expect 0 replay walks --policy fcfs --walkers 2 $file
    mv out fcfs.$file
done
cmp -s sjf.walks.txt fcfs.walks.txt && wrong 'sjf does not look at the instructions'
cmp -s fcfs.walks.txt fcfs.short.txt || wrong 'fcfs looks at them'
expect 0 replay walks --policy fcfs --walkers 2 --line 8 walks.txt
[ "$(awk '$1 != $8' out | wc -l)" -gt 10 ] || wrong 'no walk is answered by another'
finished
