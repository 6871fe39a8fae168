#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with libmempath (cases.cpp): results, rows of the database and errors, compared with the command's.
#   library.sh MEMPATH CACHE CASES
cases=$(realpath "$3")
. "$(dirname "$0")/../cli/lib.sh"
export SC_COPYRIGHT_MESSAGE=DISABLE

own() { # CASE [FILE]
    checks=$((checks + 1))
    "$cases" "$1" "${2:-one.yaml}" "$MEMPATH_DB" >out 2>err || wrong "the case $1 fails"
    [ ! -s err ] || wrong "the case $1 writes to stderr"
}
asked() { # answer, SQL
    got=$(sqlite3 "$MEMPATH_DB" "$2")
    [ "$got" = "$1" ] || wrong "'$got', not '$1': $2"
}
latest() { # answer, columns
    asked "$1" "SELECT $2 FROM run ORDER BY id DESC LIMIT 1"
}

expect 0 record MT --size small -o mt.gwt.zst --quiet
printf 'preset: star-a100-mig\ntenants:\n  - {trace: mt.gwt.zst, slices: 1}\n' >one.yaml
printf 'preset: star-a100-mig\ntenants:\n  - {trace: mt.gwt.zst, slices: 1}\n  - {trace: mt.gwt.zst, slices: 2}\n' >two.yaml

own wrong_order
own wrong_machine
latest 'failed|gpu.l4_tlb: no block has such a path' "status, substr(error, 1, 36)"

# An ordinary run has the command's results. Nothing is attached, so it is the same run, which the command finds again.
expect 0 run ./two.yaml --set l3_tlb.latency=20 --quiet
expect 0 run ./two.yaml --set l3_tlb.latency=80 --quiet
expect 0 run ./two.yaml --until 3000 --quiet
of() { sqlite3 "$MEMPATH_DB" "SELECT digest || ' ' || cycles FROM run WHERE experiment = 'two' AND $1 LIMIT 1"; }
big=$(of 'status = "done"') small=$(sqlite3 "$MEMPATH_DB" "SELECT digest || ' ' || cycles FROM run
    WHERE experiment = 'two' AND status = 'done' ORDER BY id DESC LIMIT 1") until=$(of "status = 'interrupted'")
[ "$big" != "$small" ] || wrong 'two equal machines'
same() { # what the case has printed
    [ "$(cat out)" = "$1" ] || wrong "other results than those of the command: $1"
}
own ordinary two.yaml
same "$big"
latest 'done|two|1|1' "status, experiment, command_line LIKE '% ordinary two.yaml %', (SELECT count(DISTINCT config_hash)
    FROM run a WHERE a.digest = run.digest)"
asked '' 'SELECT * FROM run_plugin WHERE run = (SELECT max(id) FROM run)'
own cut two.yaml
same "$until"
latest 'interrupted|3000' 'status, cycles'
own steps two.yaml
same "$big"
own two two.yaml
same "$big
$small"

# Runs that end early.
own stopped
latest 'interrupted' status
own ticking
latest 'done' status
own dropped
latest 'interrupted' status

# Modules in the place of SMs. They and the program are part of the run.
own sent
first=$(cat out)
latest 'done' status
asked "library_cases|$cases" "SELECT name, path FROM run_plugin ORDER BY run DESC LIMIT 1"
asked 'EXTERNAL||2000' "SELECT app, size, (SELECT sum(value) FROM metrics m WHERE m.run = t.run
    AND component GLOB 'gpu.*.l1_tlb' AND metric = 'lookups') FROM tenant t ORDER BY run DESC LIMIT 1"
own sent
same "$first"
own below
latest 'done' status
own lost
latest 'failed|stuck at cycle' "status, substr(error, 1, 14)"
own mixed
latest 'done' status
asked '1|1' "SELECT min(value > 0), count(*) FROM metrics WHERE run = (SELECT max(id) FROM run)
    AND component = 'gpu.gpc1.tpc0.l1_tlb' AND metric = 'lookups'"

# The command cannot run such a file, but shows its machine.
printf 'preset: star-a100-mig\ntenants:\n  - {app: external, slices: 1}\n' >external.yaml
refused 'external: tenants.0.app = external: only a program with libmempath sends its requests' run ./external.yaml
refused 'tenants.0 has a size, which an external one does not use' run ./external.yaml --set tenants.0.size=small
expect 0 machine ./external.yaml
says '14  gpu.gpc'
expect 2 run demo --set tenants.0.app=external
grep -q 'tenants.0.app = external' err || wrong 'the size of the file below remains'
finished
